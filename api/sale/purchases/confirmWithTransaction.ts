import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hash } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import type { Objection } from '#shared/objections.ts'
import { objectTo } from '#shared/objectionTexts.ts'
import type { ReceiptTransfer } from '#api/platform/chain/readAgreedReceipt.ts'
import type { MinedTransaction } from '#api/platform/chain/readTransaction.ts'
import { lockOf, lockUntilCommit } from '#api/platform/db/advisoryLocks.ts'
import { query } from '#api/entities/tables.ts'
import type { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import type { Services } from '#api/platform/services.ts'
import { readAmountDue } from './amountDue.ts'
import { confirmByHand } from './confirmByHand.ts'
import { type OpenPurchase, requireNoneArriving } from './decidePurchase.ts'
import { hashUsed } from './errors.ts'
import { fitOf } from './fitOf.ts'
import { markMatched } from './markMatched.ts'
import { mayAnyBeRefunded, mayBeRefunded } from './mayBeRefunded.ts'
import { findOwnerObjections, isToTransaction, type Overriding, requireNamed } from './objections.ts'

export interface NamedTransaction {
  hash: Hash
  /** The transaction as read from the chain; null if the chain does not have it. */
  found: MinedTransaction | null
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
 * @returns the objections that were overridden.
 * @throws 409 `transaction_used` always; as `requireNamed`; `insufficient_supply`; `request_in_progress` while another payment is not final.
 */
export async function confirmWithTransaction(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  open: OpenPurchase,
  { hash, found, ...overriding }: NamedTransaction & Overriding,
): Promise<readonly Objection[]> {
  const { purchase, deposits } = open
  const { row, objections } = await weighTransaction(em, open, { hash, found })
  requireNamed(objections, overriding)
  const others = deposits.filter((deposit) => (row ? deposit !== row : deposit.transactionHash !== hash))
  requireNoneArriving(purchase, others)
  purchase.confirmedAgainstChain = objections.some(isToTransaction)
  await confirmByHand(em, services, purchase, { hash, deposits: row ? [row] : [] })
  if (row) markMatched(row, purchase, services.clock.now())
  return objections
}

/**
 * The deposit of the transaction that would be matched, and everything that speaks against the confirmation.
 *
 * @throws 409 `transaction_used`.
 */
export async function weighTransaction(
  em: EntityManager,
  { purchase, deposits }: OpenPurchase,
  { hash, found }: NamedTransaction,
): Promise<{ row: Deposit | undefined; objections: Objection[] }> {
  const rows = deposits.filter(({ transactionHash }) => transactionHash === hash)
  await refuseUsed(em, { hash, purchase, rows })
  const ours = await findOurs(em, found)
  const candidates = findCandidates({ found, ours, rows })
  // As `payByTransaction` chooses among transfers that are not read yet.
  const best = Math.max(...candidates.map((candidate) => fitOf(purchase, candidate)))
  const fitting = candidates.filter((candidate) => fitOf(purchase, candidate) === best)
  const known = fitting.find(({ row }) => row?.purchase?.id === purchase.id) ?? fitting.find(({ row }) => row)
  const choice = known ? [known] : fitting
  const undecided = rows.filter((row) => !isDecided(row))
  // Confirmed in spite of that, it is paid by what the transaction turns out to transfer.
  const expected = [...ours, ...undecided].map(({ sender }) => sender)
  const areSendersKnown = choice.length > 0
  const senders = areSendersKnown ? choice.map(({ sender }) => sender) : [purchase.wallet!, ...expected]
  const deposit = known?.row
  const due = await readAmountDue(em, purchase)
  const isDoubtful = deposit ? await mayBeRefunded(em, [deposit]) : await mayAnyBeRefunded(em, senders)
  return {
    row: deposit,
    objections: [
      ...(areSendersKnown ? objectToTransfers(purchase, choice) : [objectTo(whyNoTransfer(found, rows))]),
      ...(await findOwnerObjections(em, {
        senders,
        areSendersKnown,
        deposits: deposit ? [deposit] : undecided,
        buyer: purchase.user.id,
        hash,
      })),
      ...(purchase.amount < due
        ? [objectTo('below_price', { price: formatAmount(purchase.amount), due: formatAmount(due) })]
        : []),
      ...(isDoubtful ? [objectTo('may_be_refunded')] : []),
    ],
  }
}

/** Paid for a purchase, or does once it is final (money.md 10), or is closed otherwise. */
const isDecided = ({ state, keptFor }: Deposit): boolean => (state !== 'seen' && state !== 'review') || keptFor != null

const isOpen = (deposit: Deposit): boolean => !isDecided(deposit) && deposit.blockNumber !== null

/** Refuses a transaction whose deposits are all closed, or which has confirmed another purchase. */
async function refuseUsed(
  em: EntityManager,
  { hash, purchase, rows }: { hash: Hash; purchase: Purchase; rows: readonly Deposit[] },
): Promise<void> {
  // Serializes two purchases confirmed with the same transaction, so that the second sees the first.
  await lockUntilCommit(em, lockOf(hash, 10))
  if (rows.length > 0 && rows.every(isDecided)) throw hashUsed()
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

/** The transfers of the transaction to us. */
async function findOurs(em: EntityManager, found: MinedTransaction | null): Promise<ReceiptTransfer[]> {
  const addresses = await query(em).selectFrom('deposit_addresses').select('address').execute()
  const recipients = new Set(addresses.map(({ address }) => address))
  return found?.transfers.filter(({ recipient }) => recipients.has(recipient)) ?? []
}

function findCandidates({
  found,
  ours,
  rows,
}: {
  found: MinedTransaction | null
  ours: readonly ReceiptTransfer[]
  rows: readonly Deposit[]
}): Candidate[] {
  // A deposit that is not settled yet has been read from one endpoint only, which may be wrong. One that vanished may be mined again.
  if (rows.some((row) => isDecided(row) || isOpen(row)))
    return rows
      .filter((row) => isOpen(row) && isConfirmedByChain(row, { found, ours }))
      .map((row) => ({ sender: row.sender, amount: row.amount, row }))
  return ours.filter(({ amount }) => amount > 0n).map(({ sender, amount }) => ({ sender, amount, row: undefined }))
}

function whyNoTransfer(found: MinedTransaction | null, rows: readonly Deposit[]) {
  if (!found) return 'transaction_not_found'
  if (!found.succeeded) return 'transaction_failed'
  if (rows.some(isOpen)) return 'transaction_unlike_deposit'
  return found.transfers.length === 0 ? 'transfers_no_usdt' : 'transfers_elsewhere'
}

function objectToTransfers({ wallet, amount: price }: Purchase, choice: readonly Candidate[]): Objection[] {
  const senders = new Set(choice.map(({ sender }) => sender).filter((sender) => sender !== wallet))
  const amounts = new Set(choice.map(({ amount }) => amount).filter((amount) => amount !== price))
  return [
    ...[...senders].map((sender) => objectTo('other_wallet', { wallet: sender })),
    ...[...amounts].map((amount) => objectTo('amount_differs', { received: formatAmount(amount), price: formatAmount(price) })),
  ]
}
