import type { EntityManager } from '@mikro-orm/postgresql'
import { formatAmount } from '#shared/amount.ts'
import { notifyOwners } from '#api/accounts/inbox/notifyOwners.ts'
import { readRecipients } from '#api/accounts/inbox/readRecipients.ts'
import type { Deposit, ReviewReason } from '#api/entities/Deposit.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import { sentence, type TranslatableText } from '#api/platform/mail/sentence.ts'
import { transactionFacts } from '../purchases/transactionFacts.ts'

/** `foreign_claim`: the account reported a payment that another wallet sent. `restored`: it may have been refunded before a restore. */
type WaitingReason = ReviewReason | 'foreign_claim' | 'restored'

/** A payment that waits for a person, and the account that is told why. */
export interface WaitingPayment {
  deposit: Deposit
  reason: WaitingReason
  userId: string
  purchaseId?: string
  /** What is missing for a purchase, if that confirms it automatically until a time, or pays it if it is confirmed already. */
  rest?: { amount: bigint; until: Date; isOwed?: true } | undefined
}

const texts: Record<WaitingReason, TranslatableText> = {
  underpaid: 'It is less than your purchase costs.',
  overpaid: 'What has arrived for your purchase is more than it costs.',
  late: 'It arrived after the time for its purchase was over.',
  wrong_wallet: 'It was reported for a purchase of another account.',
  foreign_claim: 'The transaction you reported was sent from a wallet other than the one of your purchase.',
  insufficient_supply: 'Too few nodes were left when it arrived.',
  unmatched: "It doesn't match a purchase of yours.",
  restored: 'Our database was restored from a backup after it arrived. Our team first checks whether it was sent back already.',
}

/**
 * Tells owners that payments wait for a person and why, in the transaction that decides so. One message for all payments of one sender
 * that are settled together and wait for the same reason, so that many small ones are not many mails.
 */
export async function tellWaiting(em: EntityManager, services: MailServices, settled: readonly WaitingPayment[]): Promise<void> {
  const waiting = settled.flatMap(keepCurrent)
  if (waiting.length === 0) return
  const owners = await readRecipients(
    em,
    waiting.map(({ userId }) => userId),
  )
  const groups = Map.groupBy(waiting, ({ userId, reason, purchaseId }) => `${userId} ${reason} ${purchaseId}`)
  const messages = [...groups.values()].map((payments) => {
    const [{ deposit, reason, userId, purchaseId }] = payments as [WaitingPayment]
    const sum = payments.reduce((total, payment) => total + payment.deposit.amount, 0n)
    const rest = payments.at(-1)!.rest
    return {
      to: owners.get(userId)!,
      // A payment is settled once, so its first one names the group.
      cause: `payment_waits:${deposit.id}:${reason}`,
      link: '/history',
      subject: sentence('Your payment of {amount} USDT waits for our team', { amount: formatAmount(sum, { grouped: true }) }),
      paragraphs: rest ? askForRest(rest) : [texts[reason], teamDecides],
      facts: [
        ...transactionFacts(payments.map((payment) => payment.deposit)),
        ...(purchaseId ? [['Purchase', purchaseId] as const] : []),
      ],
    }
  })
  await notifyOwners(em, services, { topic: 'payments', messages })
}

/** A later payment that was settled together with this one may have completed the purchase, or exceeded what it costs. */
function keepCurrent(payment: WaitingPayment): WaitingPayment[] {
  const { state, reviewReason } = payment.deposit
  if (state !== 'review') return []
  return payment.reason === 'underpaid' && reviewReason === 'overpaid' ? [{ ...payment, reason: reviewReason }] : [payment]
}

const teamDecides: TranslatableText =
  "Our team will review it within five business days, and you will hear from us. It is safe; please don't pay again."

/** Asks for the exact rest, since another amount completes nothing. */
const askForRest = ({ amount, until, isOwed }: NonNullable<WaitingPayment['rest']>): TranslatableText[] => [
  sentence(
    isOwed
      ? 'It is less than your purchase costs. Send exactly the missing {amount} USDT from the same wallet by {time}, before you start another purchase, and yours is paid.'
      : 'It is less than your purchase costs. Send exactly the missing {amount} USDT from the same wallet by {time}, and your purchase is confirmed automatically, as long as enough nodes are left.',
    { amount: formatAmount(amount, { grouped: true }), time: until },
  ),
  'Otherwise our team will review it within five business days, and you will hear from us. Your payment is safe.',
]
