import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { NODES_PER_PAGE, type NodeRun } from '#shared/contract/nodes.ts'
import { query } from '#api/entities/tables.ts'

/** The allocated nodes of each page of the supply, as runs of consecutive numbers of the same kind and day. */
export async function readNodePages(em: EntityManager, total: number): Promise<NodeRun[][]> {
  const runs = await query(em)
    .with('days', (db) =>
      db
        .selectFrom('nodes as n')
        .select(({ ref }) => ['n.number', 'n.kind', sql<string>`(${ref('n.allocatedAt')} at time zone 'UTC')::date`.as('day')]),
    )
    // Consecutive numbers have the same difference to their row number.
    .with('numbered', (db) =>
      db
        .selectFrom('days as d')
        .select(({ fn, ref }) => [
          'd.number',
          'd.kind',
          'd.day',
          sql<number>`(${ref('d.number')} - 1) / ${NODES_PER_PAGE}::int`.as('page'),
          sql<number>`${ref('d.number')} - ${fn.agg('row_number').over((it) => it.partitionBy(['d.kind', 'd.day']).orderBy('d.number'))}`.as(
            'run',
          ),
        ]),
    )
    .selectFrom('numbered as r')
    .select(({ fn }) => ['r.page', fn.min('r.number').as('first'), fn.countAll<number>().as('count'), 'r.kind', 'r.day'])
    .groupBy(['r.page', 'r.kind', 'r.day', 'r.run'])
    .orderBy('first')
    .execute()
  const pages = Array.from({ length: Math.ceil(total / NODES_PER_PAGE) }, (): NodeRun[] => [])
  for (const { page, ...run } of runs) pages[page]?.push(run)
  return pages
}
