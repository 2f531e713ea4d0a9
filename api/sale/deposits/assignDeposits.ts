import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { costOf } from '#shared/sale.ts'
import { newShownId } from '#api/platform/db/newId.ts'
import type { Deposit } from '#api/entities/Deposit.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import { User } from '#api/entities/User.ts'
import { readAmountDue } from '../purchases/amountDue.ts'
import { confirmByHand } from '../purchases/confirmByHand.ts'
import { noteOnPurchase, recordOfPurchase, requireNoneArriving, requireOpen } from '../purchases/decidePurchase.ts'
import { attachDeposit, markMatched } from '../purchases/markMatched.ts'
import type { Services } from '#api/platform/services.ts'
import { userUnknown } from '#api/accounts/users/errors.ts'
import { readProvers } from '#api/accounts/wallets/readProvers.ts'
import { nodePriceOf, readSettings } from '../settings/readSettings.ts'
import { mayBeRefunded } from '../purchases/mayBeRefunded.ts'
import { findOwnerObjection } from '../purchases/findOwnerObjection.ts'
import type { ReviewedDeposits } from './decideDeposits.ts'

/** The target of an assignment: an open purchase, which `decideDeposits` has locked, or a number of nodes for an account. */
export interface Assignment {
  purchaseId: string | undefined
  userEmail: string | undefined
  quantity: number | undefined
  note: string
}

/** Allocates nodes for deposits of one sender, all of them or none. @returns the audit log's details of each deposit. @throws 404; 409 */
export async function assignDeposits(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  { deposits, purchase: named, attached }: ReviewedDeposits,
  { purchaseId, userEmail, quantity, note }: Assignment,
): Promise<{ userEmail: string; quantity: number; assignedTo: ReturnType<typeof recordOfPurchase> }[]> {
  const purchase = purchaseId
    ? requireOpen(named)
    : await openPurchase(em, services, { deposits, email: userEmail!, quantity: quantity! })
  requireNoneArriving(purchase, attached)
  noteOnPurchase(purchase, note)
  const now = services.clock.now()
  const parts = await findEarlierParts(em, purchase, { deposits, attached })
  await confirmByHand(em, services, purchase, { hash: deposits[0]!.transactionHash, deposits: [...deposits, ...parts] })
  for (const deposit of deposits) {
    attachDeposit(deposit, purchase)
    Object.assign(deposit, { state: 'assigned', reviewReason: null, closedAt: now })
  }
  for (const part of parts) markMatched(part, purchase, now)
  const assignedTo = recordOfPurchase(purchase, [...deposits, ...parts])
  const { email } = await em.findOneOrFail(User, purchase.user.id)
  return deposits.map(() => ({ userEmail: email, quantity: purchase.requestedQuantity, assignedTo }))
}

/**
 * Whether one person may assign the deposits: they cover the purchase or the nodes at the highest price of their blocks, no other account
 * has their wallet, and none may have been refunded before the database was restored.
 */
export async function isPlainAssignment(
  em: EntityManager,
  { deposits, purchase, attached }: ReviewedDeposits,
  { userEmail, quantity, now }: Partial<Assignment> & { now: Date },
): Promise<boolean> {
  // Refused later.
  if (!purchase && !userEmail) return true
  const buyer = purchase ? purchase.user.id : (await em.findOne(User, { email: userEmail! }))?.id
  if (await isOfAnother(em, { sender: deposits[0]!.sender, deposits, buyer })) return false
  const parts = purchase ? await findEarlierParts(em, purchase, { deposits, attached }) : []
  if (await mayBeRefunded(em, [...deposits, ...parts])) return false
  if (purchase) return sumOf([...parts, ...deposits]) >= (await readAmountDue(em, purchase))
  for (const { blockTime } of deposits) {
    const price = nodePriceOf(await readSettings(em, blockTime ?? now))
    if (sumOf(deposits) < costOf(price, quantity!)) return false
  }
  return true
}

/**
 * Whether an account other than the buyer's was the last to prove the sender's wallet, also if it is not connected now, or has one of the
 * deposits.
 */
export async function isOfAnother(
  em: EntityManager,
  { sender, deposits, buyer }: { sender: Address; deposits: readonly Deposit[]; buyer: string | undefined },
): Promise<boolean> {
  const [owner] = await readProvers(em, sender)
  return [owner, ...deposits.map(({ user }) => user?.id)].some((each) => each && each !== buyer)
}

const sumOf = (deposits: readonly Deposit[]): bigint => deposits.reduce((sum, { amount }) => sum + amount, 0n)

/**
 * The underpaid deposits that the buyer's wallet has sent for the purchase, if they do not overpay it together with these. Others stay in
 * review: those of another wallet, or of one that only another account has proven, belong to whoever sent them.
 */
async function findEarlierParts(
  em: EntityManager,
  purchase: Purchase,
  { deposits, attached }: Pick<ReviewedDeposits, 'deposits' | 'attached'>,
): Promise<Deposit[]> {
  const waiting = attached.filter(({ state, sender }) => state === 'review' && sender === purchase.wallet)
  if (waiting.length === 0 || sumOf([...waiting, ...deposits]) > purchase.amount) return []
  return (await findOwnerObjection(em, purchase, [purchase.wallet!])) ? [] : waiting
}

/** Opens a purchase for an account, at the price that results from the deposits. */
async function openPurchase(
  em: EntityManager,
  { clock }: Pick<Services, 'clock'>,
  { deposits, email, quantity }: { deposits: readonly Deposit[]; email: string; quantity: number },
): Promise<Purchase> {
  const user = await em.findOne(User, { email })
  if (!user) throw userUnknown()
  const [{ sender, recipient, blockTime }] = deposits as [Deposit]
  const amount = sumOf(deposits)
  const purchase = em.create(Purchase, {
    id: newShownId(),
    user: user.id,
    status: 'pending',
    requestedQuantity: quantity,
    unitPrice: amount / BigInt(quantity),
    amount,
    wallet: sender,
    depositAddress: recipient,
    createdAt: clock.productNow(),
    openedAt: blockTime ?? clock.now(),
    postedAt: clock.now(),
  })
  await em.flush()
  return purchase
}
