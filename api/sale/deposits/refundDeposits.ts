import { type EntityManager, ref } from '@mikro-orm/postgresql'
import type { Hash } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import type { ReceiptTransfer } from '#api/platform/chain/readAgreedReceipt.ts'
import type { MinedTransaction } from '#api/platform/chain/readTransaction.ts'
import { lockOf, lockUntilCommit } from '#api/platform/db/advisoryLocks.ts'
import { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import { refusal } from '#api/platform/errors.ts'
import { sentence } from '#api/platform/mail/sentence.ts'
import type { Services } from '#api/platform/services.ts'
import { isOpen } from '../purchases/decidePurchase.ts'
import { findConcerned } from '../purchases/findPayer.ts'
import type { ReviewedDeposits } from './decideDeposits.ts'
import { purchaseOpen, refundNotFound, refundUnsuitable, refundUsed } from './errors.ts'
import { notifyOwners } from '#api/accounts/inbox/notifyOwners.ts'

/** A refund that an administrator reports. */
interface Refund {
  hash: Hash
  /** The transaction as read from the chain; null if the chain does not have it. */
  found: MinedTransaction | null
  /** Why the refund is smaller than the deposit. */
  reason: string | undefined
}

/**
 * Closes deposits that were refunded by one transaction, each by its own transfer.
 *
 * @throws 409 as `refundDeposit`; `purchase_open` for a part of an open purchase, which the rest of the money would complete with what was sent back.
 */
export async function refundDeposits(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  { deposits, formerOf }: Pick<ReviewedDeposits, 'deposits' | 'formerOf'>,
  refund: Refund,
): Promise<Awaited<ReturnType<typeof refundDeposit>>[]> {
  if (deposits.some((deposit) => deposit.reviewReason === 'underpaid' && isOpen(formerOf(deposit)))) throw purchaseOpen()
  const facts: Awaited<ReturnType<typeof refundDeposit>>[] = []
  // Smallest first, because a transfer may refund a deposit only if it is not larger than the deposit.
  for (const deposit of deposits.toSorted((a, b) => (a.amount < b.amount ? -1 : 1)))
    facts[deposits.indexOf(deposit)] = await refundDeposit(em, services, { deposit, purchase: formerOf(deposit) }, refund)
  return facts
}

/**
 * Closes a deposit that was refunded by a final transfer of USDT to its sender, after the deposit, of at most its amount. A transaction may
 * refund several deposits, each by its own transfer.
 *
 * @returns the audit log's details. @throws 409 with the reason if the transaction does not fit.
 */
async function refundDeposit(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  { deposit, purchase }: { deposit: Deposit; purchase: Purchase | undefined },
  { hash, found, reason: given }: Refund,
): Promise<{ refundedAmount: string; reason: string | undefined }> {
  // Serializes two deposits closed with the same transaction, so that the second sees the first.
  await lockUntilCommit(em, lockOf(hash, 11))
  const claimed = findClaimed(found, await em.find(Deposit, { refundHash: hash }, { refresh: true }))
  const { amount, ordinal } = chooseTransfer(deposit, { hash, found, claimed })
  const reason = amount < deposit.amount ? given : undefined
  if (amount < deposit.amount && !reason)
    throw refusal(
      409,
      'reason_required',
      `This transaction returns ${formatAmount(amount)} of ${formatAmount(deposit.amount)} USDT. Please enter the reason for the difference.`,
    )

  Object.assign(deposit, {
    state: 'refunded',
    reviewReason: null,
    refundHash: hash,
    refundOrdinal: ordinal,
    refundedAmount: amount,
    notes: [deposit.notes, reason].filter(Boolean).join('\n'),
    closedAt: services.clock.now(),
  })
  const { payer, claimants } = await findConcerned(em, deposit, purchase)
  if (payer) deposit.user = ref(payer)
  await em.flush()
  const amounts = { paid: formatAmount(deposit.amount), amount: formatAmount(amount) }
  const transactions = [
    ['Refund', hash],
    ['Payment', deposit.transactionHash],
  ] as const
  await notifyOwners(em, services, {
    topic: 'payments',
    messages: [
      ...(payer
        ? [
            {
              to: payer,
              cause: `payment_refunded:${deposit.id}`,
              link: '/history',
              subject: sentence('{amount} USDT was sent back to you', { amount: amounts.amount }),
              paragraphs: [
                sentence(
                  'Your payment of {paid} USDT could not be used for a purchase. {amount} USDT was sent back to the wallet it came from.',
                  amounts,
                ),
              ],
              facts: [['Wallet', deposit.sender] as const, ...transactions, ...(reason ? [['Reason', reason] as const] : [])],
            },
          ]
        : []),
      ...claimants.map(({ user, purchaseId }) => ({
        to: user,
        cause: `payment_refunded:${deposit.id}`,
        link: '/history',
        subject: 'A payment for your purchase was sent back' as const,
        paragraphs: [
          sentence(
            'A payment of {paid} USDT for your purchase could not be used. {amount} USDT was sent back to the wallet it came from.',
            amounts,
          ),
          'If you sent it from an exchange, ask the exchange to credit it to you.' as const,
        ],
        facts: [...transactions, ['Purchase', purchaseId] as const],
      })),
    ],
  })
  return { refundedAmount: formatAmount(amount), reason }
}

/** The transfers of the transaction that have refunded other deposits. */
function findClaimed(found: MinedTransaction | null, refunded: readonly Deposit[]): Set<number> {
  const claimed = new Set(refunded.flatMap(({ refundOrdinal }) => refundOrdinal ?? []))
  // Refunds of earlier releases do not store the transfer. The first of the same recipient and amount counts as theirs.
  for (const { sender, refundedAmount } of refunded.filter(({ refundOrdinal }) => typeof refundOrdinal !== 'number')) {
    const transfer = found?.transfers.find(
      ({ ordinal, recipient, amount }) => recipient === sender && amount === refundedAmount && !claimed.has(ordinal),
    )
    if (transfer) claimed.add(transfer.ordinal)
  }
  return claimed
}

/** The refunding transfer: the largest unused one to the sender that does not exceed the deposit. */
function chooseTransfer(
  deposit: Deposit,
  { hash, found, claimed }: { hash: Hash; found: MinedTransaction | null; claimed: ReadonlySet<number> },
): ReceiptTransfer {
  if (!found) throw refundNotFound()
  if (!found.succeeded) throw refundUnsuitable('This transaction failed.')
  if (!found.isFinal) throw refundUnsuitable('This transaction is not final yet. Please try again in a moment.')
  const { sender, blockNumber, logIndex } = deposit
  if (typeof blockNumber !== 'bigint' || found.blockNumber < blockNumber)
    throw refundUnsuitable('This transaction is older than the deposit.')
  // A transfer of a wallet to itself refunds nothing.
  const toSender = found.transfers.filter(
    (transfer) => transfer.recipient === sender && transfer.sender !== sender && transfer.amount > 0n,
  )
  if (toSender.length === 0) throw refundUnsuitable(`This transaction transfers no USDT to ${sender}, the sender of the deposit.`)
  const later = toSender.filter(
    (transfer) => found.blockNumber > blockNumber || (hash !== deposit.transactionHash && transfer.logIndex > logIndex!),
  )
  if (later.length === 0) throw refundUnsuitable('This transaction is older than the deposit.')
  const left = later.filter(({ ordinal }) => !claimed.has(ordinal))
  if (left.length === 0) throw refundUsed()
  const [most] = left.filter(({ amount }) => amount <= deposit.amount).toSorted((a, b) => (a.amount < b.amount ? 1 : -1))
  if (!most)
    throw refundUnsuitable(`This transaction transfers more than the ${formatAmount(deposit.amount)} USDT of the deposit.`)
  return most
}
