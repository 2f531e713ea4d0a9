import { type EntityManager, LockMode } from '@mikro-orm/postgresql'
import { DAY } from '#shared/dates.ts'
import { RESERVATION_TIME } from '#shared/sale.ts'
import { newId } from '../db/newId.ts'
import { Deposit, type ReviewReason } from '../entities/Deposit.ts'
import { Purchase } from '../entities/Purchase.ts'
import { User } from '../entities/User.ts'
import { WalletRegistration } from '../entities/WalletRegistration.ts'
import { lockSupply } from '../nodes/lockSupply.ts'
import { confirmPurchase } from '../purchases/confirmPurchase.ts'
import { holdSupply, releaseSupply } from '../purchases/holdSupply.ts'
import { recordPurchaseChange } from '../purchases/recordPurchaseChange.ts'
import { nodePriceOf, readSettings, saleStateOf } from '../settings/readSettings.ts'
import type { Services } from '../services.ts'
import { findProvenOwner } from '../wallets/findWalletOwner.ts'
import { type Fit, findClosedRequest, findRequest, isOnTime, type MinedDeposit } from './findRequest.ts'

type Tools = Pick<Services, 'jobs' | 'clock' | 'config'>

/**
 * Decides what a final deposit is. It leaves `seen` for exactly one state, once:
 *
 * | the deposit | becomes |
 * |---|---|
 * | has no value | ignored |
 * | completes an open request, on time | matched, and the request confirmed; `insufficient_supply` if too few nodes are left |
 * | completes a reservation too late | review: late |
 * | fits a request the product closed while it was on its way | matched as if that were open |
 * | has another amount than the open request | review: underpaid or overpaid |
 * | fits a request that was closed before | review: late |
 * | was owed by a purchase confirmed without one | matched, and allocates nothing |
 * | comes from a proven wallet without a request, as a multiple of the price | matched with a purchase of its own |
 * | is claimed by a request of another wallet | review: wrong_wallet |
 * | comes from nobody known and pays for less than a node | ignored |
 * | anything else | review: unmatched |
 */
export async function settleDeposit(em: EntityManager, tools: Tools, depositId: string): Promise<void> {
  const row = await em.findOne(Deposit, { id: depositId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
  if (row?.state !== 'seen' || row.blockTime === null || row.blockNumber === null) return
  const deposit = row as MinedDeposit

  if (deposit.amount === 0n) ignore(deposit, tools)
  else
    await ((await payRequest(em, tools, deposit)) ??
      (await payOwed(em, tools, deposit)) ??
      (await buyWithoutRequest(em, tools, deposit)) ??
      (await refuseForeignClaim(em, deposit)) ??
      leaveOver(em, tools, deposit))
  await em.flush()
}

/** What a step answers once the deposit has left `seen`; undefined means it is for the next step. */
type Settled = true | undefined

async function payRequest(em: EntityManager, tools: Tools, deposit: MinedDeposit): Promise<Settled> {
  const open = await findRequest(em, deposit)
  if (open?.kind === 'exact') {
    const late = open.purchase.status === 'reserved' ? !isOnTime(deposit, open.purchase) : isStale(deposit, open.purchase)
    return late ? meetTooLate(em, tools, deposit, open.purchase) : pay(em, tools, deposit, open.purchase)
  }
  const closed = await findClosedRequest(em, deposit)
  if (closed?.onTime) return pay(em, tools, deposit, closed.purchase)
  if (open) return holdForReview(em, tools, deposit, open)
  return closed && meetTooLate(em, tools, deposit, closed.purchase)
}

/** A price is frozen for a day at most: a request that was begun with a trifle does not keep it for ever. */
const isStale = (deposit: MinedDeposit, purchase: Purchase): boolean =>
  deposit.blockTime.getTime() > purchase.openedAt.getTime() + DAY

/** A purchase that a person confirmed before its transfer was seen (money.md 9). */
async function payOwed(em: EntityManager, tools: Tools, deposit: MinedDeposit): Promise<Settled> {
  const since = new Date(deposit.blockTime.getTime() - 30 * DAY)
  const owed = { status: 'confirmed', owedDeposit: true } as const
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true } as const
  const purchase =
    (await em.findOne(Purchase, { ...owed, transactionHash: deposit.transactionHash }, lock)) ??
    (await em.findOne(
      Purchase,
      { ...owed, wallet: deposit.sender, amount: deposit.amount, openedAt: { $gt: since } },
      { ...lock, orderBy: { openedAt: 'asc' } },
    ))
  if (!purchase) return undefined
  purchase.owedDeposit = false
  purchase.transactionHash ??= deposit.transactionHash
  match(deposit, purchase, tools)
  await recordPurchaseChange(em, purchase.user.id)
  return true
}

/** More than anybody asks for: such a payment is for a person to look at. */
const MOST_NODES = 1_000_000n

/** A browser that died before it could reserve loses nothing: a proven wallet's payment is its purchase (money.md 7). */
async function buyWithoutRequest(em: EntityManager, tools: Tools, deposit: MinedDeposit): Promise<Settled> {
  const { sender, blockTime, amount } = deposit
  const settings = await readSettings(em, blockTime)
  const price = nodePriceOf(settings)
  const { clock } = tools
  const ahead = clock.productNow().getTime() - clock.now().getTime()
  const fits =
    price > 0n &&
    amount % price === 0n &&
    amount / price <= MOST_NODES &&
    saleStateOf(settings, new Date(blockTime.getTime() + ahead)) === 'open'
  const userId = fits ? await findProvenOwner(em, { address: sender, at: blockTime }) : undefined
  const user = userId ? await em.findOne(User, { id: userId, otpEnabledAt: { $ne: null } }) : null
  if (!user || (await em.count(Purchase, { user, status: ['reserved', 'pending', 'manual_review'] }))) return undefined

  const purchase = em.create(Purchase, {
    id: newId(),
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
  return pay(em, tools, deposit, purchase)
}

async function refuseForeignClaim(em: EntityManager, deposit: MinedDeposit): Promise<Settled> {
  const purchase = await em.findOne(
    Purchase,
    { claimedHash: deposit.transactionHash, status: ['pending', 'manual_review'], wallet: { $ne: deposit.sender } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, orderBy: { openedAt: 'asc' } },
  )
  if (!purchase) return undefined
  if (purchase.status === 'pending') {
    releaseSupply(await lockSupply(em), purchase)
    purchase.status = 'manual_review'
    purchase.result = 'wallet_mismatch'
  }
  review(deposit, 'wrong_wallet', purchase)
  // Whose money it is, is the sender's matter, not the claimer's.
  deposit.user = (await findRegistration(em, deposit))?.user ?? null
  await recordPurchaseChange(em, purchase.user.id)
  return true
}

async function leaveOver(em: EntityManager, tools: Tools, deposit: MinedDeposit): Promise<Settled> {
  const registration = await findRegistration(em, deposit)
  deposit.purchase = null
  deposit.user = registration?.user ?? null
  const price = nodePriceOf(await readSettings(em, deposit.blockTime))
  if (!registration && deposit.amount < price) ignore(deposit, tools)
  else review(deposit, 'unmatched')
  return true
}

/** The account that has, or had, the sender's address last. */
const findRegistration = (em: EntityManager, deposit: Deposit) =>
  em.findOne(WalletRegistration, { address: deposit.sender }, { orderBy: { registeredAt: 'desc' } })

async function pay(em: EntityManager, tools: Tools, deposit: MinedDeposit, purchase: Purchase): Promise<Settled> {
  const payment = { hash: deposit.transactionHash, firstSeenAt: deposit.firstSeenAt }
  if (await confirmPurchase(em, tools, purchase, payment)) {
    match(deposit, purchase, tools)
    // Those that came before it and were too little alone.
    for (const earlier of await em.find(Deposit, { purchase, sender: purchase.wallet!, state: 'review' }))
      match(earlier, purchase, tools)
  } else review(deposit, 'insufficient_supply', purchase)
  return true
}

/** Another amount than the request's: it waits for a person, or for the rest of the money (money.md 8). */
async function holdForReview(em: EntityManager, tools: Tools, deposit: MinedDeposit, { purchase, sum }: Fit): Promise<Settled> {
  const supply = await lockSupply(em)
  const due = nodePriceOf(await readSettings(em, purchase.openedAt)) * BigInt(purchase.requestedQuantity)
  const paidInFull = sum >= purchase.amount && sum >= due
  if (paidInFull) holdSupply(supply, purchase)
  else releaseSupply(supply, purchase)
  purchase.postedAt ??= tools.clock.now()
  // One that waits for another reason keeps it.
  if (purchase.status !== 'manual_review') purchase.result = 'amount_mismatch'
  purchase.status = 'manual_review'
  const reason = paidInFull ? 'overpaid' : 'underpaid'
  for (const earlier of await em.find(Deposit, { purchase, state: 'review', reviewReason: ['underpaid', 'overpaid'] })) {
    earlier.reviewReason = reason
  }
  review(deposit, reason, purchase)
  await em.flush()
  await recordPurchaseChange(em, purchase.user.id)
  return true
}

/** The money is here, the reservation is not: a person decides. */
async function meetTooLate(em: EntityManager, tools: Tools, deposit: MinedDeposit, purchase: Purchase): Promise<Settled> {
  releaseSupply(await lockSupply(em), purchase)
  purchase.status = 'manual_review'
  purchase.result = 'late_payment'
  purchase.postedAt ??= tools.clock.now()
  review(deposit, 'late', purchase)
  await em.flush()
  await recordPurchaseChange(em, purchase.user.id)
  return true
}

function match(deposit: Deposit, purchase: Purchase, { clock }: Tools): void {
  deposit.state = 'matched'
  deposit.reviewReason = null
  deposit.closedAt = clock.now()
  attach(deposit, purchase)
}

function review(deposit: Deposit, reason: ReviewReason, purchase?: Purchase): void {
  deposit.state = 'review'
  deposit.reviewReason = reason
  if (purchase) attach(deposit, purchase)
}

function ignore(deposit: Deposit, { clock }: Tools): void {
  deposit.state = 'ignored'
  deposit.closedAt = clock.now()
}

function attach(deposit: Deposit, purchase: Purchase): void {
  Object.assign(deposit, { purchase, user: purchase.user })
}
