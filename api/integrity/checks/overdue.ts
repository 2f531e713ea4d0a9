import { HOUR } from '#shared/dates.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { sql } from '#api/platform/db/sql.ts'
import { lastDueDay, rewardInstant } from '#shared/rewardTime.ts'
import type { Check } from '../Check.ts'

/** Within this time, work may be in progress or wait for a restarted worker. */
const OVERDUE_AFTER = HOUR

/** Finds work that the jobs should have done by now. */
export const overdue: Check = {
  name: 'All work due an hour ago is done: days paid, payments decided, reservations ended, holds released, mails tried',
  async run(em, { now, productNow }) {
    // A day whose 09:00 passed before the first allocation has nothing to pay.
    const day = lastDueDay(new Date(productNow.getTime() - OVERDUE_AFTER))
    const rows = await sql<{ difference: string }>(
      em,
      `with chain as (
         select (select time from chain_blocks where chain_id = $1 order by number desc limit 1) as time,
           (select verified_number from chain_progress where chain_id = $1) as verified
       )
       select 'the rewards of ' || $2 || ' are not paid' as difference
       where exists (select from nodes where allocated_at < $5::timestamptz)
         and not exists (select from reward_runs where day = $2::date and paid_at is not null)
       union all
       select distinct 'the rewards that purchase ' || n.purchase_id || ' missed on ' || s.day || ' are not paid, and its nodes are thawed'
       from reward_skips s join nodes n on n.number = s.node_number join reward_runs r on r.day = s.day
       where n.frozen_at is null and r.rate > 0 and r.paid_at < $4::timestamptz - $3 * interval '1 ms'
         and not exists (select from reward_corrections c where c.day = s.day and c.purchase_id = n.purchase_id)
       union all
       select 'deposit ' || id || ' of block ' || block_number || ' is final and not decided' from deposits, chain
       where state = 'seen' and block_number <= verified and block_time < chain.time - $3 * interval '1 ms'
       union all
       select 'purchase ' || id || ' (' || status || ') expired at ' || expires_at || ' and holds ' || held_quantity || ' nodes' from purchases p, chain
       where status in ('reserved', 'pending') and held_quantity > 0 and expires_at < chain.time - $3 * interval '1 ms'
         and not exists (select from deposits d where d.purchase_id = p.id and d.block_number is not null)
       union all
       select 'the hold of withdrawal ' || w.id || ' ended at ' || held_until || ' and it is not released'
       from withdrawals w join users u on u.id = w.user_id
       where (frozen_at is null or thaws_at < $4::timestamptz) and status = 'manual_review' and review_reason = 'recent_change' and held_until < $4::timestamptz - $3 * interval '1 ms'
       union all
       select 'the mail ' || id || ' has been due since ' || next_attempt_at from outgoing_mails
       where sent_at is null and attempts_end_at is null and next_attempt_at < $4::timestamptz - $3 * interval '1 ms'
       order by 1`,
      [PAYMENT_CHAIN_ID, day, OVERDUE_AFTER, now, rewardInstant(day)],
    )
    return rows.map(({ difference }) => difference)
  },
}
