import { type EntityManager, LockMode } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { DAY } from '#shared/dates.ts'
import { costOf, MAX_NODES_AT_ONCE, RESERVATION_TIME } from '#shared/sale.ts'
import { newShownId } from '#api/platform/db/newId.ts'
import { query } from '#api/entities/tables.ts'
import { Deposit, type ReviewReason } from '#api/entities/Deposit.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import { User } from '#api/entities/User.ts'
import { lockSupply } from '../supply/lockSupply.ts'
import { confirmPurchase } from '../purchases/confirmPurchase.ts'
import { holdSupply, releaseSupply } from '../purchases/holdSupply.ts'
import { attachDeposit, markMatched } from '../purchases/markMatched.ts'
import { recordPurchaseChange } from '../purchases/recordPurchaseChange.ts'
import { nodePriceOf, saleStateOf } from '../settings/readSettings.ts'
import type { Services } from '#api/platform/services.ts'
import { findProvenOwner } from '#api/accounts/wallets/findWalletOwner.ts'
import {
  type Fit,
  findClosedRequest,
  findRequest,
  isOnTime,
  type MinedDeposit,
  openSenderBook,
  type SenderBook,
} from './findRequest.ts'

type Tools = Pick<Services, 'jobs' | 'clock' | 'config'>

/**
 * Decides what final deposits of one sender are, whose rows are as their receipts say (`verifyTransactions`) and which are no dust
 * (`ignoreDust`). Each leaves `seen` for exactly one state, once:
 *
 * | the deposit | becomes |
 * |---|---|
 * | is of the transaction a person confirmed a purchase with | matched, and allocates nothing |
 * | completes an open request, on time | matched, and the request confirmed; `insufficient_supply` if too few nodes are left |
 * | completes a reservation too late | review: late |
 * | fits a request the product closed while it was on its way | matched as if that were open |
 * | has another amount than the open request | review: underpaid or overpaid |
 * | fits a request that was closed before | review: late |
 * | was owed by a purchase confirmed without one | matched, and allocates nothing |
 * | comes from a proven wallet without a request, as a multiple of the price | matched with a purchase of its own |
 * | is claimed by a request of another wallet | review: wrong_wallet |
 * | anything else | review: unmatched |
 *
 * Those that pay an open request by themselves go first: small change before them does not make them `overpaid`.
 */
export async function settleDeposits(em: EntityManager, tools: Tools, depositIds: readonly string[]): Promise<void> {
  await lockWithEarlier(em, depositIds)
  const rows = await em.find(
    Deposit,
    { id: { $in: [...depositIds] }, state: 'seen', blockNumber: { $ne: null } },
    { refresh: true, orderBy: { blockNumber: 'asc', logIndex: 'asc' } },
  )
  const [first, ...others] = rows
  if (!first) return
  const book = await openSenderBook(em, [first, ...others])
  const amounts = new Set(book.open.map(({ amount }) => amount))
  const settling: Settling = { em, tools, book, changedUsers: new Set() }
  for (const deposit of [
    ...rows.filter(({ amount }) => amounts.has(amount)),
    ...rows.filter(({ amount }) => !amounts.has(amount)),
  ]) {
    await settleDeposit(settling, deposit as MinedDeposit)
  }
  await em.flush()
  for (const userId of settling.changedUsers) await recordPurchaseChange(em, userId)
}

interface Settling {
  em: EntityManager
  tools: Tools
  book: SenderBook
  /** Accounts whose open pages are told, once, that requests of theirs have changed. */
  changedUsers: Set<string>
}

async function settleDeposit(settling: Settling, deposit: MinedDeposit): Promise<void> {
  const isSettled =
    (await payNamed(settling, deposit)) ??
    (await payRequest(settling, deposit)) ??
    (await payOwed(settling, deposit)) ??
    (await buyWithoutRequest(settling, deposit)) ??
    (await refuseForeignClaim(settling, deposit))
  if (!isSettled) leaveOver(settling, deposit)
}

/**
 * Locks the deposits, and those of their sender that wait with a request: they count towards its sum, and a person may be giving one of
 * them back at this moment. Deposits before purchases, in the order of ids, as `lockForDecision` does.
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

/** What a step answers once the deposit has left `seen`; undefined means it is for the next step. */
type Settled = true | undefined

async function payRequest(settling: Settling, deposit: MinedDeposit): Promise<Settled> {
  const { em, book } = settling
  const open = await findRequest(book, deposit)
  if (open?.kind === 'exact') {
    const late = open.purchase.status === 'reserved' ? !isOnTime(deposit, open.purchase) : isStale(deposit, open.purchase)
    return late ? meetTooLate(settling, deposit, open.purchase) : pay(settling, deposit, open.purchase)
  }
  const closed = await findClosedRequest(em, book, deposit)
  if (closed?.onTime) return pay(settling, deposit, closed.purchase)
  if (open) return holdForReview(settling, deposit, open)
  return closed && meetTooLate(settling, deposit, closed.purchase)
}

/** A price is frozen for a day at most: a request that was begun with a trifle does not keep it for ever. */
const isStale = (deposit: MinedDeposit, purchase: Purchase): boolean =>
  deposit.blockTime.getTime() > purchase.openedAt.getTime() + DAY

/** The very transaction a person confirmed a purchase with (money.md 9): it pays for nothing else, whatever else it would fit. */
async function payNamed(settling: Settling, deposit: MinedDeposit): Promise<Settled> {
  const { em, book } = settling
  const { transactionHash } = deposit
  const purchase = await lockOwed(
    em,
    book.owed.find((owed) => owed.owedDeposit && owed.transactionHash === transactionHash),
  )
  if (!purchase) return undefined
  // Of several transfers in it, the one of its amount.
  const isOther = deposit.amount !== purchase.amount
  if (isOther && (await em.count(Deposit, { transactionHash, state: 'seen', amount: purchase.amount }))) return undefined
  return settleOwed(settling, deposit, purchase)
}

/** A purchase that a person confirmed without a transfer (money.md 9). */
async function payOwed(settling: Settling, deposit: MinedDeposit): Promise<Settled> {
  const since = deposit.blockTime.getTime() - 30 * DAY
  const [oldest] = settling.book.owed
    .filter(
      ({ owedDeposit, wallet, amount, openedAt }) =>
        owedDeposit && wallet === deposit.sender && amount === deposit.amount && openedAt.getTime() > since,
    )
    .toSorted((a, b) => a.openedAt.getTime() - b.openedAt.getTime())
  const purchase = await lockOwed(settling.em, oldest)
  return purchase ? settleOwed(settling, deposit, purchase) : undefined
}

/** Locks a purchase, if it is still owed a deposit. */
async function lockOwed(em: EntityManager, known: Purchase | undefined): Promise<Purchase | null> {
  if (!known) return null
  await em.flush()
  return em.findOne(
    Purchase,
    { id: known.id, status: 'confirmed', owedDeposit: true },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  )
}

function settleOwed({ tools, changedUsers }: Settling, deposit: MinedDeposit, purchase: Purchase): Settled {
  purchase.owedDeposit = false
  purchase.transactionHash ??= deposit.transactionHash
  markMatched(deposit, purchase, tools.clock.now())
  changedUsers.add(purchase.user.id)
  return true
}

/** A browser that died before it could reserve loses nothing: a proven wallet's payment is its purchase (money.md 7). */
async function buyWithoutRequest(settling: Settling, deposit: MinedDeposit): Promise<Settled> {
  const { em, tools, book } = settling
  const { sender, blockTime, amount } = deposit
  const settings = await book.settingsAt(blockTime)
  const price = nodePriceOf(settings)
  const { clock } = tools
  const ahead = clock.productNow().getTime() - clock.now().getTime()
  const fits =
    price > 0n &&
    amount % price === 0n &&
    // A payment for more is decided by a person.
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
  return pay(settling, deposit, purchase)
}

async function refuseForeignClaim(settling: Settling, deposit: MinedDeposit): Promise<Settled> {
  const { em, book, changedUsers } = settling
  const known = book.claims.find(({ claimedHash }) => claimedHash === deposit.transactionHash)
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
  // Whose money it is, is the sender's matter, not the claimer's.
  deposit.user = book.owner?.user ?? null
  changedUsers.add(purchase.user.id)
  return true
}

function leaveOver({ book }: Settling, deposit: MinedDeposit): void {
  deposit.purchase = null
  deposit.user = book.owner?.user ?? null
  review(deposit, 'unmatched')
}

async function pay(settling: Settling, deposit: MinedDeposit, purchase: Purchase): Promise<Settled> {
  const { em, tools, book } = settling
  const payment = { hash: deposit.transactionHash, firstSeenAt: deposit.firstSeenAt }
  await em.flush()
  if (await confirmPurchase(em, tools, purchase, payment)) {
    book.open = book.open.filter((open) => open !== purchase)
    markMatched(deposit, purchase, tools.clock.now())
    // Those that came before it and were too little alone.
    for (const earlier of await em.find(Deposit, { purchase, sender: purchase.wallet!, state: 'review' }))
      markMatched(earlier, purchase, tools.clock.now())
  } else reviewWith(settling, deposit, { reason: 'insufficient_supply', purchase })
  return true
}

/** Another amount than the request's: it waits for a person, or for the rest of the money (money.md 8). */
async function holdForReview(settling: Settling, deposit: MinedDeposit, { purchase, sum }: Fit): Promise<Settled> {
  const { em, tools, book } = settling
  const due = costOf(nodePriceOf(await book.settingsAt(purchase.openedAt)), purchase.requestedQuantity)
  const paidInFull = sum >= purchase.amount && sum >= due
  if (paidInFull !== purchase.heldQuantity > 0) {
    await em.flush()
    const supply = await lockSupply(em)
    if (paidInFull) holdSupply(supply, purchase)
    else releaseSupply(supply, purchase)
  }
  purchase.postedAt ??= tools.clock.now()
  // One that waits for another reason keeps it.
  if (purchase.status !== 'manual_review') purchase.result = 'amount_mismatch'
  purchase.status = 'manual_review'
  const [reason, other] = paidInFull ? (['overpaid', 'underpaid'] as const) : (['underpaid', 'overpaid'] as const)
  if (book.reasons.get(purchase.id) !== reason) {
    for (const earlier of await em.find(Deposit, { purchase, state: 'review', reviewReason: other }))
      earlier.reviewReason = reason
    book.reasons.set(purchase.id, reason)
  }
  reviewWith(settling, deposit, { reason, purchase })
  return true
}

/** The money is here, the reservation is not: a person decides. */
async function meetTooLate(settling: Settling, deposit: MinedDeposit, purchase: Purchase): Promise<Settled> {
  await settling.em.flush()
  releaseSupply(await lockSupply(settling.em), purchase)
  purchase.status = 'manual_review'
  purchase.result = 'late_payment'
  purchase.postedAt ??= settling.tools.clock.now()
  reviewWith(settling, deposit, { reason: 'late', purchase })
  return true
}

function review(deposit: Deposit, reason: ReviewReason): void {
  deposit.state = 'review'
  deposit.reviewReason = reason
}

/** It waits with a purchase: for a person, or for the rest of the money. */
function reviewWith(
  { book, changedUsers }: Settling,
  deposit: MinedDeposit,
  { reason, purchase }: { reason: ReviewReason; purchase: Purchase },
): void {
  review(deposit, reason)
  attachDeposit(deposit, purchase)
  book.paid.set(purchase.id, (book.paid.get(purchase.id) ?? 0n) + deposit.amount)
  changedUsers.add(purchase.user.id)
}
