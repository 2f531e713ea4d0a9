import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { recordFrozenNodes } from '../purchases/recordPurchaseChange.ts'
import { query } from '#api/entities/tables.ts'

/** Thaws the nodes whose deposits are all on the chain again. */
export async function thawNodes(em: EntityManager, purchaseIds: readonly string[]): Promise<void> {
  if (purchaseIds.length === 0) return
  const thawed = await query(em)
    .updateTable('nodes')
    .set({ frozenAt: null })
    .where('nodes.purchase', '=', sql<string>`any(${purchaseIds}::uuid[])`)
    .where('nodes.frozenAt', 'is not', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deposits as d')
            .select('d.id')
            .whereRef('d.purchase', '=', 'nodes.purchase')
            .where('d.stateBeforeOrphaned', 'in', ['matched', 'assigned']),
        ),
      ),
    )
    .returning('nodes.user')
    .execute()
  await recordFrozenNodes(
    em,
    thawed.map(({ user }) => user),
  )
}
