import type { EntityManager } from '@mikro-orm/postgresql'
import { formatAmount } from '#shared/amount.ts'
import { listPayments } from '#shared/contract/purchases.ts'
import { notifyOwners } from '#api/accounts/inbox/notifyOwners.ts'
import type { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import type { User } from '#api/entities/User.ts'
import { recordChanges } from '#api/platform/events/recordChange.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import { sentence } from '#api/platform/mail/sentence.ts'
import { findPayer } from './findPayer.ts'
import { transactionFacts } from './transactionFacts.ts'

/** Tells accounts whose payments an administrator takes for the purchase of another one. The caller attaches them afterwards. */
export async function tellReassigned(
  em: EntityManager,
  services: MailServices,
  { deposits, purchase }: { deposits: readonly Deposit[]; purchase: Purchase },
): Promise<void> {
  const taken: { to: User; deposit: Deposit }[] = []
  for (const deposit of deposits) {
    const to = await findPayer(em, deposit)
    if (to && to.id !== purchase.user.id) taken.push({ to, deposit })
  }
  const groups = [...Map.groupBy(taken, ({ to }) => to).entries()]
  await notifyOwners(em, services, {
    topic: 'payments',
    messages: groups.map(([to, group]) => ({
      to,
      cause: `payment_reassigned:${group[0]!.deposit.id}`,
      // The history shows it to the other account.
      link: null,
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
  await recordChanges(em, { userIds: groups.map(([{ id }]) => id), keys: [listPayments.path] })
}
