import type { EntityManager } from '@mikro-orm/postgresql'
import { formatAmount } from '#shared/amount.ts'
import { isOnlyOthers, readProvers } from '#api/accounts/wallets/readProvers.ts'
import { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import { User } from '#api/entities/User.ts'
import { sayNodes, sentence } from '#api/platform/mail/sentence.ts'
import { lockSupply } from '../supply/lockSupply.ts'
import type { Services } from '#api/platform/services.ts'
import { closeRequest } from './closeRequest.ts'
import type { OpenPurchase } from './decidePurchase.ts'
import { recordPurchaseChange } from './recordPurchaseChange.ts'
import { notifyOwner } from '#api/accounts/inbox/notifyOwners.ts'

/**
 * Cancels or rejects an open purchase without allocating nodes. Its waiting deposits stay in review, to be assigned or refunded; so will a
 * payment that arrives later.
 */
export async function closePurchase(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  { purchase, deposits }: OpenPurchase,
  { status, reason }: { status: 'cancelled' | 'failed'; reason: string | undefined },
): Promise<void> {
  const now = services.clock.now()
  closeRequest(purchase, await lockSupply(em), { reason: 'administrator', now })
  purchase.status = status
  await em.flush()
  const user = await em.findOneOrFail(User, purchase.user.id)
  const nodes = sayNodes(purchase.requestedQuantity)
  const amount = formatAmount(purchase.amount)
  const isCancelled = status === 'cancelled'
  await notifyOwner(em, services, {
    to: user,
    topic: 'payments',
    // A late payment opens the purchase again, and it may then be closed again.
    cause: `purchase_${status}:${purchase.id}:${now.getTime()}`,
    link: '/history',
    subject: isCancelled
      ? sentence('Your purchase of {nodes} was cancelled', { nodes })
      : sentence('Your purchase of {nodes} was rejected', { nodes }),
    paragraphs: [
      isCancelled
        ? sentence('Your purchase of {nodes} for {amount} USDT was cancelled by our support.', { nodes, amount })
        : sentence('Your purchase of {nodes} for {amount} USDT was rejected by our support.', { nodes, amount }),
      await sentenceOfPayment(em, purchase, deposits),
    ],
    facts: [...(reason ? [['Reason', reason] as const] : []), ['Purchase', purchase.id]],
  })
  await recordPurchaseChange(em, user.id)
}

/** What another wallet has sent may be another person's, whose transaction the buyer reported. */
async function sentenceOfPayment(em: EntityManager, purchase: Purchase, deposits: readonly Deposit[]) {
  const arrived = deposits.filter(({ blockNumber }) => blockNumber !== null)
  const own = arrived.find(({ sender }) => sender === purchase.wallet)
  if (own)
    return isOnlyOthers(await readProvers(em, own.sender), purchase.user.id)
      ? 'The payment that arrived for it came from a wallet that another account has proven to be its own. If you have sent it, please contact us.'
      : 'Your payment has arrived. We will refund it or get in touch with you.'
  if (arrived.length > 0)
    return 'The payment that was reported for it came from another wallet. If you have sent it, please contact us.'
  return (await em.count(Deposit, { purchase, state: ['refunded', 'ignored'] })) > 0
    ? 'A payment that arrived for it was sent back or closed before. If you have sent another one, please contact us.'
    : 'No payment for it has arrived. If you have sent one, please contact us.'
}
