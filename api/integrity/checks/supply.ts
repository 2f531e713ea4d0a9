import { sql } from '#api/platform/db/sql.ts'
import type { Check } from '../Check.ts'

export const supply: Check = {
  name: 'The supply counts match the nodes and the held quantities',
  async run(em) {
    const rows = await sql<{ what: string; counted: number; rows: number }>(
      em,
      `select * from (
         select 'paid nodes' as what, paid as counted, (select count(*) from nodes where kind = 'paid')::int as rows from supply
         union all select 'bonus nodes', bonus, (select count(*) from nodes where kind = 'bonus')::int from supply
         union all select 'held nodes', reserved, (select coalesce(sum(held_quantity), 0) from purchases)::int from supply
       ) counts where counted <> rows`,
    )
    return rows.map(({ what, counted, rows }) => `supply says ${counted} ${what}, the rows say ${rows}`)
  },
}

export const purchasedNodes: Check = {
  name: 'Every confirmed purchase owns its nodes, and every other purchase owns none',
  async run(em) {
    const rows = await sql<{ id: string; status: string; due: number; owned: number }>(
      em,
      `select * from (
         select id, status, case when status = 'confirmed' then coalesce(final_quantity, 0) else 0 end as due, coalesce(owned, 0) as owned
         from purchases left join (select purchase_id, count(*)::int as owned from nodes group by purchase_id) n on purchase_id = id
       ) counts where due <> owned`,
    )
    const strangers = await sql<{ number: number; fault: string }>(
      em,
      `select number, case
         when p.id is null then 'has no purchase'
         when n.user_id <> p.user_id then 'belongs to another user than its purchase'
         else 'is ' || n.kind || ', but its purchase is not' end as fault
       from nodes n left join purchases p on p.id = n.purchase_id
       where p.id is null or n.user_id <> p.user_id or (n.kind = 'bonus') <> (p.amount = 0) order by number`,
    )
    return [
      ...rows.map(({ id, status, due, owned }) => `purchase ${id} (${status}) is due ${due} nodes and owns ${owned}`),
      ...strangers.map(({ number, fault }) => `node ${number} ${fault}`),
    ]
  },
}

export const nodeNumbers: Check = {
  name: 'The nodes and the held quantities do not exceed the supply, and every node number is within it',
  async run(em) {
    const rows = await sql<{ difference: string }>(
      em,
      `select nodes || ' nodes exist and ' || held || ' are held, of ' || total as difference
       from supply, (select count(*) as nodes from nodes) n, (select coalesce(sum(held_quantity), 0) as held from purchases) h
       where nodes + held > total
       union all
       select 'node ' || number || ' is not between 1 and ' || total from nodes, supply where number not between 1 and total order by 1`,
    )
    return rows.map(({ difference }) => difference)
  },
}
