import { SECOND } from '#shared/dates.ts'
import type { Batcher } from '#api/platform/db/createBatcher.ts'

/** Only accounts that wait longer are told their place. */
const WAIT_BEFORE_FIRST = SECOND
const INTERVAL = SECOND

interface PlaceOptions {
  listWaiting: Batcher<{ userId: string }, unknown>['listWaiting']
  /** Sends the number of requests before each account's own, null to one that no longer waits. */
  publish(places: ReadonlyMap<string, number | null>): Promise<void>
}

/**
 * Tells accounts that wait for a decision their place in the line of this process, once a second. The place belongs to the request and not to
 * the page: a page that is loaded again is told it too, because a request is decided also if its page has disconnected.
 *
 * @returns a function to call with each request. While nobody waits, no timer runs.
 */
export function createTellPlaces({ listWaiting, publish }: PlaceOptions): () => void {
  const told = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  async function tell(): Promise<void> {
    const waiting = listWaiting()
    const places = new Map<string, number | null>()
    for (const [before, { item, since }] of waiting.entries()) {
      const { userId } = item
      if (places.has(userId) || performance.now() - since < WAIT_BEFORE_FIRST) continue
      // An earlier arrival may have been enqueued later; nobody is shown a worse place than before.
      places.set(userId, Math.min(before, told.get(userId) ?? before))
    }
    for (const userId of told.keys()) if (!places.has(userId)) places.set(userId, null)
    for (const [userId, place] of places) {
      if (place === null) told.delete(userId)
      else told.set(userId, place)
    }
    // If this fails, the next second's places replace them.
    if (places.size > 0) await publish(places).catch(() => {})
    timer = listWaiting().length > 0 || told.size > 0 ? setTimeout(() => void tell(), INTERVAL).unref() : undefined
  }

  return () => {
    timer ??= setTimeout(() => void tell(), INTERVAL).unref()
  }
}
