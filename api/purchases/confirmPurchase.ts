import type { EntityManager } from '@mikro-orm/postgresql'
import type { Hash } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import { DAY } from '#shared/dates.ts'
import type { Purchase } from '../entities/Purchase.ts'
import { User } from '../entities/User.ts'
import { composeMail } from '../mail/composeMail.ts'
import { queueMail } from '../mail/queueMail.ts'
import { allocateNodes } from '../nodes/allocateNodes.ts'
import { lockSupply } from '../nodes/lockSupply.ts'
import type { Services } from '../services.ts'
import { releaseSupply } from './holdSupply.ts'
import { recordPurchaseChange } from './recordPurchaseChange.ts'

export interface Payment {
  /** The transfer that pays it. */
  hash: Hash | null
  /** Product time at which its deposit was first seen; the confirmation itself where there was none. */
  firstSeenAt: Date
}

/**
 * Allocates the nodes of a purchase whose row the caller has locked: all of them or none.
 *
 * @returns the node numbers, or undefined if too few are left; the purchase then waits for a person and holds nothing.
 */
export async function confirmPurchase(
  em: EntityManager,
  { jobs, clock, config }: Pick<Services, 'jobs' | 'clock' | 'config'>,
  purchase: Purchase,
  { hash, firstSeenAt }: Payment,
): Promise<number[] | undefined> {
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
  user.unpaidExpiries = 0
  await em.flush()

  const allocated = await allocateNodes(em, {
    kind: 'paid',
    shares: [{ userId: user.id, purchaseId: purchase.id, quantity }],
    allocatedAt: confirmedAt,
    activeFrom: new Date(firstSeenAt.getTime() + DAY),
  })
  const { numbers, activeFrom } = allocated.get(purchase.id)!
  await queueMail(em, jobs, confirmationMail(user, purchase, { numbers, activeFrom, config }))
  await recordPurchaseChange(em, user.id)
  return numbers
}

function confirmationMail(
  user: User,
  purchase: Purchase,
  { numbers, activeFrom, config }: { numbers: number[]; activeFrom: Date; config: Services['config'] },
) {
  const count = numbers.length === 1 ? '1 node is yours' : `${numbers.length} nodes are yours`
  return composeMail(user.email, {
    brandName: config.BRAND_NAME,
    supportEmail: config.SUPPORT_EMAIL,
    subject: `${count}: your purchase is confirmed`,
    paragraphs: [
      `Your payment is confirmed and ${count}.`,
      `They earn from ${activeFrom.toISOString().slice(0, 16).replace('T', ' ')} UTC on; the daily XCR is paid at 09:00 UTC.`,
    ],
    facts: [
      ['Nodes', describeNumbers(numbers)],
      ['Paid', `${formatAmount(purchase.amount)} USDT`],
      ...(purchase.transactionHash ? [['Transaction', purchase.transactionHash] as const] : []),
      ['Purchase', purchase.id],
    ],
  })
}

/** Writes 1, 2, 3, 7 as 1–3, 7. */
export function describeNumbers(numbers: readonly number[]): string {
  const runs: [number, number][] = []
  for (const number of numbers) {
    const last = runs.at(-1)
    if (last && last[1] === number - 1) last[1] = number
    else runs.push([number, number])
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ')
}
