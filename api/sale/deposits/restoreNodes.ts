import type { EntityManager } from '@mikro-orm/postgresql'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { query } from '#api/entities/tables.ts'
import type { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import { nothingToRestore } from './errors.ts'
import { thawNodes } from './thawNodes.ts'

/**
 * Thaws nodes whose payment, or a part of it, has vanished from the chain. The vanished deposit becomes a transfer without a block that is
 * kept for its purchase. If it is mined again, it pays for that one; so does another transfer of that wallet and amount instead. A purchase
 * of which no payment is left is owed one, like one confirmed without a payment (money.md 9). The caller has locked both rows.
 *
 * @returns the audit log's details.
 * @throws 409 `nothing_to_restore` for a deposit that paid for no nodes, such as a refunded one: mined again, it would be settled a second time.
 */
export async function restoreNodes(
  em: EntityManager,
  { deposit, purchase }: { deposit: Deposit; purchase: Purchase | undefined },
): Promise<{ purchaseId: string | null }> {
  const { stateBeforeOrphaned } = deposit
  const hasPaid = stateBeforeOrphaned === 'matched' || stateBeforeOrphaned === 'assigned'
  if (!hasPaid && !(await wasReadAgain(em, deposit))) throw nothingToRestore()
  // The transaction was mined again with other transfers, which the second reading will find.
  if (typeof deposit.blockNumber === 'bigint') await rereadFrom(em, deposit.blockNumber)
  Object.assign(deposit, {
    state: 'seen',
    stateBeforeOrphaned: null,
    reviewReason: null,
    purchase: null,
    // Mined again with other transfers, it pays for what it is now.
    keptFor: deposit.blockNumber === null && purchase?.status === 'confirmed' ? purchase.id : null,
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

/** Whether its transaction is final again. One with the same transfer is then no longer orphaned. */
async function wasReadAgain(em: EntityManager, { blockNumber }: Deposit): Promise<boolean> {
  if (typeof blockNumber !== 'bigint') return false
  const { verifiedNumber } = await query(em)
    .selectFrom('chain_progress')
    .select('verifiedNumber')
    .where('chainId', '=', PAYMENT_CHAIN_ID)
    .executeTakeFirstOrThrow()
  return blockNumber <= verifiedNumber
}

/** Makes the second reading repeat from this block on. */
const rereadFrom = (em: EntityManager, block: bigint) =>
  query(em)
    .updateTable('chain_progress')
    .set((eb) => ({ verifiedNumber: eb.fn<bigint>('least', ['verifiedNumber', eb.val(block - 1n)]) }))
    .where('chainId', '=', PAYMENT_CHAIN_ID)
    .execute()
