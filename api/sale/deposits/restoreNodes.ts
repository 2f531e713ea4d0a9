import type { EntityManager } from '@mikro-orm/postgresql'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { sql } from '#api/platform/db/sql.ts'
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
  if (typeof deposit.blockNumber === 'bigint')
    await sql(em, 'update chain_progress set verified_number = least(verified_number, $2) where chain_id = $1', [
      PAYMENT_CHAIN_ID,
      deposit.blockNumber - 1n,
    ])
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
    const [paid] = await sql(
      em,
      `select from deposits where purchase_id = $1 and coalesce(state_before_orphaned, state) in ('matched', 'assigned') limit 1`,
      [purchase.id],
    )
    purchase.owedDeposit = !paid
    await em.flush()
    await thawNodes(em, [purchase.id])
  }
  return { purchaseId: purchase?.id ?? null }
}
