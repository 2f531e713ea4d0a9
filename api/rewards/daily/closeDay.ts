import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { lockUntilCommit } from '#api/platform/db/advisoryLocks.ts'
import { query } from '#api/entities/tables.ts'
import { DAY_LOCK } from '#api/sale/supply/openDays.ts'
import { lockSupply } from '#api/sale/supply/lockSupply.ts'
import { readDailyRate } from '../rates/readDailyRate.ts'
import { rewardInstant } from '#shared/rewardTime.ts'

/**
 * Closes a day: fixes its rate and the nodes that are active for it. Waits for running allocations and rate changes; later ones find the
 * day closed. The payment, which takes seconds with many holders, therefore needs no lock of the supply row, and sales continue while it
 * runs.
 */
export async function closeDay(em: EntityManager, { day, now }: { day: string; now: Date }): Promise<void> {
  await lockUntilCommit(em, DAY_LOCK)
  await lockSupply(em)
  const rate = await readDailyRate(em, rewardInstant(day))
  // Checks instead of relying on a conflict: a conflict with a day that is being paid would wait for the payment while holding the supply
  // row.
  const db = query(em)
  const closed = [sql`${day}::date`.as('day'), sql`${rate}::numeric`.as('rate'), sql`${now}::timestamptz`.as('at')]
  const isClosed = db.selectFrom('reward_runs as r').select('r.day').where('r.day', '=', day)
  await db
    .insertInto('reward_runs')
    .columns(['day', 'rate', 'closedAt'])
    .expression(db.selectNoFrom(closed).where(({ not, exists }) => not(exists(isClosed))))
    .execute()
}
