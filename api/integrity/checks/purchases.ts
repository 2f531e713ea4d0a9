import { settingDefaults } from '#shared/settings.ts'
import { sql } from '#api/platform/db/sql.ts'
import { PRICE_TOLERANCE } from '#api/sale/purchases/amountDue.ts'
import type { Check } from '../Check.ts'
import { DECIDED_BY_HAND } from './decidedByHand.ts'
import { usdt } from './amounts.ts'

/** An administrator may sell at another price; the audit log records it. A price counts for a moment after it was changed. */
export const purchaseAmounts: Check = {
  name: 'Every purchase costs its quantity times the price at its time, unless an administrator decided otherwise',
  async run(em) {
    const rows = await sql<{ id: string; amount: string; quantity: number; price: string; due: string }>(
      em,
      `select * from (
         select id, amount, requested_quantity as quantity, unit_price as price, opened_at, coalesce((
           select round(value::numeric * 1e18) from setting_changes where key = 'node_price_usdt' and effective_at <= opened_at
           order by effective_at desc, id desc limit 1
         ), round($1::text::numeric * 1e18)) as due
         from purchases p where status = 'confirmed' and amount > 0 and not ${DECIDED_BY_HAND}
       ) prices where amount <> quantity * price or price <> due and price <> all(
         select round(value::numeric * 1e18) from (
           select value, effective_at, lead(effective_at) over (order by effective_at, id) as changed_at from (
             select id, value, effective_at from setting_changes where key = 'node_price_usdt'
             union all select null, $1::text, '-infinity'
           ) changes
         ) history where effective_at <= opened_at and changed_at > opened_at - $2 * interval '1 ms'
       )
       union all
       select id, amount, requested_quantity, unit_price, opened_at, unit_price from purchases
       where amount < 0 or unit_price < 0 or amount < requested_quantity * unit_price
         or amount >= requested_quantity * (unit_price + 1) and amount > 0
       order by 1`,
      [settingDefaults.node_price_usdt, PRICE_TOLERANCE],
    )
    return rows.map(
      ({ id, amount, quantity, price, due }) =>
        `purchase ${id} costs ${usdt(amount)} for ${quantity} nodes at ${usdt(price)}; the price was ${usdt(due)}`,
    )
  },
}

export const purchaseStates: Check = {
  name: 'The columns of every purchase match its state, and only open or paid purchases hold supply',
  async run(em) {
    const rows = await sql<{ id: string; status: string; fault: string }>(
      em,
      `select * from (
         select id, status, case
           when (status = 'confirmed') <> (confirmed_at is not null) then 'has ' || coalesce('the confirmation time ' || confirmed_at, 'no confirmation time')
           when status = 'confirmed' and final_quantity is distinct from requested_quantity
             then 'has ' || coalesce(final_quantity, 0) || ' nodes of ' || requested_quantity
           when status in ('cancelled', 'failed') and closed_at is null then 'has no closing time'
           when status = 'reserved' and held_quantity = 0 then 'holds nothing'
           when status in ('confirmed', 'cancelled', 'failed') and held_quantity > 0 then 'still holds ' || held_quantity || ' nodes'
           when status = 'manual_review' and held_quantity > 0 and amount > (
             select coalesce(sum(d.amount), 0) from deposits d where d.purchase_id = p.id and d.sender = p.wallet
               and coalesce(state_before_orphaned, state) in ('matched', 'review')
           ) then 'holds ' || held_quantity || ' nodes that are not paid'
           when deposit_address is not null and not exists (select from deposit_addresses where address = deposit_address)
             then 'asks for payment to ' || deposit_address || ', which is no deposit address'
           end as fault
         from purchases p
       ) faults where fault is not null order by id`,
    )
    return rows.map(({ id, status, fault }) => `purchase ${id} (${status}) ${fault}`)
  },
}
