import type { EntityManager } from '@mikro-orm/postgresql'
import { NODES_PER_PAGE, type NodeRun } from '#shared/contract/nodes.ts'
import { sql } from '#api/platform/db/sql.ts'

/** The allocated nodes of each page of a supply. As SQL text because it groups consecutive numbers by a window function. */
export async function readNodePages(em: EntityManager, total: number): Promise<NodeRun[][]> {
  const runs = await sql<NodeRun & { page: number }>(
    em,
    `select page, min(number) as first, count(*)::int as count, kind, day::text from (
       select number, kind, day, (number - 1) / $1::int as page,
         number - row_number() over (partition by kind, day order by number) as run
       from (select number, kind, (allocated_at at time zone 'UTC')::date as day from nodes) days
     ) numbered
     group by page, kind, day, run order by first`,
    [NODES_PER_PAGE],
  )
  const pages = Array.from({ length: Math.ceil(total / NODES_PER_PAGE) }, (): NodeRun[] => [])
  for (const { page, ...run } of runs) pages[page]?.push(run)
  return pages
}
