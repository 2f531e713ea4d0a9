import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { listPayments } from '#shared/contract/purchases.ts'
import { MAX_NODES_AT_ONCE, RESERVATION_TIME } from '#shared/sale.ts'
import { newShownId } from '#api/platform/db/newId.ts'
import { recordChange, recordChanges } from '#api/platform/events/recordChange.ts'
import { query } from '#api/entities/tables.ts'
import { Deposit } from '#api/entities/Deposit.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import { User } from '#api/entities/User.ts'
import { confirmPurchase } from '../purchases/confirmPurchase.ts'
import { markMatched } from '../purchases/markMatched.ts'
import { recordPurchaseChange } from '../purchases/recordPurchaseChange.ts'
import { nodePriceOf, saleStateOf } from '../settings/readSettings.ts'
import { findProvenOwner } from '#api/accounts/wallets/findWalletOwner.ts'
import { findClosedRequest, matchDeposit, isOnTime, type MinedDeposit, loadSenderRecords } from './matchDeposit.ts'
import {
  holdForReview,
  isBeforeRestore,
  isStale,
  leaveUnmatched,
  markLate,
  reviewAfterRestore,
  reviewForeignClaim,
  reviewWith,
} from './reviewDeposit.ts'
import type { Settled, Settlement, SettlementServices } from './Settlement.ts'
import { payByTransaction, payKept, payOwed, payOwedInParts, replaceKept } from './settleOwed.ts'
import { tellWaiting } from './tellWaiting.ts'

/**
 * Settles final deposits of one sender. Their rows match their receipts (`verifyTransactions`) and are not dust (`ignoreDust`). Each leaves
 * `seen` exactly once, for exactly one state:
 *
 * - paid for nodes that were kept when it vanished: matched, allocates nothing
 * - its transaction confirmed a purchase by hand: matched, allocates nothing
 * - from a wallet that may have been refunded before a restore: review, unmatched
 * - completes an open request on time: matched, and the request is confirmed; `insufficient_supply` if too few nodes are left
 * - completes a reservation too late, or another request more than a day after it was opened: review, late
 * - fits a request that was closed automatically while the payment was on its way: matched as if it were open
 * - has another amount than the open request: review, underpaid or overpaid
 * - fits a request that was closed before: review, late
 * - is owed by a purchase confirmed without a deposit, or equals a payment that vanished and whose nodes were kept: matched, allocates nothing
 * - is less than a purchase confirmed without a deposit is owed: review, underpaid; matched once the parts are its amount
 * - comes from a proven wallet without a request, as a multiple of the price: matched with a new purchase
 * - is reported by a request of another wallet: review, wrong_wallet
 * - otherwise: review, unmatched
 *
 * Deposits that pay an open request alone are settled first, so that small change before them does not make them `overpaid`; before them
 * those that are kept for a purchase, which an equal transfer would replace.
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
  const turnOf = ({ keptFor, amount }: Deposit) => (keptFor ? 0 : amounts.has(amount) ? 1 : 2)
  const settlement: Settlement = { em, services, records, changedUsers: new Set(), waiting: [] }
  for (const deposit of rows.toSorted((one, other) => turnOf(one) - turnOf(other)))
    await settleDeposit(settlement, deposit as MinedDeposit)
  await em.flush()
  for (const userId of settlement.changedUsers) await recordPurchaseChange(em, userId)
  // A deposit in review changes the list of payments even if it changes no request.
  await recordChanges(em, { userIds: rows.flatMap(({ user }) => user?.id ?? []), keys: [listPayments.path] })
  await recordChange(em, { keys: [getWaiting.path] })
  await tellWaiting(em, services, settlement.waiting)
}

async function settleDeposit(settlement: Settlement, deposit: MinedDeposit): Promise<void> {
  const isSettled =
    (await payKept(settlement, deposit)) ??
    (await payByTransaction(settlement, deposit)) ??
    reviewAfterRestore(settlement, deposit) ??
    (await payRequest(settlement, deposit)) ??
    (await payOwed(settlement, deposit)) ??
    (await replaceKept(settlement, deposit)) ??
    (await payOwedInParts(settlement, deposit)) ??
    (await buyWithoutRequest(settlement, deposit)) ??
    (await reviewForeignClaim(settlement, deposit))
  if (!isSettled) leaveUnmatched(settlement, deposit)
}

/**
 * Locks the deposits, the reviewed ones of their sender that are attached to a request, which count towards its sum and which an
 * administrator may be refunding, and those of it that are kept for a purchase. Same lock order as `lockForDecision`: deposits before purchases, by id.
 */
async function lockWithEarlier(em: EntityManager, depositIds: readonly string[]): Promise<void> {
  const ofThese = sql<string>`any(${depositIds}::uuid[])`
  await query(em)
    .selectFrom('deposits as d')
    .select('d.id')
    .where((eb) => {
      const isOfSender = eb('d.sender', 'in', eb.selectFrom('deposits as own').select('own.sender').where('own.id', '=', ofThese))
      return eb.or([
        eb('d.id', '=', ofThese),
        eb.and([eb('d.state', '=', 'review'), eb('d.purchase', 'is not', null), isOfSender]),
        eb.and([eb('d.keptFor', 'is not', null), isOfSender]),
      ])
    })
    .orderBy('d.id')
    .forUpdate('d')
    .execute()
}

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

async function pay(settlement: Settlement, deposit: MinedDeposit, purchase: Purchase): Promise<Settled> {
  const { em, services, records } = settlement
  await em.flush()
  // Underpaid deposits of the purchase, which this one completes.
  const inReview = await em.find(Deposit, { purchase, sender: purchase.wallet!, state: 'review' })
  const earlier = inReview.filter((other) => other !== deposit && !isBeforeRestore(settlement, other))
  const payment = { hash: deposit.transactionHash, firstSeenAt: deposit.firstSeenAt, deposits: [...earlier, deposit] }
  if (await confirmPurchase(em, services, purchase, payment)) {
    records.open = records.open.filter((open) => open !== purchase)
    markMatched(deposit, purchase, services.clock.now())
    for (const part of earlier) markMatched(part, purchase, services.clock.now())
  } else reviewWith(settlement, deposit, { reason: 'insufficient_supply', purchase })
  return true
}
