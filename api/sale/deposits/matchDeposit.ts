import { type EntityManager, LockMode } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { DAY, MINUTE } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import type { Deposit, ReviewReason } from '#api/entities/Deposit.ts'
import { openStatuses, Purchase } from '#api/entities/Purchase.ts'
import { ReviewedWallet } from '#api/entities/ReviewedWallet.ts'
import { readProvers } from '#api/accounts/wallets/readProvers.ts'
import { readPriceDue } from '../purchases/amountDue.ts'
import { readSettings, type Settings } from '../settings/readSettings.ts'

export type MinedDeposit = Deposit & { blockTime: Date; blockNumber: bigint }

/**
 * The request that a deposit belongs to.
 *
 * - exact: the deposit completes the request's exact amount, at its original price
 * - other: the account's oldest open request, which expects another amount
 */
export interface Match {
  kind: 'exact' | 'other'
  purchase: Purchase
  /** The sum that this wallet has paid for it, including this deposit. */
  sum: bigint
}

/** Tolerates clock differences and block times in whole seconds; in milliseconds. */
export const CLOCK_TOLERANCE = 5_000

/**
 * The records needed to settle a group of deposits of one sender. Open requests are locked, and their sums are updated with each deposit.
 * Other requests are read once per group and locked when they are used.
 */
export interface SenderRecords {
  /** Open requests made with this wallet. */
  open: Purchase[]
  /** The sum that this wallet has paid for each of them with final deposits. */
  paid: Map<string, bigint>
  /** The last review reason of the deposits attached to each of them. */
  reasons: Map<string, ReviewReason>
  /** Requests of this wallet closed without payment, newest first. */
  closed: Purchase[]
  /** Purchases that are owed a deposit: those of this wallet and those confirmed with one of the transactions. */
  owed: Purchase[]
  /** Requests of other wallets that report one of the transactions, oldest first. */
  claims: Purchase[]
  /** As `readProvers` returns them. */
  provers: readonly string[]
  /** Payments mined until then wait for a person: see `ReviewedWallet`. */
  reviewedUntil: Date | undefined
  /** The settings in force at a time. */
  settingsAt: (time: Date) => Promise<Settings>
  /** The price that a request must have. */
  priceDueOf: (purchase: Purchase) => Promise<bigint>
}

/** Reads the records of the deposits' sender, and locks its open requests. */
export async function loadSenderRecords(em: EntityManager, deposits: readonly [Deposit, ...Deposit[]]): Promise<SenderRecords> {
  const { sender } = deposits[0]
  const hashes = [...new Set(deposits.map(({ transactionHash }) => transactionHash))]
  const open = await em.find(
    Purchase,
    { wallet: sender, status: { $in: [...openStatuses] } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, orderBy: { id: 'asc' } },
  )
  const openIds = open.map(({ id }) => id)
  const reviewedUntil = (await em.findOne(ReviewedWallet, { address: sender }))?.until
  const paid = await query(em)
    .selectFrom('deposits')
    .select((eb) => [eb.ref('purchase').$notNull().as('purchase'), eb.fn.sum<bigint>('amount').as('amount')])
    .where('purchase', '=', sql<string>`any(${openIds}::uuid[])`)
    .where('sender', '=', sender)
    .where('state', 'in', ['matched', 'review'])
    // A part that a restored database may not know to be refunded pays for nothing (money.md 42).
    .$if(reviewedUntil !== undefined, (deposits) =>
      deposits.where((eb) => eb.or([eb('state', '=', 'matched'), eb('blockTime', '>', reviewedUntil!)])),
    )
    .groupBy('purchase')
    .execute()
  const settings = new Map<number, Promise<Settings>>()
  const prices = new Map<Purchase, Promise<bigint>>()
  return {
    open,
    paid: new Map(paid.map(({ purchase, amount }) => [purchase, amount])),
    reasons: new Map(),
    closed: await em.find(
      Purchase,
      { wallet: sender, status: { $in: ['cancelled', 'failed'] } },
      { orderBy: { openedAt: 'desc' } },
    ),
    owed: await em.find(Purchase, {
      status: 'confirmed',
      owedDeposit: true,
      $or: [{ wallet: sender }, { transactionHash: { $in: hashes } }],
    }),
    claims: await em.find(
      Purchase,
      { claimedHash: { $in: hashes }, status: { $ne: 'confirmed' }, wallet: { $ne: sender } },
      { orderBy: { openedAt: 'asc' } },
    ),
    provers: await readProvers(em, sender),
    reviewedUntil,
    settingsAt(time) {
      const known = settings.get(time.getTime()) ?? readSettings(em, time)
      settings.set(time.getTime(), known)
      return known
    },
    priceDueOf(purchase) {
      const known = prices.get(purchase) ?? readPriceDue(em, purchase)
      prices.set(purchase, known)
      return known
    },
  }
}

/**
 * Finds the open request that a deposit pays for: by reported hash, else by amount, oldest first (money.md 6).
 *
 * The sender of the transfer must always be the wallet of the request.
 */
export async function matchDeposit(records: SenderRecords, deposit: MinedDeposit): Promise<Match | undefined> {
  const matches: Match[] = []
  for (const purchase of records.open) {
    if (!mayPay(records, deposit, purchase)) continue
    const sum = (records.paid.get(purchase.id) ?? 0n) + deposit.amount
    const exact = sum === purchase.amount && (await isAtItsPrice(records, purchase))
    matches.push({ kind: exact ? 'exact' : 'other', purchase, sum })
  }
  const byAge = matches.toSorted((a, b) => a.purchase.openedAt.getTime() - b.purchase.openedAt.getTime())
  const exact = byAge.filter(({ kind }) => kind === 'exact')
  return (
    exact.find(({ purchase }) => purchase.claimedHash === deposit.transactionHash) ??
    exact.find(({ purchase }) => purchase.id === deposit.purchase?.id) ??
    exact[0] ??
    byAge[0]
  )
}

/**
 * Whether a transfer from the request's wallet may pay for it. It may if the request's account has proven the wallet by a signature.
 * Otherwise the request must be older than the transfer, and no other account may have proven the wallet. An account that only entered
 * another user's address thus receives none of that user's payments (money.md 16).
 */
export function mayPay({ provers }: SenderRecords, deposit: MinedDeposit, purchase: Purchase): boolean {
  if (purchase.wallet !== deposit.sender) return false
  if (provers.includes(purchase.user.id)) return true
  return provers.length === 0 && purchase.openedAt.getTime() <= deposit.blockTime.getTime() + CLOCK_TOLERANCE
}

/** Whether the request has the price that was in force when it was made. An administrator decides on any other price. */
export async function isAtItsPrice(records: SenderRecords, purchase: Purchase): Promise<boolean> {
  return purchase.unitPrice === (await records.priceDueOf(purchase))
}

/** A payment within this time after its request was closed is late for that request (money.md 7). */
const LATE_WINDOW = 30 * DAY

/**
 * The newest closed request of that wallet and amount, which the payment was probably meant for.
 *
 * `onTime`: the request was closed automatically, and the transfer was mined while it was open.
 */
export async function findClosedRequest(
  em: EntityManager,
  records: SenderRecords,
  deposit: MinedDeposit,
): Promise<{ purchase: Purchase; onTime: boolean } | undefined> {
  const { amount, blockTime } = deposit
  const since = blockTime.getTime() - LATE_WINDOW
  const known = records.closed.find(
    (purchase) =>
      purchase.amount === amount &&
      purchase.closedAt!.getTime() > since &&
      purchase.openedAt.getTime() <= blockTime.getTime() + MINUTE &&
      mayPay(records, deposit, purchase),
  )
  if (!known) return undefined
  const purchase = await em.findOne(
    Purchase,
    { id: known.id, status: { $in: ['cancelled', 'failed'] } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  )
  if (!purchase) return undefined
  const closedAutomatically = purchase.closedReason !== 'administrator' && purchase.status === 'cancelled'
  return { purchase, onTime: closedAutomatically && isOnTime(deposit, purchase) }
}

/**
 * Compares the block's time with the request's expiry, not the wall clock (money.md 5). A pending purchase that was cancelled because its
 * wallet was empty was valid until its cancellation: the money may have been on its way.
 */
export function isOnTime(deposit: MinedDeposit, purchase: Purchase): boolean {
  const until = purchase.closedReason === 'unpaid' ? purchase.closedAt : purchase.expiresAt
  return until !== null && deposit.blockTime <= until!
}
