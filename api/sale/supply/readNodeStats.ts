import type { EntityManager } from '@mikro-orm/postgresql'
import type { NodeStats } from '#shared/contract/nodes.ts'
import { sql } from '#api/platform/db/sql.ts'

/** How much is sold. Maintained numbers of one row, never counted. */
export async function readNodeStats(em: EntityManager): Promise<NodeStats> {
  const [row] = await sql<{ total: number; paid: number; bonus: number; reserved: number }>(
    em,
    'select total, paid, bonus, reserved from supply where id = 1',
  )
  if (!row) throw new Error('The supply row is missing.')
  const { total, paid, bonus, reserved } = row
  const sold = paid + bonus + reserved
  return {
    total,
    totalSold: sold,
    paid,
    bonus,
    reserved,
    remaining: total - sold,
    progress: Math.floor((sold / total) * 10_000) / 100,
  }
}
