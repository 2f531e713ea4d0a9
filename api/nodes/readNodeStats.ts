import type { EntityManager } from '@mikro-orm/postgresql'
import type { NodeStats } from '#shared/contract/nodes.ts'
import { sql } from '../db/sql.ts'

/** How much is sold. Maintained numbers of one row, never counted. */
export async function readNodeStats(em: EntityManager): Promise<NodeStats> {
  const [row] = await sql<{ total: number; sold: number }>(
    em,
    'select total, paid + bonus + reserved as sold from supply where id = 1',
  )
  if (!row) throw new Error('The supply row is missing.')
  const { total, sold } = row
  return { total, totalSold: sold, remaining: total - sold, progress: Math.floor((sold / total) * 10_000) / 100 }
}
