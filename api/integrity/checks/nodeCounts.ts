import { sql } from '#api/platform/db/sql.ts'
import type { Check } from '../Check.ts'

/** The weekly bonus is computed from these counts. */
export const nodeCounts: Check = {
  name: 'The node counts of each account match its nodes',
  async run(em) {
    const rows = await sql<{ id: string; said: string; counted: string }>(
      em,
      `select u.id, concat(c.paid, ' paid, ', c.bonus, ' bonus') as said,
         concat(coalesce(n.paid, 0), ' paid, ', coalesce(n.bonus, 0), ' bonus') as counted
       from users u left join node_counts c on c.user_id = u.id
       left join (
         select user_id, count(*) filter (where kind = 'paid') as paid, count(*) filter (where kind = 'bonus') as bonus
         from nodes group by user_id
       ) n on n.user_id = u.id
       where (c.paid, c.bonus) is distinct from (coalesce(n.paid, 0)::int, coalesce(n.bonus, 0)::int) order by u.id`,
    )
    return rows.map(({ id, said, counted }) => `account ${id}: the counts say ${said}, the nodes say ${counted}`)
  },
}
