import type { MikroORM } from '@mikro-orm/postgresql'
import { SECOND } from '#shared/dates.ts'
import { query } from '../tables/tables.ts'
import type { Clock } from './Clock.ts'
import { dueNow, dueTime } from './dueNow.ts'

export interface RunningClock extends Clock {
  refresh(): Promise<void>
  /** Waits for a running refresh, because closing the database during one would hang. */
  stop(): Promise<void>
}

/** The clock of a running role. In a demo it follows the offset in the database, which any role may change, within a second. */
export async function createClock(orm: MikroORM, { demo }: { demo: boolean }): Promise<RunningClock> {
  let offset = 0
  const refresh = async () => {
    const installation = await query(orm.em.fork())
      .selectFrom('installation')
      .select('clockOffsetMs')
      .where('id', '=', 1)
      .executeTakeFirst()
    offset = installation?.clockOffsetMs ?? 0
  }
  await refresh()
  // If the database is unavailable, the offset stays unchanged.
  let following = Promise.resolve()
  const timer = demo ? setInterval(() => (following = refresh().catch(() => {})), SECOND / 2) : undefined
  timer?.unref()
  return {
    now: () => new Date(),
    productNow: () => new Date(Date.now() + offset),
    dueNow,
    dueTime,
    refresh,
    async stop() {
      clearInterval(timer)
      await following
    },
  }
}
