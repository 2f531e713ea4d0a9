import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '#shared/dates.ts'
import { createClient } from '#shared/contract/client.ts'
import { getNodeStats } from '#shared/contract/nodes.ts'
import { updateNotifications } from '#shared/contract/notifications.ts'
import type { ChaosUser } from '../chaos/createUsers.ts'

export interface Probe {
  startedAt: number
  endedAt: number
  /** 0 without an answer. */
  status: number
}

/** In milliseconds. */
const INTERVAL = 200
/** Longer than any answer may take. */
const ANSWER_TIMEOUT = 20 * SECOND
/** A slower write counts as one that waited for the database. */
const SLOW = 3 * SECOND

/** Writes through the product all the time, and reads the public figures. */
export class Prober {
  readonly probes: Probe[] = []
  /** What was wrong with answers. */
  readonly faults: string[] = []
  /** The greatest age that an answer with the public figures stated, in seconds. */
  oldestFigures = 0
  readonly #url: string
  readonly #user: ChaosUser
  /** The nodes that were sold for certain at a time. */
  readonly #soldAt: (time: number) => number
  #isStopped = false
  #running: Promise<unknown> = Promise.resolve()

  constructor({ url, user, soldAt }: { url: string; user: ChaosUser; soldAt: (time: number) => number }) {
    this.#url = url
    this.#user = user
    this.#soldAt = soldAt
  }

  start(): void {
    this.#running = Promise.all([this.#write(0), this.#write(1), this.#readFigures()])
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#running
  }

  /** The milliseconds after a time until writes worked and went on working; 0 if they never failed. */
  recoveryAfter(time: number): number {
    const later = this.probes.filter(({ endedAt }) => endedAt > time).toSorted((a, b) => a.endedAt - b.endedAt)
    const last = later.findLast(isBad)
    if (!last) return 0
    if (last.status === 200) return last.endedAt - time
    const next = later.find(
      ({ status, startedAt, endedAt }) => status === 200 && endedAt >= last.endedAt && startedAt >= last.startedAt,
    )
    return (next?.endedAt ?? Number.POSITIVE_INFINITY) - time
  }

  /** Whether all writes of the last milliseconds worked. */
  works(milliseconds: number): boolean {
    const since = Date.now() - milliseconds
    const recent = this.probes.filter(({ endedAt }) => endedAt > since)
    return recent.length > 2 && !recent.some(isBad)
  }

  async #write(lane: number): Promise<void> {
    for (let isOn = lane === 0; !this.#isStopped; isOn = !isOn) {
      const startedAt = Date.now()
      const request = fetch(`${this.#url}${updateNotifications.path}`, {
        method: updateNotifications.method,
        headers: { 'content-type': 'application/json', cookie: this.#user.cookie },
        body: JSON.stringify({ rewardDigest: isOn }),
        signal: AbortSignal.timeout(ANSWER_TIMEOUT),
      })
      const probe = await request.then(
        async (response) => {
          const text = await response.text()
          if (response.status !== 200 && response.status !== 503)
            this.faults.push(`A write was answered with ${response.status}: ${text}`)
          if (response.status === 503 && !response.headers.has('retry-after'))
            this.faults.push('A refused write has no Retry-After.')
          return { startedAt, endedAt: Date.now(), status: response.status }
        },
        () => ({ startedAt, endedAt: Date.now(), status: 0 }),
      )
      if (probe.status === 0) this.faults.push(`A write got no answer within ${probe.endedAt - probe.startedAt} ms.`)
      this.probes.push(probe)
      await delay(INTERVAL)
    }
  }

  async #readFigures(): Promise<void> {
    let age = 0
    const call = createClient({
      baseUrl: this.#url,
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        age = Number(response.headers.get('age') ?? 0)
        return response
      },
    })
    for (; !this.#isStopped; await delay(2 * INTERVAL)) {
      const askedAt = Date.now()
      const stats = await call(getNodeStats, {}, { signal: AbortSignal.timeout(ANSWER_TIMEOUT) }).catch((error: unknown) => {
        this.faults.push(`The public figures could not be read: ${String(error)}`)
        return undefined
      })
      if (!stats) continue
      this.oldestFigures = Math.max(this.oldestFigures, age)
      // Ages are whole seconds.
      const due = this.#soldAt(askedAt - (age + 1) * SECOND)
      if (stats.totalSold < due)
        this.faults.push(`The public figures say that they are ${age} s old, with ${stats.totalSold} nodes sold of ${due}.`)
    }
  }
}

const isBad = ({ status, startedAt, endedAt }: Probe): boolean => status !== 200 || endedAt - startedAt > SLOW
