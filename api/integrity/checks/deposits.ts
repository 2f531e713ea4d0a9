import { formatAmount } from '#shared/amount.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Check } from '../Check.ts'
import { DECIDED_BY_HAND } from './decidedByHand.ts'

/** One payment, one effect (money.md 9 and 10). An orphaned one still stands for what it was. */
export const payments: Check = {
  name: 'Every payment is for one confirmed purchase or went back, and every purchase was paid, or is owed its payment',
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
      ...deposits.map(({ id, state, status }) => `deposit ${id} is ${state}, its purchase ${status ?? 'is none'}`),
      ...purchases.map(({ id, owed }) => `purchase ${id} ${owed ? 'was paid and is owed a deposit' : 'was never paid'}`),
    ]
  },
}

export const paidInFull: Check = {
  name: 'Every purchase that no person has decided on was paid by its own wallet, to the last digit',
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
        ? `purchase ${id} was paid by another wallet than its own`
        : `purchase ${id} costs ${formatAmount(BigInt(amount))} USDT, and ${formatAmount(BigInt(paid))} were paid`,
    )
  },
}

export const depositStates: Check = {
  name: 'Every payment is in one state, with the facts of that state and no other, and went to an address of ours',
  async run(em) {
    const rows = await sql<{ id: string; state: string; fault: string }>(
      em,
      `select * from (
         select id, state, case
           when state = 'orphaned' and state_before_orphaned is null then 'was nothing before'
           when state_before_orphaned is not null and state not in ('orphaned', 'ignored') then 'is said to have been ' || state_before_orphaned
           when num_nulls(block_number, block_hash, block_time, log_index) not in (0, 4) then 'is half in a block'
           when block_number is null and state not in ('seen', 'orphaned') and state_before_orphaned is null then 'is in no block'
           when (decided = 'review') <> (review_reason is not null) then 'has the reason ' || coalesce(review_reason, 'of nobody')
           when (decided in ('matched', 'assigned', 'refunded', 'ignored')) <> (closed_at is not null)
             then 'was closed at ' || coalesce(closed_at::text, 'no time')
           when not exists (select from deposit_addresses where address = recipient) then 'went to ' || recipient || ', which is not ours'
           end as fault
         from (select *, coalesce(state_before_orphaned, state) as decided from deposits) d
       ) faults where fault is not null order by id`,
    )
    return rows.map(({ id, state, fault }) => `deposit ${id} is ${state} and ${fault}`)
  },
}
