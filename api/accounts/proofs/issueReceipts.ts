import type { EntityManager } from '@mikro-orm/postgresql'
import { ensureProofKeys, type ProofServices } from './ensureProofKeys.ts'
import { type NewReceipt, storeReceipts } from './storeReceipts.ts'

/** Stores receipts of accounts in the transaction of their cause, while the register is on. */
export async function issueReceipts(
  em: EntityManager,
  services: ProofServices,
  receipts: readonly Omit<NewReceipt, 'accountHash'>[],
): Promise<void> {
  if (!services.config.register || receipts.length === 0) return
  const keys = await ensureProofKeys(
    em,
    services,
    receipts.map(({ userId }) => userId),
  )
  await storeReceipts(
    em,
    services,
    receipts.map((receipt) => ({ ...receipt, accountHash: keys.get(receipt.userId)!.accountHash })),
  )
}
