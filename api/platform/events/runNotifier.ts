import type { MikroORM } from '@mikro-orm/postgresql'
import { sql } from '../db/sql.ts'

/** What one notification says: the keys of everybody, and those of single accounts. */
export interface Notification {
  all: string[]
  users: Record<string, string[]>
}

export const CHANGES_CHANNEL = 'changes'

const INTERVAL_MS = 250
/** PostgreSQL refuses payloads of 8,000 bytes. */
const ROWS_A_TIME = 50

/** Publishes recorded changes, at most four times a second. Any number may run: a lock lets one work at a time. */
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

/** Publishes what is recorded and answers how many rows that were. */
export async function publishChanges(orm: MikroORM): Promise<number> {
  let total = 0
  for (;;) {
    const published = await orm.em.fork().transactional(async (em) => {
      const [lock] = await sql<{ mine: boolean }>(em, `select pg_try_advisory_xact_lock(hashtext('notifier')) as mine`)
      if (!lock?.mine) return 0
      const rows = await sql<{ user_id: string | null; keys: string[] }>(
        em,
        `delete from change_events where id in (select id from change_events order by id limit ${ROWS_A_TIME}) returning user_id, keys`,
      )
      if (rows.length === 0) return 0
      await sql(em, 'select pg_notify($1, $2)', [CHANGES_CHANNEL, JSON.stringify(merge(rows))])
      return rows.length
    })
    total += published
    if (published < ROWS_A_TIME) return total
  }
}

function merge(rows: { user_id: string | null; keys: string[] }[]): Notification {
  const all = new Set<string>()
  const users: Record<string, Set<string>> = {}
  for (const { user_id, keys } of rows) {
    const target = user_id === null ? all : (users[user_id] ??= new Set())
    for (const key of keys) target.add(key)
  }
  return { all: [...all], users: Object.fromEntries(Object.entries(users).map(([id, keys]) => [id, [...keys]])) }
}
