import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hash } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import type { ReceiptTransfer } from '#api/platform/chain/readAgreedReceipt.ts'
import type { MinedTransaction } from '#api/platform/chain/readTransaction.ts'
import { lockOf, lockUntilCommit } from '#api/platform/db/advisoryLocks.ts'
import { query } from '#api/entities/tables.ts'
import type { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import type { DomainError } from '#api/platform/errors.ts'
import type { Services } from '#api/platform/services.ts'
import { confirmByHand } from './confirmByHand.ts'
import { type OpenPurchase, requireNoneArriving } from './decidePurchase.ts'
import { hashUsed, transactionForeign, transactionNotFound, transactionUnsuitable } from './errors.ts'
import { markMatched } from './markMatched.ts'
import { findOwnerObjection } from './findOwnerObjection.ts'

export interface NamedTransaction {
  hash: Hash
  /** The transaction as read from the chain; null if the chain does not have it. */
  found: MinedTransaction | null
  /** Confirms even if the transaction does not fit. */
  override: boolean
}

/** A transfer of the transaction to one of our addresses, and its deposit if it was read already. */
interface Candidate {
  sender: Address
  amount: bigint
  row: Deposit | undefined
}

/**
 * Confirms a purchase with the transaction that an administrator names. If its deposit is known, the deposit is matched. Otherwise the
 * purchase stays owed it, and the watcher attaches it later without allocating nodes.
 *
 * @returns the objection that was overridden, if there was one.
 * @throws 409 `transaction_used` always; `transaction_not_found` and `transaction_foreign` unless overridden; `insufficient_supply`;
 * `request_in_progress` while another payment is not final.
 */
export async function confirmWithTransaction(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  { purchase, deposits }: OpenPurchase,
  { hash, found, override }: NamedTransaction,
): Promise<DomainError | undefined> {
  const rows = deposits.filter(({ transactionHash }) => transactionHash === hash)
  await refuseUsed(em, { hash, purchase, rows })
  const candidates = await findCandidates(em, { found, rows })
  const exact = candidates.filter(({ sender, amount }) => sender === purchase.wallet && amount === purchase.amount)
  const own = candidates.filter(({ sender }) => sender === purchase.wallet)
  const choice = [exact, own, candidates].find(({ length }) => length > 0) ?? []
  const senders = choice.map(({ sender }) => sender)
  const objection =
    (await findOwnerObjection(em, purchase, senders)) ??
    (exact.length > 0 ? undefined : objectTo(purchase, { found, candidates, rows }))
  if (objection && !override) throw objection

  const row = choice.find((candidate) => candidate.row?.purchase?.id === purchase.id)?.row ?? choice.find(({ row }) => row)?.row
  const others = deposits.filter((deposit) => (row ? deposit !== row : deposit.transactionHash !== hash))
  requireNoneArriving(purchase, others)
  purchase.confirmedAgainstChain = objection !== undefined
  await confirmByHand(em, services, purchase, { hash, deposits: row ? [row] : [] })
  if (row) markMatched(row, purchase, services.clock.now())
  return objection
}

const isOpen = ({ state, blockNumber }: Deposit): boolean => (state === 'seen' && blockNumber !== null) || state === 'review'

/** Refuses a transaction whose deposits are all closed, or which has confirmed another purchase. */
async function refuseUsed(
  em: EntityManager,
  { hash, purchase, rows }: { hash: Hash; purchase: Purchase; rows: readonly Deposit[] },
): Promise<void> {
  // Serializes two purchases confirmed with the same transaction, so that the second sees the first.
  await lockUntilCommit(em, lockOf(hash, 10))
  const decided = rows.filter(({ state }) => state !== 'seen' && state !== 'review')
  if (decided.length > 0 && decided.length === rows.length) throw hashUsed()
  const others = await query(em)
    .selectFrom('purchases')
    .select('owedDeposit')
    .where('transactionHash', '=', hash)
    .where('id', '<>', purchase.id)
    .where('status', '=', 'confirmed')
    .execute()
  // A transaction may contain several transfers to us, and one of them may still be unused.
  const isLeft = rows.some(isOpen) && others.every((other) => !other.owedDeposit)
  if (others.length > 0 && !isLeft) throw hashUsed()
}

/** The row's ordinal too: matched with another one, the transfer would be read again as a second payment (money.md 1). */
const isConfirmedByChain = (
  { blockHash, ordinal, logIndex, sender, recipient, amount }: Deposit,
  { found, ours }: { found: MinedTransaction | null; ours: readonly ReceiptTransfer[] },
): boolean => {
  const transfer = ours[ordinal]
  return (
    transfer !== undefined &&
    found?.blockHash === blockHash &&
    transfer.logIndex === logIndex &&
    transfer.sender === sender &&
    transfer.recipient === recipient &&
    transfer.amount === amount
  )
}

async function findCandidates(
  em: EntityManager,
  { found, rows }: { found: MinedTransaction | null; rows: readonly Deposit[] },
): Promise<Candidate[]> {
  const addresses = await query(em).selectFrom('deposit_addresses').select('address').execute()
  const recipients = new Set(addresses.map(({ address }) => address))
  const ours = found?.transfers.filter(({ recipient }) => recipients.has(recipient)) ?? []
  // A deposit that is not settled yet has been read from one endpoint only, which may be wrong.
  if (rows.length > 0)
    return rows
      .filter((row) => isOpen(row) && isConfirmedByChain(row, { found, ours }))
      .map((row) => ({ sender: row.sender, amount: row.amount, row }))
  return ours.filter(({ amount }) => amount > 0n).map(({ sender, amount }) => ({ sender, amount, row: undefined }))
}

function objectTo(
  purchase: Purchase,
  { found, candidates, rows }: { found: MinedTransaction | null; candidates: readonly Candidate[]; rows: readonly Deposit[] },
): DomainError {
  if (candidates.length === 0) {
    if (!found) return transactionNotFound()
    if (!found.succeeded) return transactionUnsuitable('This transaction failed.')
    if (rows.some(isOpen))
      return transactionUnsuitable('The payment chain does not show this deposit as recorded. Please try again in a moment.')
    return transactionUnsuitable(
      found.transfers.length === 0
        ? 'This transaction transfers no USDT.'
        : 'This transaction transfers USDT to an address other than the deposit address.',
    )
  }
  const own = candidates.filter(({ sender }) => sender === purchase.wallet)
  if (own.length === 0) return transactionForeign()
  return transactionUnsuitable(
    `This transaction transfers ${formatAmount(own[0]!.amount)} USDT, but the purchase costs ${formatAmount(purchase.amount)} USDT.`,
  )
}
