import { type EntityManager, LockMode } from '@mikro-orm/postgresql'
import { DAY } from '#shared/dates.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { query } from '#api/entities/tables.ts'
import { Deposit, type ReviewReason } from '#api/entities/Deposit.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import type { Supply } from '#api/entities/Supply.ts'
import { User } from '#api/entities/User.ts'
import { lockSupply } from '../supply/lockSupply.ts'
import { amountDue } from '../purchases/amountDue.ts'
import { countUnpaid, heldTime } from '../purchases/countUnpaid.ts'
import { holdSupply, releaseSupply } from '../purchases/holdSupply.ts'
import { attachDeposit } from '../purchases/markMatched.ts'
import { readLastBlock } from '../purchases/readLastBlock.ts'
import { isAtItsPrice, type Match, type MinedDeposit } from './matchDeposit.ts'
import type { Settled, Settlement } from './Settlement.ts'
import type { WaitingPayment } from './tellWaiting.ts'

/** The database was restored, and no longer knows what was sent back to this wallet (money.md 42). */
export function reviewAfterRestore(settlement: Settlement, deposit: MinedDeposit): Settled {
  if (!isBeforeRestore(settlement, deposit)) return undefined
  leaveUnmatched(settlement, deposit, 'restored')
  deposit.notes = 'The database was restored after this payment. It may have been refunded before.'
  return true
}

/** Whether the database was restored after the payment, which may have been refunded in between (`mayBeRefunded`). */
export const isBeforeRestore = ({ records: { reviewedUntil } }: Settlement, { blockTime }: Pick<Deposit, 'blockTime'>): boolean =>
  Boolean(reviewedUntil && blockTime && blockTime <= reviewedUntil)

/** A price is fixed for a day at most. Otherwise a small first payment could keep it forever. */
const endOfPrice = ({ openedAt }: Purchase): Date => new Date(openedAt.getTime() + DAY)

/** Whether the payment came after the price of its request had ended. */
export const isStale = ({ blockTime }: MinedDeposit, purchase: Purchase): boolean => blockTime > endOfPrice(purchase)

/** The amount differs from the request's: it waits for an administrator or for the rest of the money (money.md 8). */
export async function holdForReview(settlement: Settlement, deposit: MinedDeposit, { purchase, sum }: Match): Promise<Settled> {
  const { em, services, records } = settlement
  const paidInFull = sum >= amountDue(purchase, await records.priceDueOf(purchase))
  if (paidInFull !== purchase.heldQuantity > 0) {
    await em.flush()
    const supply = await lockSupply(em)
    if (paidInFull) holdSupply(supply, purchase)
    else await endHold(settlement, purchase, supply)
  }
  purchase.postedAt ??= services.clock.now()
  // A purchase in review for another reason keeps that reason.
  if (purchase.status !== 'manual_review') purchase.result = 'amount_mismatch'
  purchase.status = 'manual_review'
  const [reason, other] = paidInFull ? (['overpaid', 'underpaid'] as const) : (['underpaid', 'overpaid'] as const)
  if (records.reasons.get(purchase.id) !== reason) {
    for (const earlier of await em.find(Deposit, { purchase, state: 'review', reviewReason: other }))
      earlier.reviewReason = reason
    records.reasons.set(purchase.id, reason)
  }
  reviewWith(settlement, deposit, { reason, purchase, rest: await findRest(settlement, deposit, { purchase, sum }) })
  return true
}

/** What would confirm the purchase automatically, and until when. Undefined if an administrator decides, or if it may be on its way. */
async function findRest(
  settlement: Settlement,
  deposit: MinedDeposit,
  { purchase, sum }: Pick<Match, 'purchase' | 'sum'>,
): Promise<WaitingPayment['rest']> {
  const { services, records } = settlement
  const until = endOfPrice(purchase)
  const isOpen = !isStale(deposit, purchase) && services.clock.now() < until
  if (sum >= purchase.amount || !isOpen || !(await isAtItsPrice(records, purchase))) return undefined
  return restUnlessArriving(settlement, deposit, { amount: purchase.amount - sum, until })
}

/** The rest, unless it may be on its way: who is asked for it then pays twice. */
export async function restUnlessArriving(
  { em }: Settlement,
  deposit: MinedDeposit,
  rest: NonNullable<WaitingPayment['rest']>,
): Promise<WaitingPayment['rest']> {
  // Earlier ones of the same group leave `seen` with this.
  await em.flush()
  // One is enough to know: a sender may have thousands.
  const further = await query(em)
    .selectFrom('deposits')
    .select('id')
    .where('sender', '=', deposit.sender)
    .where('state', '=', 'seen')
    .where('amount', '>', 0n)
    .where('blockNumber', 'is not', null)
    .where('id', '<>', deposit.id)
    .limit(1)
    .executeTakeFirst()
  return further || (await isFarBehind(em)) ? undefined : rest
}

/** More blocks that are not read yet may contain the rest. */
const MAX_UNREAD = 100n

async function isFarBehind(em: EntityManager): Promise<boolean> {
  const progress = await query(em)
    .selectFrom('chain_progress')
    .select('headNumber')
    .where('chainId', '=', PAYMENT_CHAIN_ID)
    .executeTakeFirst()
  return (progress?.headNumber ?? 0n) - ((await readLastBlock(em))?.number ?? 0n) > MAX_UNREAD
}

/** The payment came too late for its request: an administrator decides. */
export async function markLate(settlement: Settlement, deposit: MinedDeposit, purchase: Purchase): Promise<Settled> {
  await settlement.em.flush()
  releaseSupply(await lockSupply(settlement.em), purchase)
  purchase.status = 'manual_review'
  purchase.result = 'late_payment'
  purchase.postedAt ??= settlement.services.clock.now()
  reviewWith(settlement, deposit, { reason: 'late', purchase })
  return true
}

function review(deposit: Deposit, reason: ReviewReason): void {
  deposit.state = 'review'
  deposit.reviewReason = reason
}

/** Attaches a deposit in review to a purchase. It waits for an administrator or for the rest of the money. */
export function reviewWith(
  { records, changedUsers, waiting }: Settlement,
  deposit: MinedDeposit,
  { reason, purchase, rest }: { reason: ReviewReason; purchase: Purchase; rest?: WaitingPayment['rest'] },
): void {
  review(deposit, reason)
  attachDeposit(deposit, purchase)
  records.paid.set(purchase.id, (records.paid.get(purchase.id) ?? 0n) + deposit.amount)
  changedUsers.add(purchase.user.id)
  waiting.push({ deposit, reason, userId: purchase.user.id, purchaseId: purchase.id, rest })
}

/** The payment was reported by other accounts than its sender's: all of them are told that it waits, also if their purchase was closed since. */
export async function reviewForeignClaim(settlement: Settlement, deposit: MinedDeposit): Promise<Settled> {
  const { em, records, changedUsers, waiting } = settlement
  const reports = records.claims.filter(({ claimedHash }) => claimedHash === deposit.transactionHash)
  if (reports.length === 0) return undefined
  const purchase = await lockFirstOpen(em, reports)
  if (purchase?.status === 'pending') {
    await endHold(settlement, purchase, await lockSupply(em))
    purchase.status = 'manual_review'
    purchase.result = 'wallet_mismatch'
  }
  review(deposit, purchase ? 'wrong_wallet' : 'unmatched')
  if (purchase) attachDeposit(deposit, purchase)
  else deposit.purchase = null
  // The money belongs to the sender, not to the account that reported the hash.
  deposit.user = ownerOf(settlement)
  const byUser = Map.groupBy([...(purchase ? [purchase] : []), ...reports], ({ user }) => user.id)
  for (const [userId, [report]] of byUser) waiting.push({ deposit, reason: 'foreign_claim', userId, purchaseId: report!.id })
  if (deposit.user && !byUser.has(deposit.user.id)) waiting.push({ deposit, reason: 'wrong_wallet', userId: deposit.user.id })
  if (purchase) changedUsers.add(purchase.user.id)
  return true
}

/** The oldest of these that is not being closed. */
async function lockFirstOpen(em: EntityManager, reports: readonly Purchase[]): Promise<Purchase | null> {
  await em.flush()
  for (const { id, status } of reports) {
    if (status !== 'pending' && status !== 'manual_review') continue
    const open = { id, status: { $in: ['pending', 'manual_review'] } } as const
    const purchase = await em.findOne(Purchase, open, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
    if (purchase) return purchase
  }
  return null
}

/** Nothing or little was paid for it: otherwise tiny payments would hold nodes without end (money.md 11). */
async function endHold({ em, services }: Settlement, purchase: Purchase, supply: Supply): Promise<void> {
  if (purchase.heldQuantity === 0) return
  releaseSupply(supply, purchase)
  const now = services.clock.now()
  await countUnpaid(em, [{ userId: purchase.user.id, heldFor: heldTime(purchase.openedAt, now) }], now)
}

export function leaveUnmatched(
  settlement: Settlement,
  deposit: MinedDeposit,
  reason: WaitingPayment['reason'] = 'unmatched',
): void {
  const { waiting } = settlement
  deposit.purchase = null
  deposit.user = ownerOf(settlement)
  review(deposit, 'unmatched')
  if (deposit.user) waiting.push({ deposit, reason, userId: deposit.user.id })
}

/** The account that proved the sender's wallet last. */
const ownerOf = ({ em, records: { provers } }: Settlement) =>
  provers[0] === undefined ? null : em.getReference(User, provers[0], { wrapped: true })
