import { sql } from '../../db/sql.ts'
import type { Check } from '../Check.ts'

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
