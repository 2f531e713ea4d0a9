import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'
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
  await sql(em, `select pg_advisory_xact_lock(${DAY_LOCK})`)
  await lockSupply(em)
  const rate = await readDailyRate(em, rewardInstant(day))
  // Asked rather than left to a conflict: a conflict with a day being paid would wait, with the supply row in hand, until it is.
  await sql(
    em,
    `insert into reward_runs (day, rate, closed_at) select $1::date, $2::numeric, $3::timestamptz
     where not exists (select from reward_runs where day = $1::date)`,
    [day, rate.toString(), now],
  )
}
