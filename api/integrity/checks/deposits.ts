import { sql } from '#api/platform/db/sql.ts'
import type { Check } from '../Check.ts'
import { DECIDED_BY_HAND } from './decidedByHand.ts'
import { usdt } from './amounts.ts'

/** Each payment has one effect (money.md 9 and 10). An orphaned deposit counts with its state before it was orphaned. */
export const payments: Check = {
  name: 'Every settled payment belongs to one confirmed purchase or was refunded, and every purchase was paid or is owed its payment',
  async run(em) {
    const deposits = await sql<{ id: string; state: string; status: string | null }>(
      em,
      `select d.id, d.state, p.status from (select *, coalesce(state_before_orphaned, state) as decided from deposits) d
       left join purchases p on p.id = d.purchase_id
       where (decided in ('matched', 'assigned') and p.status is distinct from 'confirmed')
         or (decided = 'refunded') <> (refund_hash is not null) or refunded_amount > d.amount order by d.id`,
    )
    const purchases = await sql<{ id: string; owed: boolean }>(
      em,
      `select p.id, owed_deposit as owed from purchases p where status = 'confirmed' and amount > 0 and owed_deposit = exists (
         select from deposits where purchase_id = p.id and coalesce(state_before_orphaned, state) in ('matched', 'assigned')
       ) order by p.id`,
    )
    return [
      ...deposits.map(
        ({ id, state, status }) => `deposit ${id} is ${state} and ${status ? `its purchase is ${status}` : 'has no purchase'}`,
      ),
      ...purchases.map(({ id, owed }) => `purchase ${id} ${owed ? 'was paid and is owed a deposit' : 'was never paid'}`),
    ]
  },
}

export const paidInFull: Check = {
  name: 'Every purchase without an administrator decision was paid exactly, from its own wallet',
  async run(em) {
    const rows = await sql<{ id: string; amount: string; paid: string; strangers: number }>(
      em,
      `select * from (
         select p.id, p.amount, coalesce(sum(d.amount), 0) as paid, count(*) filter (where d.sender <> p.wallet)::int as strangers
         from purchases p left join deposits d on d.purchase_id = p.id and coalesce(state_before_orphaned, state) in ('matched', 'assigned')
         where p.status = 'confirmed' and p.amount > 0 and not owed_deposit and not ${DECIDED_BY_HAND} group by p.id
       ) sums where paid <> amount or strangers > 0 order by id`,
    )
    return rows.map(({ id, amount, paid, strangers }) =>
      strangers > 0
        ? `purchase ${id} was paid from another wallet`
        : `purchase ${id} costs ${usdt(amount)}, and ${usdt(paid)} was paid`,
    )
  },
}

export const depositStates: Check = {
  name: 'The columns of every payment match its state, and its recipient is a deposit address',
  async run(em) {
    const rows = await sql<{ id: string; state: string; fault: string }>(
      em,
      `select * from (
         select id, state, case
           when state = 'orphaned' and state_before_orphaned is null then 'has no earlier state'
           when state_before_orphaned is not null and state not in ('orphaned', 'ignored') then 'has the earlier state ' || state_before_orphaned
           when num_nulls(block_number, block_hash, block_time, log_index) not in (0, 4) then 'has an incomplete block'
           when block_number is null and state not in ('seen', 'orphaned') and state_before_orphaned is null then 'has no block'
           when (decided = 'review') <> (review_reason is not null) then 'has ' || coalesce('the review reason ' || review_reason, 'no review reason')
           when (decided in ('matched', 'assigned', 'refunded', 'ignored')) <> (closed_at is not null)
             then 'has ' || coalesce('the closing time ' || closed_at, 'no closing time')
           when not exists (select from deposit_addresses where address = recipient) then 'went to ' || recipient || ', which is no deposit address'
           end as fault
         from (select *, coalesce(state_before_orphaned, state) as decided from deposits) d
       ) faults where fault is not null order by id`,
    )
    return rows.map(({ id, state, fault }) => `deposit ${id} is ${state} and ${fault}`)
  },
}
