import type { EntityManager } from '@mikro-orm/postgresql'
import type { DepositDecision } from '#api/entities/DepositDecision.ts'
import { sql } from '#api/platform/db/sql.ts'
import { CLOCK_TOLERANCE } from '#api/rewards/daily/requireDayCome.ts'
import { PAYOUT_TIME_OF_DAY } from '#shared/rewardTime.ts'
import { earlier, later } from './settingFacts.ts'

type Decision = Pick<DepositDecision, 'depositId' | 'decidedAt'> & { id: number }

/**
 * When decisions were made, by id. The database's clock has timed them, and a worker's clock the payment of each day. Readers compare both
 * (E8), and the clocks may differ; but the nodes that a day's run skipped were frozen before it paid, and not thawed before the day was due.
 *
 * @param rows in the order of their ids.
 */
export async function readDecisionTimes(
  em: EntityManager,
  rows: readonly Decision[],
  { now, isDemo }: { now: Date; isDemo: boolean },
): Promise<Map<number, Date>> {
  const bounds = await readBounds(em, rows, { isDemo })
  const times = new Map<number, Date>()
  // Decisions on one deposit keep their order.
  const next = new Map<string, Date>()
  for (const { id, depositId, decidedAt } of rows.toReversed()) {
    const time = earlier(earlier(bounds.get(id)?.latest ?? decidedAt, decidedAt), next.get(depositId) ?? now)
    times.set(id, time)
    next.set(depositId, time)
  }
  const before = new Map<string, Date>()
  for (const { id, depositId } of rows) {
    const time = later(later(times.get(id)!, bounds.get(id)?.earliest), before.get(depositId))
    times.set(id, time)
    before.set(depositId, time)
  }
  return times
}

interface Bounds {
  latest?: Date
  earliest?: Date
}

/** The payments that froze nodes preceded, and what they must not have been thawed before (format.md, E8), as far as clocks may differ. */
async function readBounds(
  em: EntityManager,
  rows: readonly Decision[],
  { isDemo }: { isDemo: boolean },
): Promise<Map<number, Bounds>> {
  const found = await sql<{ id: number; freezes: boolean; paid: string; cut: string }>(
    em,
    `with decisions as (
       select id, decided_at, is_orphaned, lag(is_orphaned, 1, false) over w as was_orphaned,
         coalesce(purchase_id, lag(purchase_id) over w) as purchase_id
       from (
         select *, state_before_orphaned is not null or (state <> 'seen' and block_number is null) as is_orphaned
         from deposit_decisions where deposit_id = any($1)
       ) d window w as (partition by deposit_id order by id)
     ), skipped as (
       select distinct n.purchase_id, r.paid_at,
         case when $2 then r.paid_at else (r.day + $3 * interval '1 ms') at time zone 'UTC' end as cut
       from reward_skips s join nodes n on n.number = s.node_number join reward_runs r on r.day = s.day
       where n.purchase_id in (select purchase_id from decisions where is_orphaned)
     )
     select d.id, is_orphaned as freezes, min(paid_at) as paid, max(cut) as cut
     from decisions d join skipped using (purchase_id)
     where is_orphaned <> was_orphaned
       and case when is_orphaned then decided_at - paid_at else cut - decided_at end between interval '0' and $4 * interval '1 ms'
     group by d.id, is_orphaned`,
    [[...new Set(rows.map(({ depositId }) => depositId))], isDemo, PAYOUT_TIME_OF_DAY, CLOCK_TOLERANCE],
  )
  return new Map(
    found.map(({ id, freezes, paid, cut }) => [id, freezes ? { latest: new Date(paid) } : { earliest: new Date(cut) }]),
  )
}
