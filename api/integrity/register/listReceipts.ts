import type { EntityManager } from '@mikro-orm/postgresql'
import type { Output } from '#shared/contract/endpoint.ts'
import type * as contract from '#shared/contract/register.ts'
import { query } from '#api/entities/tables.ts'

/** Receipts in one answer. */
const PAGE_SIZE = 200

/** The signed receipts of an account behind a position. */
export async function listReceipts(
  em: EntityManager,
  { userId, after }: { userId: string; after: number },
): Promise<Output<typeof contract.listReceipts>> {
  const rows = await query(em)
    .selectFrom('register_receipts')
    .select(['position', 'note'])
    .where('user', '=', userId)
    .where('position', '>', after)
    .orderBy('position')
    .limit(PAGE_SIZE + 1)
    .execute()
  const receipts = rows.slice(0, PAGE_SIZE).map(({ position, note }) => ({ position: position!, note: note! }))
  return { receipts, more: rows.length > PAGE_SIZE }
}
