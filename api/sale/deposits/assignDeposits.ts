import type { EntityManager } from '@mikro-orm/postgresql'
import type { Objection } from '#shared/objections.ts'
import { objectTo, objectToReceived } from '#shared/objectionTexts.ts'
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
import { isOnlyOthers, readProvers } from '#api/accounts/wallets/readProvers.ts'
import { nodePriceOf, readSettings } from '../settings/readSettings.ts'
import { mayBeRefunded } from '../purchases/mayBeRefunded.ts'
import { findOwnerObjections, type Overriding, requireNamed } from '../purchases/objections.ts'
import type { Decided, ReviewedDeposits } from './decideDeposits.ts'

/** The target of an assignment: an open purchase, which `decideDeposits` has locked, or a number of nodes for an account. */
export interface Assignment {
  purchaseId: string | undefined
  userEmail: string | undefined
  quantity: number | undefined
  note: string
}

/**
 * Allocates nodes for deposits of one sender, all of them or none.
 *
 * @returns the audit log's details of each deposit, and the objections that were overridden. @throws 404; 409, also as `requireNamed`.
 */
export async function assignDeposits(
  em: EntityManager,
  services: Pick<Services, 'jobs' | 'clock' | 'config'>,
  reviewed: ReviewedDeposits,
  { purchaseId, userEmail, quantity, note, ...overriding }: Assignment & Overriding,
): Promise<Decided> {
  const { deposits, purchase: named, attached } = reviewed
  const open = purchaseId ? requireOpen(named) : undefined
  const objections = await objectToAssignment(em, reviewed, { userEmail, quantity, now: services.clock.now() })
  requireNamed(objections, overriding)
  const purchase = open ?? (await openPurchase(em, services, { deposits, email: userEmail!, quantity: quantity! }))
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
  return {
    details: deposits.map(() => ({ userEmail: email, quantity: purchase.requestedQuantity, assignedTo })),
    overridden: objections,
  }
}

/**
 * Everything that speaks against the assignment: the deposits are not what the purchase or the nodes cost at the highest price of their blocks,
 * another account has their wallet or one of them, or one may have been refunded before the database was restored.
 */
export async function objectToAssignment(
  em: EntityManager,
  { deposits, purchase, attached }: ReviewedDeposits,
  { userEmail, quantity, now }: Partial<Assignment> & { now: Date },
): Promise<Objection[]> {
  const buyer = purchase ? purchase.user.id : (await em.findOne(User, { email: userEmail! }))?.id
  // Refused later.
  if (buyer === undefined) return []
  const parts = purchase ? await findEarlierParts(em, purchase, { deposits, attached }) : []
  const received = sumOf([...parts, ...deposits])
  const costOfNodes = (count: number) => readHighestCost(em, { deposits, quantity: count, now })
  const due = purchase ? await readAmountDue(em, purchase) : await costOfNodes(quantity!)
  // That a rest of less than a node buys nothing is said before each assignment to an account.
  const isRounded = !purchase && received > due && received < (await costOfNodes(quantity! + 1))
  return [
    ...(isRounded ? [] : objectToReceived(received, due)),
    ...(await findOwnerObjections(em, { senders: deposits.map(({ sender }) => sender), deposits, buyer })),
    ...((await mayBeRefunded(em, [...deposits, ...parts])) ? [objectTo('may_be_refunded')] : []),
  ]
}

async function readHighestCost(
  em: EntityManager,
  { deposits, quantity, now }: { deposits: readonly Deposit[]; quantity: number; now: Date },
): Promise<bigint> {
  let highest = 0n
  for (const { blockTime } of deposits) {
    const cost = costOf(nodePriceOf(await readSettings(em, blockTime ?? now)), quantity)
    if (cost > highest) highest = cost
  }
  return highest
}

const sumOf = (deposits: readonly Deposit[]): bigint => deposits.reduce((sum, { amount }) => sum + amount, 0n)

/**
 * The underpaid deposits that the buyer's wallet has sent for the purchase, if they do not overpay it together with these. Others stay in
 * review: those of another wallet, or of one that only another account has proven, belong to their senders.
 */
async function findEarlierParts(
  em: EntityManager,
  purchase: Purchase,
  { deposits, attached }: Pick<ReviewedDeposits, 'deposits' | 'attached'>,
): Promise<Deposit[]> {
  const waiting = attached.filter(({ state, sender }) => state === 'review' && sender === purchase.wallet)
  if (waiting.length === 0 || sumOf([...waiting, ...deposits]) > purchase.amount) return []
  return isOnlyOthers(await readProvers(em, purchase.wallet!), purchase.user.id) ? [] : waiting
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
