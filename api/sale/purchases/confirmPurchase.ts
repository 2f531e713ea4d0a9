import type { EntityManager } from '@mikro-orm/postgresql'
import type { Hash } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import { ACTIVATION_DELAY } from '#shared/sale.ts'
import { formatNodeNumbers } from '#shared/formatNodeNumbers.ts'
import type { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import { User } from '#api/entities/User.ts'
import { issueReceipts } from '#api/accounts/proofs/issueReceipts.ts'
import { receiptWait } from '#api/accounts/proofs/receiptMail.ts'
import { nodesFacts } from '#api/accounts/proofs/storeReceipts.ts'
import { type Sentence, sayNodes, sentence } from '#api/platform/mail/sentence.ts'
import type { MailContent } from '#api/platform/mail/writeMail.ts'
import { allocateNodes } from '../supply/allocateNodes.ts'
import { lockSupply } from '../supply/lockSupply.ts'
import type { Services } from '#api/platform/services.ts'
import { forgetUnpaid } from './countUnpaid.ts'
import { releaseSupply } from './holdSupply.ts'
import { recordPurchaseChange } from './recordPurchaseChange.ts'
import { notifyOwner } from '#api/accounts/inbox/notifyOwners.ts'

export interface Payment {
  /** The transaction of the payment. */
  hash: Hash | null
  /** Product time at which the deposit was first seen, or of the confirmation if there is no deposit. */
  firstSeenAt: Date
  /** The deposits that pay for it. Without any it stays owed one. */
  deposits: readonly Pick<Deposit, 'transactionHash' | 'ordinal' | 'amount'>[]
}

/**
 * Allocates the nodes of a purchase: all of them or none. The caller has locked the row.
 *
 * @returns the node numbers, or undefined if too few are left. The purchase then goes to review and holds no supply.
 */
export async function confirmPurchase(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  purchase: Purchase,
  { hash, firstSeenAt, deposits }: Payment,
): Promise<number[] | undefined> {
  const { clock } = services
  const user = await em.findOneOrFail(User, purchase.user.id)
  const supply = await lockSupply(em)
  const quantity = purchase.requestedQuantity
  purchase.postedAt ??= clock.now()
  if (supply.remaining() + purchase.heldQuantity < quantity) {
    purchase.status = 'manual_review'
    purchase.result = 'insufficient_supply'
    await em.flush()
    await recordPurchaseChange(em, user.id)
    return undefined
  }

  releaseSupply(supply, purchase)
  supply.paid += quantity
  const confirmedAt = clock.productNow()
  purchase.status = 'confirmed'
  purchase.result = 'normal'
  purchase.finalQuantity = quantity
  purchase.transactionHash = hash
  purchase.confirmedAt = confirmedAt
  purchase.closedAt = clock.now()
  purchase.closedReason = null
  await em.flush()
  await forgetUnpaid(em, user.id)

  const allocated = await allocateNodes(em, {
    kind: 'paid',
    shares: [{ userId: user.id, purchaseId: purchase.id, quantity }],
    allocatedAt: confirmedAt,
    activeFrom: new Date(firstSeenAt.getTime() + ACTIVATION_DELAY),
  })
  const group = allocated.get(purchase.id)!
  const { numbers } = group
  const mailId = await notifyOwner(em, services, {
    to: user,
    topic: 'nodes',
    cause: `purchase_confirmed:${purchase.id}`,
    link: '/history',
    ...confirmation(purchase, group, deposits),
    wait: receiptWait(services.config),
  })
  const nodes = { ...group, price: purchase.unitPrice, deposits }
  await issueReceipts(em, services, [{ userId: user.id, cause: `purchase:${purchase.id}`, facts: nodesFacts(nodes), mailId }])
  await recordPurchaseChange(em, user.id)
  return numbers
}

function confirmation(
  { id, amount, transactionHash }: Purchase,
  { numbers, activeFrom }: { numbers: number[]; activeFrom: Date },
  deposits: Payment['deposits'],
): MailContent {
  const count = String(numbers.length)
  const isOne = numbers.length === 1
  const isOwed = deposits.length === 0
  const paid = deposits.reduce((sum, deposit) => sum + deposit.amount, 0n)
  const whole = formatAmount(amount)
  const confirmed = isOwed
    ? sentence('Your purchase of {nodes} is confirmed.', {
        nodes: sayNodes(numbers.length),
      })
    : isOne
      ? 'Your payment is confirmed and 1 node is yours.'
      : sentence('Your payment is confirmed and {count} nodes are yours.', { count })
  const open = isOwed
    ? sentence(
        "We have not confirmed a payment for it yet: {amount} USDT is still owed. If you have already sent it, please don't pay again: it counts once it is confirmed.",
        { amount: whole },
      )
    : paid < amount && partAccepted(paid, amount)
  return {
    subject: isOne
      ? '1 node is yours: your purchase is confirmed'
      : sentence('{count} nodes are yours: your purchase is confirmed', { count }),
    paragraphs: [
      confirmed,
      sentence(
        isOne
          ? 'It earns from {time}. XCR is paid daily at 09:00 UTC.'
          : 'They earn from {time}. XCR is paid daily at 09:00 UTC.',
        { time: activeFrom },
      ),
      ...(open ? [open] : []),
    ],
    facts: [
      ['Nodes', formatNodeNumbers(numbers)],
      isOwed ? ['Still owed', `${whole} USDT`] : ['Amount paid', `${formatAmount(paid)} USDT`],
      ...(transactionHash ? [['Transaction', transactionHash] as const] : []),
      ['Purchase', id],
    ],
  }
}

/** What is said of a payment that an administrator accepts though it is less than the price. */
export const partAccepted = (paid: bigint, amount: bigint): Sentence =>
  sentence('{paid} of {amount} USDT was paid, and nothing more is due.', {
    paid: formatAmount(paid),
    amount: formatAmount(amount),
  })
