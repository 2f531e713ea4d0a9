import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { query } from '#api/entities/tables.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import { tellFrozen } from './tellFrozen.ts'

/** Thaws the nodes whose deposits are all on the chain again, or kept by an administrator, and tells their owners. */
export async function thawNodes(
  em: EntityManager,
  services: MailServices,
  { purchaseIds, state }: { purchaseIds: readonly string[]; state: 'thawed' | 'restored' },
): Promise<void> {
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
    .returning(['nodes.user', 'nodes.purchase', 'nodes.number'])
    .execute()
  await tellFrozen(em, services, { nodes: thawed, state })
}
