import type { EntityManager } from '@mikro-orm/postgresql'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { query } from '#api/entities/tables.ts'
import type { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import { thawNodes } from './thawNodes.ts'

/**
 * Lets nodes earn again whose payment has vanished from the chain: their purchase is owed a deposit, as one that was confirmed without
 * (money.md 9). The vanished one is a transfer in no block again. Should it be mined after all, it is settled like any other, and pays
 * what is owed first; so does another transfer of that wallet and amount. The caller has locked both rows.
 *
 * @returns what the audit log keeps.
 */
export async function restoreNodes(
  em: EntityManager,
  { deposit, purchase }: { deposit: Deposit; purchase: Purchase | undefined },
): Promise<{ purchaseId: string | null }> {
  // Mined again as something else: what that is, the second reading finds out.
  if (typeof deposit.blockNumber === 'bigint') await rereadFrom(em, deposit.blockNumber)
  Object.assign(deposit, {
    state: 'seen',
    stateBeforeOrphaned: null,
    reviewReason: null,
    purchase: null,
    closedAt: null,
    blockNumber: null,
    blockHash: null,
    blockTime: null,
    logIndex: null,
  })
  await em.flush()
  if (purchase?.status === 'confirmed') {
    const paid = await query(em)
      .selectFrom('deposits')
      .select('id')
      .where('purchase', '=', purchase.id)
      .where((eb) => eb(eb.fn.coalesce('stateBeforeOrphaned', 'state'), 'in', ['matched', 'assigned']))
      .limit(1)
      .executeTakeFirst()
    purchase.owedDeposit = !paid
    await em.flush()
    await thawNodes(em, [purchase.id])
  }
  return { purchaseId: purchase?.id ?? null }
}

/** Has the second reading look at a block, and those after it, once more. */
const rereadFrom = (em: EntityManager, block: bigint) =>
  query(em)
    .updateTable('chain_progress')
    .set((eb) => ({ verifiedNumber: eb.fn<bigint>('least', ['verifiedNumber', eb.val(block - 1n)]) }))
    .where('chainId', '=', PAYMENT_CHAIN_ID)
    .execute()
