import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { lockNamed, tryLockUntilCommit } from '../db/advisoryLocks.ts'
import { sessionRealmOf } from '../http/sessionRealm.ts'
import { type Change, hasChanges, takeChanges } from './recordChange.ts'

/** The payload of one notification: keys for everybody, for the back office, and by account. */
export interface Notification {
  all: string[]
  /** Absent in a notification of a release before the back office had a stream. */
  office?: string[]
  users: Record<string, string[]>
  /** Places in line by account; null for one that no longer waits. */
  places?: Places
}

export type Places = Record<string, number | null>

export const CHANGES_CHANNEL = 'changes'

const INTERVAL_MS = 250
/** Keeps payloads below PostgreSQL's limit of 8,000 bytes. */
const BATCH_SIZE = 50

/** Accounts of one notification about places, for the same limit. */
const PLACES_PER_NOTIFICATION = 120

/** Tells the open pages of accounts their place in line. Without a row: a lost notification is replaced a second later. */
export async function publishPlaces(orm: MikroORM, places: ReadonlyMap<string, number | null>): Promise<void> {
  const all = [...places]
  for (let first = 0; first < all.length; first += PLACES_PER_NOTIFICATION) {
    const some: Places = Object.fromEntries(all.slice(first, first + PLACES_PER_NOTIFICATION))
    await notify(orm.em.fork(), { all: [], users: {}, places: some })
  }
}

async function notify(em: EntityManager, notification: Notification): Promise<void> {
  await em
    .getKysely()
    .selectNoFrom(({ fn, val }) => fn('pg_notify', [val(CHANGES_CHANNEL), val(JSON.stringify(notification))]).as('sent'))
    .execute()
}

/** Publishes recorded changes at most four times a second. Several may run; a lock lets one work at a time. */
export function runNotifier(orm: MikroORM, onError: (error: unknown) => void): { stop(): Promise<void> } {
  let stopped = false
  let timer: NodeJS.Timeout
  let working: Promise<void> = Promise.resolve()
  const tick = () => {
    working = publishChanges(orm)
      .catch(onError)
      .then(() => {
        if (!stopped) timer = setTimeout(tick, INTERVAL_MS)
      })
  }
  timer = setTimeout(tick, INTERVAL_MS)
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await working
    },
  }
}

/** Publishes all recorded changes and returns the number of rows. */
export async function publishChanges(orm: MikroORM): Promise<number> {
  // Most times there are none, and asking costs less than a transaction.
  if (!(await hasChanges(orm.em.fork()))) return 0
  let total = 0
  for (;;) {
    const published = await orm.em.fork().transactional(async (em) => {
      if (!(await tryLockUntilCommit(em, lockNamed('notifier')))) return 0
      const changes = await takeChanges(em, { limit: BATCH_SIZE })
      if (changes.length === 0) return 0
      await notify(em, merge(changes))
      return changes.length
    })
    total += published
    if (published < BATCH_SIZE) return total
  }
}

function merge(changes: readonly Change[]): Notification {
  const [all, office] = [new Set<string>(), new Set<string>()]
  const users: Record<string, Set<string>> = {}
  for (const { userId, keys } of changes) {
    for (const key of keys) {
      const target = sessionRealmOf(key) === 'admin' ? office : userId === undefined ? all : (users[userId] ??= new Set())
      target.add(key)
    }
  }
  return {
    all: [...all],
    office: [...office],
    users: Object.fromEntries(Object.entries(users).map(([id, keys]) => [id, [...keys]])),
  }
}
