import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hex } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { issueReceipts } from '#api/accounts/proofs/issueReceipts.ts'
import { receiptWait } from '#api/accounts/proofs/receiptMail.ts'
import type { ReceiptFacts } from '#api/accounts/proofs/storeReceipts.ts'
import { newShownId } from '#api/platform/db/newId.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import { sentence, type TranslatableText } from '#api/platform/mail/sentence.ts'
import { consumeStepUpMark, hasStepUpMark, otpRequired } from '#api/accounts/otp/consumeStepUpMark.ts'
import { payoutsLastStoppedAt } from '../payoutWallets/arePayoutsStopped.ts'
import { readWaitStart } from '#api/platform/clock/readWaitStart.ts'
import type { Services } from '#api/platform/services.ts'
import { proveWallet } from '#api/accounts/wallets/setWallet.ts'
import { checkWithdrawalMessage } from './checkWithdrawalMessage.ts'
import { checkWithdrawalSignature, type SignatureFinding } from './checkWithdrawalSignature.ts'
import * as refuse from './errors.ts'
import { findReviewReason, type Review } from './findReviewReason.ts'
import { hashMessage, type NewWithdrawal, openWithdrawal } from './openWithdrawal.ts'
import { requireWithdrawable } from './requireWithdrawable.ts'
import { notifyOwner } from '#api/accounts/inbox/notifyOwners.ts'

export interface WithdrawalRequest {
  user: Owner
  sessionKey: string
  amount: bigint
  signature: Hex
  signedMessage: string
  signerAddress: Address
  /** The site's host as the message must name it. */
  host: string
  clientAddress: string
  /** Real time. */
  now: Date
  productNow: Date
}

/** The terms under which a request passed the checks before its transaction. */
export interface CheckedWithdrawal extends SignatureFinding {
  wallet: Address
  fee: bigint
}

/**
 * All checks that run before the transaction, including the calls to the chains. Those come last, so that only requests with a valid
 * code and message cause any.
 */
export async function checkWithdrawal(
  em: EntityManager,
  services: Pick<Services, 'clock' | 'rewardChain' | 'paymentChain'>,
  { user, sessionKey, amount, signature, signedMessage, signerAddress, host, now }: WithdrawalRequest,
): Promise<CheckedWithdrawal> {
  const { wallet, fee, readAt: dueNow } = await requireWithdrawable(em, services.clock, { userId: user.id, amount, now })
  if (!(await hasStepUpMark(em, { userId: user.id, sessionKey, purpose: 'withdrawal', now }))) throw otpRequired()
  if (signerAddress !== wallet) throw refuse.otherWallet()
  const stoppedAt = await payoutsLastStoppedAt(em)
  checkWithdrawalMessage(signedMessage, { host, email: user.email, amount, fee, wallet, now, dueNow, stoppedAt })
  const finding = await checkWithdrawalSignature(services, { wallet, message: signedMessage, signature })
  return { wallet, fee, ...finding }
}

/**
 * Debits the account and returns the id of the withdrawal, which the worker pays later.
 *
 * Lock order: wallet changes, user, step-up mark, withdrawal, accounts. A concurrent change of wallet or authenticator either waits for
 * this transaction or is visible here.
 */
export async function requestWithdrawal(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'config' | 'clock'>,
  request: WithdrawalRequest,
  checked: CheckedWithdrawal,
): Promise<string> {
  const { user, sessionKey, amount, signature, signedMessage, clientAddress, now, productNow } = request
  const { wallet, fee, isForeign } = checked
  if (checked.provesWallet) await proveWallet(em, services, { user, address: wallet, clientAddress })
  const inForce = await requireWithdrawable(em, services.clock, { userId: user.id, amount, now, lock: true })
  if (inForce.wallet !== wallet) throw refuse.otherWallet()
  if (inForce.fee !== fee) throw refuse.feeChanged(inForce.fee)
  await consumeStepUpMark(em, { userId: user.id, sessionKey, purpose: 'withdrawal', now })

  const review = await findReviewReason(em, {
    userId: user.id,
    wallet,
    amount,
    limit: services.config.PAYOUT_REVIEW_ABOVE,
    isForeign,
    reviewedUntil: inForce.reviewedUntil,
    now: inForce.readAt,
  })
  const id = newShownId()
  const mailId = await notifyOwner(em, services, {
    to: user,
    topic: 'security',
    cause: `withdrawal_requested:${id}`,
    link: '/history',
    subject: sentence('Withdrawal of {amount} XCR requested', { amount: formatAmount(amount, { grouped: true }) }),
    paragraphs: [
      describeState(review),
      ...(review.heldUntil ? (['You can cancel it on the history page until it is paid.'] as const) : []),
      "If this wasn't you, change your password and contact us immediately.",
    ],
    facts: [
      ['Amount', `${formatAmount(amount, { grouped: true })} XCR`],
      ['Fee', `${formatAmount(fee, { grouped: true })} XCR`],
      ['You receive', `${formatAmount(amount - fee, { grouped: true })} XCR`],
      ['Wallet', wallet],
      ...(review.heldUntil ? ([['On hold until', review.heldUntil]] as const) : []),
      ['Withdrawal', id],
      ['Time', now],
      ['IP address', clientAddress],
    ],
    wait: receiptWait(services.config),
  })
  const facts = withdrawalFacts({ amount, fee, toAddress: wallet, signedMessage, productNow })
  await issueReceipts(em, services, [{ userId: user.id, cause: `withdrawal:${id}`, facts, mailId }])
  if (review.heldUntil)
    recordAudit(em, {
      actor: `user:${user.email}`,
      action: 'withdrawal.hold',
      target: `withdrawal:${id}`,
      ipAddress: clientAddress,
      after: review,
    })
  // The limits count it from then on.
  const requestedAt = await readWaitStart(em, now)
  // Last, because every withdrawal contends for the lock of its debit.
  await openWithdrawal(em, {
    id,
    userId: user.id,
    amount,
    fee,
    toAddress: wallet,
    review,
    signedMessage,
    signature,
    now: requestedAt,
    productNow,
  })
  return id
}

function describeState({ reviewReason, heldUntil }: Review): TranslatableText {
  if (!heldUntil)
    return reviewReason
      ? 'Your withdrawal was requested. Our team will review it before payout.'
      : 'Your withdrawal was requested and will be paid to your wallet.'
  return reviewReason === 'recent_change'
    ? 'Your withdrawal is on hold because your account was frozen, or its wallet, password or authenticator was changed. It is paid after that, without any action from you.'
    : 'Your withdrawal is on hold because your account was frozen, or its wallet, password or authenticator was changed. Our team will review it after that.'
}

/** What the receipt of an accepted withdrawal states. */
export const withdrawalFacts = ({
  amount,
  fee,
  toAddress,
  signedMessage,
  productNow,
}: Pick<NewWithdrawal, 'amount' | 'fee' | 'toAddress' | 'signedMessage' | 'productNow'>): ReceiptFacts => ({
  kind: 'withdrawal',
  time: productNow.toISOString(),
  net: String(amount - fee),
  fee: String(fee),
  recipient: toAddress,
  message: hashMessage(signedMessage),
})
