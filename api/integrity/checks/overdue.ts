import { HOUR } from '#shared/dates.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { sql } from '#api/platform/db/sql.ts'
import { lastDueDay, rewardInstant } from '#shared/rewardTime.ts'
import type { Check } from '../Check.ts'

/** Within it a worker may be on its way, or be started again. */
const PATIENCE = HOUR

/** What should follow from the rows by itself has followed: every job's cause has its effect. */
export const overdue: Check = {
  name: 'What was due an hour ago is done: days paid, payments decided, reservations ended, mails tried',
  async run(em, { now, productNow }) {
    // Who comes after the 09:00 of a day is not waited for by it.
    const day = lastDueDay(new Date(productNow.getTime() - PATIENCE))
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
       select distinct 'what the purchase ' || n.purchase_id || ' missed on ' || s.day || ' is not paid, and its nodes are thawed'
       from reward_skips s join nodes n on n.number = s.node_number join reward_runs r on r.day = s.day
       where n.frozen_at is null and r.rate > 0 and r.paid_at < $4::timestamptz - $3 * interval '1 ms'
         and not exists (select from reward_corrections c where c.day = s.day and c.purchase_id = n.purchase_id)
       union all
       select 'deposit ' || id || ' is final since block ' || block_number || ' and not decided' from deposits, chain
       where state = 'seen' and block_number <= verified and block_time < chain.time - $3 * interval '1 ms'
       union all
       select 'purchase ' || id || ' (' || status || ') holds ' || held_quantity || ' nodes since ' || expires_at from purchases p, chain
       where status in ('reserved', 'pending') and held_quantity > 0 and expires_at < chain.time - $3 * interval '1 ms'
         and not exists (select from deposits d where d.purchase_id = p.id and d.block_number is not null)
       union all
       select 'the mail ' || id || ' waits since ' || next_attempt_at from outgoing_mails
       where sent_at is null and next_attempt_at < $4::timestamptz - $3 * interval '1 ms'
       order by 1`,
      [PAYMENT_CHAIN_ID, day, PATIENCE, now, rewardInstant(day)],
    )
    return rows.map(({ difference }) => difference)
  },
}
