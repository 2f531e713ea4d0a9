import { type EntityManager, LockMode } from '@mikro-orm/postgresql'
import type { Address, Hash } from 'viem'
import { DAY } from '#shared/dates.ts'
import { costOf, RESERVATION_TIME } from '#shared/sale.ts'
import { newShownId } from '#api/platform/db/newId.ts'
import { query } from '#api/entities/tables.ts'
import { readWaitStart } from '#api/platform/clock/readWaitStart.ts'
import { Deposit } from '#api/entities/Deposit.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import { User } from '#api/entities/User.ts'
import { lockSupply } from '../supply/lockSupply.ts'
import { consumeStepUpMark, hasStepUpMark } from '#api/accounts/otp/consumeStepUpMark.ts'
import { nodePriceOf, readSettings, saleStateOf } from '../settings/readSettings.ts'
import { isWalletProven } from '#api/accounts/users/isWalletProven.ts'
import { countUnpaid, lockBeforePurchase } from './countUnpaid.ts'
import * as refuse from './errors.ts'
import { holdSupply, releaseSupply } from './holdSupply.ts'
import type { Funds } from './readFunds.ts'
import { recordPurchaseChange } from './recordPurchaseChange.ts'
import { findUncovered, findUncoveredReason, readHoldsOlderThan, sumUnpaid } from './unpaidHolds.ts'

export interface PurchaseRequest {
  userId: string
  sessionKey: string
  quantity: number
  amount: bigint
  /** The transaction that the browser reports. It is unverified and only orders candidates (money.md 6). */
  hash: Hash | undefined
  /** The balance of the registered wallet. */
  funds: Funds | undefined
  now: Date
  productNow: Date
  depositAddress: Address
}

/**
 * Records that the buyer is paying or has paid, and returns the purchase's id.
 *
 * The buyer's own reservation becomes the purchase. It is never refused for price, supply, sales state or expiry, because the money may be
 * on its way (money.md 14). Without a reservation, the rules of a reservation apply.
 */
export async function createPurchase(em: EntityManager, request: PurchaseRequest): Promise<string> {
  const known = await findOwnByHash(em, request)
  if (known) return known.id
  await lockBeforePurchase(em, request.userId)
  const reserved = await claimReservation(em, request)
  // The watcher may have just created the purchase from the reservation, so search again.
  const found = reserved ? null : ((await findOwnByHash(em, request)) ?? (await findByTerms(em, request)))
  if (found) return found.id

  const purchase = reserved ?? (await findWithoutDeposit(em, request)) ?? (await openPurchase(em, request))
  await refuseUnusableHash(em, request.hash, purchase.wallet!)
  purchase.claimedHash = request.hash ?? null
  purchase.postedAt ??= request.now
  await em.flush()
  await recordPurchaseChange(em, request.userId)
  return purchase.id
}

/** A hash has one effect, even if it is reported twice or the watcher found it first. */
async function findOwnByHash(em: EntityManager, { userId, hash }: PurchaseRequest): Promise<Purchase | null> {
  if (!hash) return null
  const paidFor = await em.findOne(Deposit, { transactionHash: hash, state: { $ne: 'seen' }, purchase: { user: userId } })
  if (paidFor?.purchase) return paidFor.purchase.load()
  return em.findOne(Purchase, { user: userId, postedAt: { $ne: null }, $or: [{ claimedHash: hash }, { transactionHash: hash }] })
}

/**
 * The purchase that a report without a hash means if the watcher has already found the payment. Requires that no one-time code was entered
 * for a new purchase, which makes any other meaning impossible.
 */
async function findByTerms(
  em: EntityManager,
  { userId, sessionKey, quantity, amount, hash, now }: PurchaseRequest,
): Promise<Purchase | null> {
  if (hash || (await hasStepUpMark(em, { userId, sessionKey, purpose: 'purchase', now }))) return null
  return em.findOne(
    Purchase,
    {
      user: userId,
      requestedQuantity: quantity,
      amount,
      claimedHash: null,
      status: ['confirmed', 'manual_review'],
      openedAt: { $gt: new Date(now.getTime() - DAY) },
    },
    { orderBy: { openedAt: 'desc' } },
  )
}

/**
 * The purchase of the same quantity and amount that waits for its payment and has no deposit yet: the wallet has replaced the transaction,
 * or the buyer reported a wrong hash. Requires that no one-time code was entered for a new purchase, which makes any other meaning
 * impossible.
 */
async function findWithoutDeposit(
  em: EntityManager,
  { userId, sessionKey, quantity, amount, hash, now }: PurchaseRequest,
): Promise<Purchase | undefined> {
  if (!hash || (await hasStepUpMark(em, { userId, sessionKey, purpose: 'purchase', now }))) return undefined
  const waiting = await em.find(
    Purchase,
    { user: userId, requestedQuantity: quantity, amount, status: 'pending', postedAt: { $ne: null } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } },
  )
  const seen = await em.find(Deposit, { purchase: { $in: waiting } })
  return waiting.findLast((purchase) => seen.every((deposit) => deposit.purchase?.id !== purchase.id))
}

/** The account's reservation of the same quantity and amount: the open one, else one that expired within the last day. */
async function claimReservation(em: EntityManager, request: PurchaseRequest): Promise<Purchase | null> {
  const { userId, quantity, amount, now } = request
  const same = { user: userId, requestedQuantity: quantity, amount }
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { openedAt: 'desc' } } as const
  const open = await em.findOne(Purchase, { ...same, status: 'reserved' }, lock)
  if (open) {
    open.status = 'pending'
    if (await isUncovered(em, open, request)) {
      releaseSupply(await lockSupply(em), open)
      await countUnpaid(em, [{ userId }], now)
    }
    return open
  }
  const expired = await em.findOne(
    Purchase,
    { ...same, status: 'cancelled', closedReason: 'expired', postedAt: null, openedAt: { $gt: new Date(now.getTime() - DAY) } },
    lock,
  )
  if (!expired) return null
  // It holds no supply any more: its deposit takes nodes that are left.
  expired.status = 'pending'
  expired.closedAt = null
  expired.closedReason = null
  return expired
}

/** Whether the wallet no longer covers the reservation, as of the last block read. */
async function isUncovered(
  em: EntityManager,
  { id, wallet }: Purchase,
  { funds, now }: Pick<PurchaseRequest, 'funds' | 'now'>,
): Promise<boolean> {
  if (!funds?.atRead || funds.wallet !== wallet) return false
  const holds = await readHoldsOlderThan(em, funds.atRead.blockTime, { now, wallet })
  return findUncovered(holds, funds.atRead.balance).some((hold) => hold.id === id)
}

async function openPurchase(em: EntityManager, request: PurchaseRequest): Promise<Purchase> {
  const { userId, sessionKey, quantity, amount, hash, now, productNow, depositAddress } = request
  // As in reserveNodes.ts: a clock that is behind must not make it older than payments of others.
  const openedAt = await readWaitStart(em, now)
  const settings = await readSettings(em, openedAt)
  const saleState = saleStateOf(settings, productNow)
  if (saleState === 'off') throw refuse.salesOff()
  if (saleState === 'not_started') throw refuse.salesNotStarted(settings.sales_start_date)
  const user = await em.findOneOrFail(User, userId)
  if (!user.walletAddress) throw refuse.walletRequired()
  if (!user.otpEnabledAt) throw refuse.otpNotEnabled()

  const price = nodePriceOf(settings)
  const fits = amount === costOf(price, quantity)
  if (!fits && !(await wasPriceBefore(em, amount, quantity))) throw refuse.wrongAmount()
  if (!fits && !hash) throw refuse.priceChanged(price)
  if (user.reservationsPausedUntil && user.reservationsPausedUntil > now)
    throw refuse.reservationsPaused(user.reservationsPausedUntil, now)
  await consumeStepUpMark(em, { userId, sessionKey, purpose: 'purchase', now })

  const purchase = em.create(Purchase, {
    id: newShownId(),
    user: userId,
    // An administrator decides on a payment at another price.
    status: fits ? 'pending' : 'manual_review',
    result: fits ? 'normal' : 'amount_mismatch',
    requestedQuantity: quantity,
    unitPrice: amount / BigInt(quantity),
    amount,
    wallet: user.walletAddress,
    depositAddress,
    createdAt: productNow,
    openedAt,
    expiresAt: new Date(openedAt.getTime() + RESERVATION_TIME),
  })
  const supply = await lockSupply(em)
  const wallet = user.walletAddress
  const isProven = await isWalletProven(em, userId)
  const unpaid = await sumUnpaid(em, { userId, wallet })
  const uncovered = findUncoveredReason({ amount, quantity, wallet, isProven }, unpaid, request.funds)
  if (uncovered && !hash) throw uncovered
  // A reported payment is never refused: it takes the supply that is left, or goes to review. But only a covered request holds supply,
  // otherwise invented hashes could hold all of it.
  if (fits && !uncovered && !holdSupply(supply, purchase) && !hash) throw refuse.insufficientSupply(supply.remaining())
  return purchase
}

async function wasPriceBefore(em: EntityManager, amount: bigint, quantity: number): Promise<boolean> {
  const rows = await query(em).selectFrom('setting_changes').select('value').where('key', '=', 'node_price_usdt').execute()
  return rows.some(({ value }) => costOf(nodePriceOf({ node_price_usdt: value }), quantity) === amount)
}

/** A transaction that is already on the chain must come from the paying wallet and have a deposit that is not closed. */
async function refuseUnusableHash(em: EntityManager, hash: Hash | undefined, wallet: Address): Promise<void> {
  if (!hash) return
  const deposits = await em.find(Deposit, { transactionHash: hash })
  if (deposits.length === 0) return
  const own = deposits.filter((deposit) => deposit.sender === wallet)
  if (own.length === 0) throw refuse.transactionForeign()
  if (own.every((deposit) => deposit.state !== 'seen' && deposit.state !== 'review')) throw refuse.transactionUsed()
}
