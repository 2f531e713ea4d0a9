import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'

/** Thaws the nodes whose transfers are all on the chain again. */
export async function thawNodes(em: EntityManager, purchaseIds: readonly string[]): Promise<void> {
  if (purchaseIds.length === 0) return
  await sql(
    em,
    `update nodes set frozen_at = null where purchase_id = any($1) and frozen_at is not null
       and not exists (select from deposits d where d.purchase_id = nodes.purchase_id and d.state_before_orphaned in ('matched', 'assigned'))`,
    [purchaseIds],
  )
}
