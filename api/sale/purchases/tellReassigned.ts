import type { EntityManager } from '@mikro-orm/postgresql'
import { formatAmount } from '#shared/amount.ts'
import { listPayments } from '#shared/contract/purchases.ts'
import { notifyOwners } from '#api/accounts/inbox/notifyOwners.ts'
import type { Deposit } from '#api/entities/Deposit.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import type { User } from '#api/entities/User.ts'
import { recordChanges } from '#api/platform/events/recordChange.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import { sentence } from '#api/platform/mail/sentence.ts'
import { findConcerned } from './findPayer.ts'
import { transactionFacts } from './transactionFacts.ts'

/**
 * Tells accounts whose payments an administrator takes for the purchase of another one, and those for whose purchases they were found or
 * reported. The caller attaches them afterwards.
 */
export async function tellReassigned(
  em: EntityManager,
  services: MailServices,
  { deposits, purchase }: { deposits: readonly Deposit[]; purchase: Purchase },
): Promise<void> {
  const taken: { to: User; deposit: Deposit }[] = []
  const missed: { to: User; deposit: Deposit; purchaseId: string }[] = []
  for (const deposit of deposits) {
    const former = deposit.purchase ? await em.findOneOrFail(Purchase, deposit.purchase.id) : undefined
    const { payer: to, claimants } = await findConcerned(em, deposit, former)
    if (to && to.id !== purchase.user.id) {
      taken.push({ to, deposit })
      deposit.takenFrom = to.id
    }
    for (const { user, purchaseId } of claimants) if (user.id !== purchase.user.id) missed.push({ to: user, deposit, purchaseId })
  }
  const groups = [...Map.groupBy(taken, ({ to }) => to).entries()]
  await notifyOwners(em, services, {
    topic: 'payments',
    messages: groups.map(([to, group]) => ({
      to,
      cause: `payment_reassigned:${group[0]!.deposit.id}`,
      link: '/history',
      subject: sentence('Your payment of {amount} USDT was used for another account', {
        amount: formatAmount(
          group.reduce((sum, { deposit: { amount } }) => sum + amount, 0n),
          { grouped: true },
        ),
      }),
      paragraphs: [
        'It pays for a purchase of another account that has proven the same wallet, or for which our team has accepted it.',
        'If you think this is wrong, please contact us.',
      ] as const,
      facts: transactionFacts(group.map(({ deposit }) => deposit)),
    })),
  })
  await notifyOwners(em, services, {
    topic: 'payments',
    messages: [...Map.groupBy(missed, ({ to }) => to).values()].map((group) => ({
      to: group[0]!.to,
      cause: `payment_missed:${group[0]!.deposit.id}`,
      link: '/history',
      subject: 'A payment for your purchase was not used',
      paragraphs: ['It pays for another purchase, so yours is not paid by it.', 'If you think this is wrong, please contact us.'],
      facts: [...transactionFacts(group.map(({ deposit }) => deposit)), ['Purchase', group[0]!.purchaseId] as const],
    })),
  })
  const userIds = [...groups.map(([{ id }]) => id), ...missed.map(({ to }) => to.id)]
  await recordChanges(em, { userIds, keys: [listPayments.path] })
}
