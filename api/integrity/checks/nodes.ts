import { sql } from '#api/platform/db/sql.ts'
import type { Check } from '../Check.ts'

/** money.md 23: activation is never early, so no paid day has left out an active node. */
export const nodeTimes: Check = {
  name: 'No node is active before its allocation or within 24 hours of its payment',
  async run(em) {
    const rows = await sql<{ number: number; active_from: string; earliest: string }>(
      em,
      `select number, active_from, earliest from (
         select n.number, n.active_from, greatest(n.allocated_at, d.seen + interval '24 hours') as earliest
         from nodes n left join (
           select purchase_id, min(first_seen_at) as seen from deposits
           where coalesce(state_before_orphaned, state) in ('matched', 'assigned') group by purchase_id
         -- A payment owed to the purchase may arrive after the allocation and does not count.
         ) d on d.purchase_id = n.purchase_id and d.seen <= n.allocated_at
       ) times where active_from < earliest order by number`,
    )
    return rows.map(
      ({ number, active_from, earliest }) =>
        `node ${number} is active from ${new Date(active_from).toISOString()}, before ${new Date(earliest).toISOString()}`,
    )
  },
}

/** money.md 4. */
export const frozenNodes: Check = {
  name: 'Exactly the nodes whose payment was orphaned are frozen',
  async run(em) {
    const rows = await sql<{ number: number; frozen: boolean }>(
      em,
      `select number, frozen_at is not null as frozen from nodes n where (frozen_at is not null) <> exists (
         select from deposits d where d.purchase_id = n.purchase_id and d.state_before_orphaned in ('matched', 'assigned')
       ) order by number`,
    )
    return rows.map(({ number, frozen }) =>
      frozen ? `node ${number} is frozen, but its payment is on the chain` : `node ${number} earns, but its payment was orphaned`,
    )
  },
}
