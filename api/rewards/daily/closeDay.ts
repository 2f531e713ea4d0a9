import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { lockUntilCommit } from '#api/platform/db/advisoryLocks.ts'
import { query } from '#api/entities/tables.ts'
import { DAY_LOCK } from '#api/sale/supply/openDays.ts'
import { lockSupply } from '#api/sale/supply/lockSupply.ts'
import { readDailyRate } from '../rates/readDailyRate.ts'
import { rewardInstant } from '#shared/rewardTime.ts'

/**
 * Settles what a day will pay: its rate, and that no node can become active for it any more. Waits for allocations and changes of the
 * rate that are under way; those that come later find the day closed. So the payment, which takes seconds with many holders, need not
 * hold the supply row: sales go on while it runs.
 */
export async function closeDay(em: EntityManager, { day, now }: { day: string; now: Date }): Promise<void> {
  await lockUntilCommit(em, DAY_LOCK)
  await lockSupply(em)
  const rate = await readDailyRate(em, rewardInstant(day))
  // Asked rather than left to a conflict: a conflict with a day being paid would wait, with the supply row in hand, until it is.
  const db = query(em)
  const closed = [sql`${day}::date`.as('day'), sql`${rate}::numeric`.as('rate'), sql`${now}::timestamptz`.as('at')]
  const isClosed = db.selectFrom('reward_runs as r').select('r.day').where('r.day', '=', day)
  await db
    .insertInto('reward_runs')
    .columns(['day', 'rate', 'closedAt'])
    .expression(db.selectNoFrom(closed).where(({ not, exists }) => not(exists(isClosed))))
    .execute()
}
