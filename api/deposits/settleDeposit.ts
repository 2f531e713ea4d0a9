import { type EntityManager, LockMode } from '@mikro-orm/postgresql'
import { DAY } from '#shared/dates.ts'
import { RESERVATION_TIME } from '#shared/sale.ts'
import { newId } from '../db/newId.ts'
import { sql } from '../db/sql.ts'
import { Deposit, type ReviewReason } from '../entities/Deposit.ts'
import { Purchase } from '../entities/Purchase.ts'
import { User } from '../entities/User.ts'
import { WalletRegistration } from '../entities/WalletRegistration.ts'
import { lockSupply } from '../nodes/lockSupply.ts'
import { confirmPurchase } from '../purchases/confirmPurchase.ts'
import { holdSupply, releaseSupply } from '../purchases/holdSupply.ts'
import { attachDeposit, matchDeposit } from '../purchases/matchDeposit.ts'
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
 * | is of the transaction a person confirmed a purchase with | matched, and allocates nothing |
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
  await lockWithEarlier(em, depositId)
  const row = await em.findOne(Deposit, { id: depositId }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
  if (row?.state !== 'seen' || row.blockTime === null || row.blockNumber === null) return
  const deposit = row as MinedDeposit

  if (deposit.amount === 0n) ignore(deposit, tools)
  else
    await ((await payNamed(em, tools, deposit)) ??
      (await payRequest(em, tools, deposit)) ??
      (await payOwed(em, tools, deposit)) ??
      (await buyWithoutRequest(em, tools, deposit)) ??
      (await refuseForeignClaim(em, deposit)) ??
      leaveOver(em, tools, deposit))
  await em.flush()
}

/**
 * Locks the deposit, and those of its sender that wait with a request: they count towards its sum, and a person may be giving one of them
 * back at this moment. Deposits before purchases, in the order of ids, as `lockForDecision` does.
 */
async function lockWithEarlier(em: EntityManager, depositId: string): Promise<void> {
  await sql(
    em,
    `select from deposits where id = $1 or (state = 'review' and purchase_id is not null
       and sender = (select sender from deposits where id = $1)) order by id for update`,
    [depositId],
  )
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

const owed = { status: 'confirmed', owedDeposit: true } as const

/** The very transaction a person confirmed a purchase with (money.md 9): it pays for nothing else, whatever else it would fit. */
async function payNamed(em: EntityManager, tools: Tools, deposit: MinedDeposit): Promise<Settled> {
  const { transactionHash } = deposit
  const purchase = await em.findOne(
    Purchase,
    { ...owed, transactionHash },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  )
  if (!purchase) return undefined
  // Of several transfers in it, the one of its amount.
  const isOther = deposit.amount !== purchase.amount
  if (isOther && (await em.count(Deposit, { transactionHash, state: 'seen', amount: purchase.amount }))) return undefined
  return settleOwed(em, tools, deposit, purchase)
}

/** A purchase that a person confirmed without a transfer (money.md 9). */
async function payOwed(em: EntityManager, tools: Tools, deposit: MinedDeposit): Promise<Settled> {
  const since = new Date(deposit.blockTime.getTime() - 30 * DAY)
  const purchase = await em.findOne(
    Purchase,
    { ...owed, wallet: deposit.sender, amount: deposit.amount, openedAt: { $gt: since } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, orderBy: { openedAt: 'asc' } },
  )
  return purchase ? settleOwed(em, tools, deposit, purchase) : undefined
}

async function settleOwed(em: EntityManager, { clock }: Tools, deposit: MinedDeposit, purchase: Purchase): Promise<Settled> {
  purchase.owedDeposit = false
  purchase.transactionHash ??= deposit.transactionHash
  matchDeposit(deposit, purchase, clock.now())
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
    matchDeposit(deposit, purchase, tools.clock.now())
    // Those that came before it and were too little alone.
    for (const earlier of await em.find(Deposit, { purchase, sender: purchase.wallet!, state: 'review' }))
      matchDeposit(earlier, purchase, tools.clock.now())
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

function review(deposit: Deposit, reason: ReviewReason, purchase?: Purchase): void {
  deposit.state = 'review'
  deposit.reviewReason = reason
  if (purchase) attachDeposit(deposit, purchase)
}

function ignore(deposit: Deposit, { clock }: Tools): void {
  deposit.state = 'ignored'
  deposit.closedAt = clock.now()
}
