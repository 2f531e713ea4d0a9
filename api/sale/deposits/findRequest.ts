import { type EntityManager, LockMode } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { DAY, MINUTE } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import type { Deposit, ReviewReason } from '#api/entities/Deposit.ts'
import { openStatuses, Purchase } from '#api/entities/Purchase.ts'
import { WalletRegistration } from '#api/entities/WalletRegistration.ts'
import { nodePriceOf, readSettings, type Settings } from '../settings/readSettings.ts'

/** A deposit that is in a block. */
export type MinedDeposit = Deposit & { blockTime: Date; blockNumber: bigint }

/**
 * The request a deposit belongs to.
 *
 * - exact: with it the request is paid to the last digit, at the price it was made at
 * - other: the account's oldest open request, which expects another amount
 */
export interface Fit {
  kind: 'exact' | 'other'
  purchase: Purchase
  /** What this wallet has paid for it so far, this deposit included. */
  sum: bigint
}

/** Block times are whole seconds, and clocks differ a little. */
export const CLOCK_TOLERANCE = 5_000

/**
 * What is known of a sender while a group of its deposits is settled. Open requests are locked and their sums follow each deposit; of the
 * others it is read once for the group whether there are any, and whoever finds one locks it.
 */
export interface SenderBook {
  /** Requests made with this wallet that are open. */
  open: Purchase[]
  /** What this wallet has paid for each of them with deposits that are final. */
  paid: Map<string, bigint>
  /** What each deposit that waits with one of them was last told to wait for. */
  reasons: Map<string, ReviewReason>
  /** Requests of this wallet that were closed without payment, the newest first. */
  closed: Purchase[]
  /** Purchases that are owed a deposit: of this wallet, or confirmed with one of the transactions. */
  owed: Purchase[]
  /** Requests of other wallets that claim one of the transactions, the oldest first. */
  claims: Purchase[]
  /** Accounts that have shown a signature of this wallet. */
  provenBy: string[]
  /** The account that has, or had, this wallet last. */
  owner: WalletRegistration | undefined
  /** The settings that were in force at a time. */
  settingsAt: (time: Date) => Promise<Settings>
}

/** Reads the book of the sender of some deposits, and locks its open requests. */
export async function openSenderBook(em: EntityManager, deposits: readonly [Deposit, ...Deposit[]]): Promise<SenderBook> {
  const { sender } = deposits[0]
  const hashes = [...new Set(deposits.map(({ transactionHash }) => transactionHash))]
  const open = await em.find(
    Purchase,
    { wallet: sender, status: { $in: [...openStatuses] } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, orderBy: { id: 'asc' } },
  )
  const openIds = open.map(({ id }) => id)
  const paid = await query(em)
    .selectFrom('deposits')
    .select((eb) => [eb.ref('purchase').$notNull().as('purchase'), eb.fn.sum<bigint>('amount').as('amount')])
    .where('purchase', '=', sql<string>`any(${openIds}::uuid[])`)
    .where('sender', '=', sender)
    .where('state', 'in', ['matched', 'review'])
    .groupBy('purchase')
    .execute()
  const registrations = await em.find(WalletRegistration, { address: sender }, { orderBy: { registeredAt: 'desc' } })
  const settings = new Map<number, Promise<Settings>>()
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
      { claimedHash: { $in: hashes }, status: { $in: ['pending', 'manual_review'] }, wallet: { $ne: sender } },
      { orderBy: { openedAt: 'asc' } },
    ),
    provenBy: registrations.filter(({ provenAt }) => provenAt).map(({ user }) => user.id),
    owner: registrations[0],
    settingsAt(time) {
      const known = settings.get(time.getTime()) ?? readSettings(em, time)
      settings.set(time.getTime(), known)
      return known
    },
  }
}

/**
 * Finds the open request a deposit pays for: by claimed hash, else by amount, oldest first (money.md 6).
 *
 * The sender of the transfer must be the wallet the request was made with, always.
 */
export async function findRequest(book: SenderBook, deposit: MinedDeposit): Promise<Fit | undefined> {
  const fits: Fit[] = []
  for (const purchase of book.open) {
    if (!mayPay(book, deposit, purchase)) continue
    const sum = (book.paid.get(purchase.id) ?? 0n) + deposit.amount
    const exact = sum === purchase.amount && (await isAtItsPrice(book, purchase))
    fits.push({ kind: exact ? 'exact' : 'other', purchase, sum })
  }
  const byAge = fits.toSorted((a, b) => a.purchase.openedAt.getTime() - b.purchase.openedAt.getTime())
  const exact = byAge.filter(({ kind }) => kind === 'exact')
  return (
    exact.find(({ purchase }) => purchase.claimedHash === deposit.transactionHash) ??
    exact.find(({ purchase }) => purchase.id === deposit.purchase?.id) ??
    exact[0] ??
    byAge[0]
  )
}

/**
 * Whether a transfer from the request's wallet may pay for it. A signature of the wallet, shown by the request's account, settles it.
 * Without one the request must have been there first, and no other account may ever have shown one: who merely types in a stranger's
 * address gets nothing of the stranger's payments (money.md 16).
 */
function mayPay({ provenBy }: SenderBook, deposit: MinedDeposit, purchase: Purchase): boolean {
  if (provenBy.includes(purchase.user.id)) return true
  return provenBy.length === 0 && purchase.openedAt.getTime() <= deposit.blockTime.getTime() + CLOCK_TOLERANCE
}

/** Whether the request's price is the one that was in force when it was made. Another one is for a person to accept. */
async function isAtItsPrice(book: SenderBook, purchase: Purchase): Promise<boolean> {
  return purchase.unitPrice === nodePriceOf(await book.settingsAt(purchase.openedAt))
}

/** How long a request that was closed without payment is remembered as the one a late payment meant (money.md 7). */
const LATE_WINDOW = 30 * DAY

/**
 * The request that a payment would have been for, had it not been closed: the newest of that wallet and amount.
 *
 * `onTime`: the product had closed it by itself, and the transfer was mined while it was open.
 */
export async function findClosedRequest(
  em: EntityManager,
  book: SenderBook,
  deposit: MinedDeposit,
): Promise<{ purchase: Purchase; onTime: boolean } | undefined> {
  const { amount, blockTime } = deposit
  const since = blockTime.getTime() - LATE_WINDOW
  const known = book.closed.find(
    (purchase) =>
      purchase.amount === amount &&
      purchase.closedAt!.getTime() > since &&
      purchase.openedAt.getTime() <= blockTime.getTime() + MINUTE,
  )
  if (!known || !mayPay(book, deposit, known)) return undefined
  const purchase = await em.findOne(
    Purchase,
    { id: known.id, status: { $in: ['cancelled', 'failed'] } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
  )
  if (!purchase) return undefined
  const byItself = purchase.closedReason !== 'administrator' && purchase.status === 'cancelled'
  return { purchase, onTime: byItself && isOnTime(deposit, purchase) }
}

/**
 * On time is the block's time against the request's, not the wall clock (money.md 5). A pending purchase that was given up because its
 * wallet was empty was waiting until that moment: the money may have been on its way.
 */
export function isOnTime(deposit: MinedDeposit, purchase: Purchase): boolean {
  const until = purchase.closedReason === 'unpaid' ? purchase.closedAt : purchase.expiresAt
  return until !== null && deposit.blockTime <= until!
}
