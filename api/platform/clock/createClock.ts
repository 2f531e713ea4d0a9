import type { MikroORM } from '@mikro-orm/postgresql'
import { SECOND } from '#shared/dates.ts'
import { query } from '../tables/tables.ts'
import type { Clock } from './Clock.ts'

export interface RunningClock extends Clock {
  refresh(): Promise<void>
  /** Waits for a reading under way: a database that is closed meanwhile would wait for it for ever. */
  stop(): Promise<void>
}

/** The clock of a running role. In a demo it follows the offset in the database, which any role may have moved, within a second. */
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
  // A database that is away for a moment leaves the offset as it was.
  let following = Promise.resolve()
  const timer = demo ? setInterval(() => (following = refresh().catch(() => {})), SECOND / 2) : undefined
  timer?.unref()
  return {
    now: () => new Date(),
    productNow: () => new Date(Date.now() + offset),
    refresh,
    async stop() {
      clearInterval(timer)
      await following
    },
  }
}
