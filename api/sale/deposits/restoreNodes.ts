import type { EntityManager } from '@mikro-orm/postgresql'
import { type MinedTransaction, readTransaction } from '#api/platform/chain/readTransaction.ts'
import type { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import type { Config } from '#api/platform/config.ts'
import { query } from '#api/entities/tables.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import { nothingToRestore } from './errors.ts'
import { rereadNow } from './rereads.ts'
import { thawNodes } from './thawNodes.ts'

export const hasPaid = ({ stateBeforeOrphaned }: Deposit): boolean =>
  stateBeforeOrphaned === 'matched' || stateBeforeOrphaned === 'assigned'

/**
 * Reads the transaction of an orphaned deposit that paid for no nodes, before the database transaction. Null for any other deposit.
 *
 * @throws 503 `chain_unavailable` while two hosts do not agree on it.
 */
export async function readRemined(
  em: EntityManager,
  {
    id,
    endpoints,
    config,
  }: { id: string; endpoints: readonly RpcEndpoint[]; config: Pick<Config, 'USDT_ADDRESS' | 'PAYMENT_CONFIRMATIONS'> },
): Promise<MinedTransaction | null> {
  const deposit = await em.findOne(Deposit, { id, state: 'orphaned' })
  if (!deposit || hasPaid(deposit)) return null
  const { USDT_ADDRESS: token, PAYMENT_CONFIRMATIONS: confirmations } = config
  return readTransaction(endpoints, { hash: deposit.transactionHash, token, confirmations })
}

/**
 * Thaws nodes whose payment, or a part of it, has vanished from the chain. The vanished deposit becomes a transfer without a block that is
 * kept for its purchase. If it is mined again, it pays for that one; so does another transfer of that wallet and amount instead
 * (`replaceKept`). A purchase of which no payment is left is owed one, like one confirmed without a payment (money.md 9). The caller has
 * locked both rows.
 *
 * @returns the audit log's details.
 * @throws 409 `nothing_to_restore` for a deposit that paid for no nodes, such as a refunded one: mined again, it would be settled a second time.
 */
export async function restoreNodes(
  em: EntityManager,
  services: MailServices,
  { deposit, purchase, remined }: { deposit: Deposit; purchase: Purchase | undefined; remined: MinedTransaction | null },
): Promise<{ purchaseId: string | null }> {
  if (!hasPaid(deposit) && !(await isAnother(em, deposit, remined))) throw nothingToRestore()
  // The transaction was mined again. Its block is read again to find what it transfers now.
  if (typeof deposit.blockNumber === 'bigint') await rereadNow(em, deposit.blockNumber)
  Object.assign(deposit, {
    state: 'seen',
    stateBeforeOrphaned: null,
    reviewReason: null,
    purchase: null,
    // Mined again with other transfers, it pays for what it is then (`verifyTransactions`).
    keptFor: hasPaid(deposit) && purchase?.status === 'confirmed' ? purchase.id : null,
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
    await thawNodes(em, services, { purchaseIds: [purchase.id], state: 'restored' })
  }
  return { purchaseId: purchase?.id ?? null }
}

/** Whether its transaction is final in the block that was read, with another transfer in its place. */
async function isAnother(em: EntityManager, deposit: Deposit, remined: MinedTransaction | null): Promise<boolean> {
  if (!remined?.isFinal || remined.blockHash !== deposit.blockHash) return false
  const addresses = await query(em).selectFrom('deposit_addresses').select('address').execute()
  const ours = remined.transfers.filter(({ recipient }) => addresses.some(({ address }) => address === recipient))
  const transfer = ours[deposit.ordinal]
  return transfer !== undefined && (['sender', 'recipient', 'amount'] as const).some((key) => transfer[key] !== deposit[key])
}
