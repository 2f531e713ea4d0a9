import { type EntityManager, LockMode } from '@mikro-orm/postgresql'
import { DAY, MINUTE } from '#shared/dates.ts'
import { Deposit } from '../entities/Deposit.ts'
import { openStatuses, Purchase } from '../entities/Purchase.ts'
import { WalletRegistration } from '../entities/WalletRegistration.ts'
import { nodePriceOf, readSettings } from '../settings/readSettings.ts'

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
const CLOCK_TOLERANCE = 5_000

/**
 * Finds the open request a deposit pays for, and locks the wallet's requests: by claimed hash, else by amount, oldest first (money.md 6).
 *
 * The sender of the transfer must be the wallet the request was made with, always.
 */
export async function findRequest(em: EntityManager, deposit: MinedDeposit): Promise<Fit | undefined> {
  const open = await em.find(
    Purchase,
    { wallet: deposit.sender, status: { $in: [...openStatuses] } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, orderBy: { id: 'asc' } },
  )
  if (open.length === 0) return undefined

  const fits: Fit[] = []
  for (const purchase of open) {
    if (!(await mayPay(em, deposit, purchase))) continue
    const sum = (await sumPaid(em, purchase, deposit)) + deposit.amount
    const exact = sum === purchase.amount && (await isAtItsPrice(em, purchase))
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
async function mayPay(em: EntityManager, deposit: MinedDeposit, purchase: Purchase): Promise<boolean> {
  const proofs = await em.find(WalletRegistration, { address: deposit.sender, provenAt: { $ne: null } })
  if (proofs.some((proof) => proof.user.id === purchase.user.id)) return true
  return proofs.length === 0 && purchase.openedAt.getTime() <= deposit.blockTime.getTime() + CLOCK_TOLERANCE
}

/** Whether the request's price is the one that was in force when it was made. Another one is for a person to accept. */
async function isAtItsPrice(em: EntityManager, purchase: Purchase): Promise<boolean> {
  return purchase.unitPrice === nodePriceOf(await readSettings(em, purchase.openedAt))
}

/** What the request's own wallet has paid with other deposits that are final. */
export async function sumPaid(em: EntityManager, purchase: Purchase, except?: Deposit): Promise<bigint> {
  const others = await em.find(Deposit, { purchase, sender: purchase.wallet!, state: { $in: ['matched', 'review'] } })
  return others.filter((deposit) => deposit !== except).reduce((sum, deposit) => sum + deposit.amount, 0n)
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
  deposit: MinedDeposit,
): Promise<{ purchase: Purchase; onTime: boolean } | undefined> {
  const purchase = await em.findOne(
    Purchase,
    {
      wallet: deposit.sender,
      amount: deposit.amount,
      status: { $in: ['cancelled', 'failed'] },
      closedAt: { $gt: new Date(deposit.blockTime.getTime() - LATE_WINDOW) },
      openedAt: { $lte: new Date(deposit.blockTime.getTime() + MINUTE) },
    },
    { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, orderBy: { openedAt: 'desc' } },
  )
  if (!purchase || !(await mayPay(em, deposit, purchase))) return undefined
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
