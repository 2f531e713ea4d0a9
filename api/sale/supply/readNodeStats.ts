import type { EntityManager } from '@mikro-orm/postgresql'
import type { NodeStats } from '#shared/contract/nodes.ts'
import { query } from '#api/entities/tables.ts'

/** The sold and remaining nodes, from maintained counters instead of a count. */
export async function readNodeStats(em: EntityManager): Promise<NodeStats> {
  const { total, paid, bonus, reserved } = await query(em)
    .selectFrom('supply')
    .select(['total', 'paid', 'bonus', 'reserved'])
    .where('id', '=', 1)
    .executeTakeFirstOrThrow()
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
