import type { EntityManager } from '@mikro-orm/postgresql'
import { newId } from '../db/newId.ts'
import type { Deposit } from '../entities/Deposit.ts'
import { Purchase } from '../entities/Purchase.ts'
import { User } from '../entities/User.ts'
import { confirmByHand } from '../purchases/confirmByHand.ts'
import { noteOnPurchase, recordOfPurchase, requireOpen } from '../purchases/decidePurchase.ts'
import { attachDeposit, matchDeposit } from '../purchases/matchDeposit.ts'
import type { Services } from '../services.ts'
import { userUnknown } from '../users/errors.ts'
import type { ReviewedDeposit } from './decideDeposit.ts'

/** What a deposit shall pay for: a purchase that waits, which `decideDeposit` has locked, or so many nodes for an account. */
export interface Assignment {
  purchaseId: string | undefined
  userEmail: string | undefined
  quantity: number | undefined
  note: string
}

/** Allocates nodes for a deposit, all of them or none. @returns what the audit log keeps. @throws 404; 409 */
export async function assignDeposit(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  { deposit, purchase: named, attached }: ReviewedDeposit,
  { purchaseId, userEmail, quantity, note }: Assignment,
): Promise<{ assignedTo: ReturnType<typeof recordOfPurchase> }> {
  const purchase = purchaseId
    ? requireOpen(named)
    : await openPurchase(em, services, { deposit, email: userEmail!, quantity: quantity! })
  noteOnPurchase(purchase, note)
  const now = services.clock.now()
  await confirmByHand(em, services, purchase, { hash: deposit.transactionHash, deposits: [deposit] })
  attachDeposit(deposit, purchase)
  Object.assign(deposit, { state: 'assigned', reviewReason: null, closedAt: now })
  const parts = findParts(purchase, deposit, attached)
  for (const part of parts) matchDeposit(part, purchase, now)
  return { assignedTo: recordOfPurchase(purchase, [deposit, ...parts]) }
}

/** Deposits that were too little alone, and with this one are not too much. Whatever is paid beyond goes on waiting. */
function findParts(purchase: Purchase, deposit: Deposit, attached: readonly Deposit[]): Deposit[] {
  const waiting = attached.filter(({ state }) => state === 'review')
  const sum = waiting.reduce((sum, { amount }) => sum + amount, deposit.amount)
  return sum <= purchase.amount ? waiting : []
}

/** A purchase of an account's own, at the price that the deposit makes. */
async function openPurchase(
  em: EntityManager,
  { clock }: Pick<Services, 'clock'>,
  { deposit, email, quantity }: { deposit: Deposit; email: string; quantity: number },
): Promise<Purchase> {
  const user = await em.findOne(User, { email })
  if (!user) throw userUnknown()
  const purchase = em.create(Purchase, {
    id: newId(),
    user: user.id,
    status: 'pending',
    requestedQuantity: quantity,
    unitPrice: deposit.amount / BigInt(quantity),
    amount: deposit.amount,
    wallet: deposit.sender,
    depositAddress: deposit.recipient,
    createdAt: clock.productNow(),
    openedAt: deposit.blockTime ?? clock.now(),
    postedAt: clock.now(),
  })
  await em.flush()
  return purchase
}
