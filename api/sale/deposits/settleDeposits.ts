import { type EntityManager, LockMode } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { listPayments } from '#shared/contract/purchases.ts'
import { DAY } from '#shared/dates.ts'
import { MAX_NODES_AT_ONCE, RESERVATION_TIME } from '#shared/sale.ts'
import { newShownId } from '#api/platform/db/newId.ts'
import { recordChange, recordChanges } from '#api/platform/events/recordChange.ts'
import { query } from '#api/entities/tables.ts'
import { Deposit, type ReviewReason } from '#api/entities/Deposit.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import { User } from '#api/entities/User.ts'
import { lockSupply } from '../supply/lockSupply.ts'
import { amountDue } from '../purchases/amountDue.ts'
import { confirmPurchase } from '../purchases/confirmPurchase.ts'
import { holdSupply, releaseSupply } from '../purchases/holdSupply.ts'
import { attachDeposit, markMatched } from '../purchases/markMatched.ts'
import { recordPurchaseChange } from '../purchases/recordPurchaseChange.ts'
import { nodePriceOf, saleStateOf } from '../settings/readSettings.ts'
import { findProvenOwner } from '#api/accounts/wallets/findWalletOwner.ts'
import {
  type Match,
  findClosedRequest,
  isAtItsPrice,
  matchDeposit,
  isOnTime,
  type MinedDeposit,
  loadSenderRecords,
} from './matchDeposit.ts'
import type { Settled, Settlement, SettlementServices } from './Settlement.ts'
import { payByTransaction, payOwed } from './settleOwed.ts'
import { tellWaiting, type WaitingPayment } from './tellWaiting.ts'

/**
 * Settles final deposits of one sender. Their rows match their receipts (`verifyTransactions`) and are not dust (`ignoreDust`). Each leaves
 * `seen` exactly once, for exactly one state:
 *
 * - from a wallet that may have been refunded before a restore: review, unmatched
 * - its transaction confirmed a purchase by hand: matched, allocates nothing
 * - completes an open request on time: matched, and the request is confirmed; `insufficient_supply` if too few nodes are left
 * - completes a reservation too late: review, late
 * - fits a request that was closed automatically while the payment was on its way: matched as if it were open
 * - has another amount than the open request: review, underpaid or overpaid
 * - fits a request that was closed before: review, late
 * - is owed by a purchase confirmed without a deposit: matched, allocates nothing
 * - comes from a proven wallet without a request, as a multiple of the price: matched with a new purchase
 * - is reported by a request of another wallet: review, wrong_wallet
 * - otherwise: review, unmatched
 *
 * Deposits that pay an open request alone are settled first, so that small change before them does not make them `overpaid`.
 *
 * They were grouped before verification, which may have corrected the sender of some. Those stay `seen` for the next pass.
 */
export async function settleDeposits(
  em: EntityManager,
  services: SettlementServices,
  depositIds: readonly string[],
): Promise<void> {
  await lockWithEarlier(em, depositIds)
  const seen = await em.find(
    Deposit,
    { id: { $in: [...depositIds] }, state: 'seen', blockNumber: { $ne: null } },
    { refresh: true, orderBy: { blockNumber: 'asc', logIndex: 'asc' } },
  )
  const [first, ...others] = seen
  if (!first) return
  const rows = [first, ...others.filter(({ sender }) => sender === first.sender)] as const
  const records = await loadSenderRecords(em, rows)
  const amounts = new Set(records.open.map(({ amount }) => amount))
  const settlement: Settlement = { em, services, records, changedUsers: new Set(), waiting: [] }
  for (const deposit of [
    ...rows.filter(({ amount }) => amounts.has(amount)),
    ...rows.filter(({ amount }) => !amounts.has(amount)),
  ]) {
    await settleDeposit(settlement, deposit as MinedDeposit)
  }
  await em.flush()
  for (const userId of settlement.changedUsers) await recordPurchaseChange(em, userId)
  // One in review changes the list of payments only.
  await recordChanges(em, { userIds: rows.flatMap(({ user }) => user?.id ?? []), keys: [listPayments.path] })
  await recordChange(em, { keys: [getWaiting.path] })
  await tellWaiting(em, services, settlement.waiting)
}

async function settleDeposit(settlement: Settlement, deposit: MinedDeposit): Promise<void> {
  const isSettled =
    reviewAfterRestore(settlement, deposit) ??
    (await payByTransaction(settlement, deposit)) ??
    (await payRequest(settlement, deposit)) ??
    (await payOwed(settlement, deposit)) ??
    (await buyWithoutRequest(settlement, deposit)) ??
    (await reviewForeignClaim(settlement, deposit))
  if (!isSettled) leaveUnmatched(settlement, deposit)
}

/**
 * Locks the deposits and the reviewed ones of their sender that are attached to a request: they count towards its sum, and an administrator
 * may be refunding one of them. Same lock order as `lockForDecision`: deposits before purchases, by id.
 */
async function lockWithEarlier(em: EntityManager, depositIds: readonly string[]): Promise<void> {
  const ofThese = sql<string>`any(${depositIds}::uuid[])`
  await query(em)
    .selectFrom('deposits as d')
    .select('d.id')
    .where((eb) =>
      eb.or([
        eb('d.id', '=', ofThese),
        eb.and([
          eb('d.state', '=', 'review'),
          eb('d.purchase', 'is not', null),
          eb('d.sender', 'in', eb.selectFrom('deposits as own').select('own.sender').where('own.id', '=', ofThese)),
        ]),
      ]),
    )
    .orderBy('d.id')
    .forUpdate('d')
    .execute()
}

/** The database was restored, and no longer knows what was sent back to this wallet (money.md 42). */
function reviewAfterRestore(settlement: Settlement, deposit: MinedDeposit): Settled {
  if (!mayBeRefunded(settlement, deposit)) return undefined
  leaveUnmatched(settlement, deposit)
  deposit.notes = 'The database was restored after this payment. It may have been refunded before.'
  return true
}

const mayBeRefunded = ({ records: { reviewedUntil } }: Settlement, { blockTime }: Pick<Deposit, 'blockTime'>): boolean =>
  Boolean(reviewedUntil && blockTime && blockTime <= reviewedUntil)

async function payRequest(settlement: Settlement, deposit: MinedDeposit): Promise<Settled> {
  const { em, records } = settlement
  const open = await matchDeposit(records, deposit)
  if (open?.kind === 'exact') {
    const late = open.purchase.status === 'reserved' ? !isOnTime(deposit, open.purchase) : isStale(deposit, open.purchase)
    return late ? markLate(settlement, deposit, open.purchase) : pay(settlement, deposit, open.purchase)
  }
  const closed = await findClosedRequest(em, records, deposit)
  if (closed?.onTime) return pay(settlement, deposit, closed.purchase)
  if (open) return holdForReview(settlement, deposit, open)
  return closed && markLate(settlement, deposit, closed.purchase)
}

/** A price is fixed for a day at most. Otherwise a small first payment could keep it forever. */
const endOfPrice = ({ openedAt }: Purchase): Date => new Date(openedAt.getTime() + DAY)

const isStale = ({ blockTime }: MinedDeposit, purchase: Purchase): boolean => blockTime > endOfPrice(purchase)

/** A payment from a proven wallet becomes a purchase even if the browser crashed before reserving (money.md 7). */
async function buyWithoutRequest(settlement: Settlement, deposit: MinedDeposit): Promise<Settled> {
  const { em, services, records } = settlement
  const { sender, blockTime, amount } = deposit
  const settings = await records.settingsAt(blockTime)
  const price = nodePriceOf(settings)
  const { clock } = services
  const ahead = clock.productNow().getTime() - clock.now().getTime()
  const fits =
    price > 0n &&
    amount % price === 0n &&
    // An administrator decides on a larger payment.
    amount / price <= MAX_NODES_AT_ONCE &&
    saleStateOf(settings, new Date(blockTime.getTime() + ahead)) === 'open'
  const userId = fits ? await findProvenOwner(em, { address: sender, at: blockTime }) : undefined
  const user = userId ? await em.findOne(User, { id: userId, otpEnabledAt: { $ne: null } }) : null
  if (!user || (await em.count(Purchase, { user, status: ['reserved', 'pending', 'manual_review'] }))) return undefined

  const purchase = em.create(Purchase, {
    id: newShownId(),
    user: user.id,
    status: 'pending',
    requestedQuantity: Number(amount / price),
    unitPrice: price,
    amount,
    wallet: sender,
    depositAddress: deposit.recipient,
    createdAt: clock.productNow(),
    openedAt: blockTime,
    expiresAt: new Date(blockTime.getTime() + RESERVATION_TIME),
    postedAt: clock.now(),
  })
  await em.flush()
  return pay(settlement, deposit, purchase)
}

async function reviewForeignClaim(settlement: Settlement, deposit: MinedDeposit): Promise<Settled> {
  const { em, records, changedUsers, waiting } = settlement
  const known = records.claims.find(({ claimedHash }) => claimedHash === deposit.transactionHash)
  if (!known) return undefined
  await em.flush()
  const purchase = await em.findOne(
    Purchase,
    { id: known.id, status: { $in: ['pending', 'manual_review'] } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  )
  if (!purchase) return undefined
  if (purchase.status === 'pending') {
    releaseSupply(await lockSupply(em), purchase)
    purchase.status = 'manual_review'
    purchase.result = 'wallet_mismatch'
  }
  review(deposit, 'wrong_wallet')
  attachDeposit(deposit, purchase)
  // The money belongs to the sender, not to the account that reported the hash.
  deposit.user = records.owner?.user ?? null
  waiting.push({ deposit, reason: 'foreign_claim', userId: purchase.user.id, purchaseId: purchase.id })
  if (deposit.user) waiting.push({ deposit, reason: 'wrong_wallet', userId: deposit.user.id })
  changedUsers.add(purchase.user.id)
  return true
}

function leaveUnmatched({ records, waiting }: Settlement, deposit: MinedDeposit): void {
  deposit.purchase = null
  deposit.user = records.owner?.user ?? null
  review(deposit, 'unmatched')
  if (deposit.user) waiting.push({ deposit, reason: 'unmatched', userId: deposit.user.id })
}

async function pay(settlement: Settlement, deposit: MinedDeposit, purchase: Purchase): Promise<Settled> {
  const { em, services, records } = settlement
  await em.flush()
  // Underpaid deposits of the purchase, which this one completes.
  const inReview = await em.find(Deposit, { purchase, sender: purchase.wallet!, state: 'review' })
  const earlier = inReview.filter((other) => other !== deposit && !mayBeRefunded(settlement, other))
  const payment = { hash: deposit.transactionHash, firstSeenAt: deposit.firstSeenAt, deposits: [...earlier, deposit] }
  if (await confirmPurchase(em, services, purchase, payment)) {
    records.open = records.open.filter((open) => open !== purchase)
    markMatched(deposit, purchase, services.clock.now())
    for (const part of earlier) markMatched(part, purchase, services.clock.now())
  } else reviewWith(settlement, deposit, { reason: 'insufficient_supply', purchase })
  return true
}

/** The amount differs from the request's: it waits for an administrator or for the rest of the money (money.md 8). */
async function holdForReview(settlement: Settlement, deposit: MinedDeposit, { purchase, sum }: Match): Promise<Settled> {
  const { em, services, records } = settlement
  const paidInFull = sum >= amountDue(purchase, await records.priceDueOf(purchase))
  if (paidInFull !== purchase.heldQuantity > 0) {
    await em.flush()
    const supply = await lockSupply(em)
    if (paidInFull) holdSupply(supply, purchase)
    else releaseSupply(supply, purchase)
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

/** What would confirm the purchase automatically, and until when. Undefined if an administrator decides. */
async function findRest(
  { services, records }: Settlement,
  deposit: MinedDeposit,
  { purchase, sum }: Pick<Match, 'purchase' | 'sum'>,
): Promise<WaitingPayment['rest']> {
  const until = endOfPrice(purchase)
  const isOpen = !isStale(deposit, purchase) && services.clock.now() < until
  if (sum >= purchase.amount || !isOpen || !(await isAtItsPrice(records, purchase))) return undefined
  return { amount: purchase.amount - sum, until }
}

/** The payment came too late for its request: an administrator decides. */
async function markLate(settlement: Settlement, deposit: MinedDeposit, purchase: Purchase): Promise<Settled> {
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
function reviewWith(
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
