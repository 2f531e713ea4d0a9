import { type EntityManager, LockMode } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Hash } from 'viem'
import { query } from '#api/entities/tables.ts'
import { Deposit } from '#api/entities/Deposit.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import { paymentArriving } from './errors.ts'

export interface RowsToLock {
  purchaseIds: readonly string[]
  /** Deposits that a person decides on, and those of a transaction that is named. */
  depositIds?: readonly string[]
  hash?: Hash
}

export interface LockedRows {
  purchases: Map<string, Purchase>
  /** All that were asked for, and whatever is attached to the purchases and not dealt with; in the order of the chain. */
  deposits: Deposit[]
}

/** In these states a deposit may still pay for something. */
const undecided = ['seen', 'review'] as const

/**
 * Locks what a person decides on as the watcher does: deposits before purchases, each in the order of ids, so that either waits for the
 * other to be done and neither for ever.
 *
 * @throws 409 `request_in_progress` if the watcher attaches another deposit to one of the purchases at this very moment.
 */
export async function lockForDecision(
  em: EntityManager,
  { purchaseIds, depositIds = [], hash }: RowsToLock,
): Promise<LockedRows> {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, orderBy: { id: 'asc' } } as const
  const deposits = await em.find(
    Deposit,
    {
      $or: [
        { purchase: { $in: [...purchaseIds] }, state: { $in: [...undecided] } },
        { id: { $in: [...depositIds] } },
        ...(hash ? [{ transactionHash: hash }] : []),
      ],
    },
    lock,
  )
  const purchases = await em.find(Purchase, { id: { $in: [...purchaseIds] } }, lock)

  // Whoever attaches a deposit holds the purchase, so from here on there are no more of them.
  const known = deposits.map(({ id }) => id)
  const newcomers = await query(em)
    .selectFrom('deposits')
    .select('id')
    .where('purchase', '=', sql<string>`any(${purchaseIds}::uuid[])`)
    .where('state', 'in', undecided)
    .where('id', '<>', sql<string>`all(${known}::uuid[])`)
    .execute()
  if (newcomers.length > 0) throw paymentArriving()
  return {
    purchases: new Map(purchases.map((purchase) => [purchase.id, purchase])),
    deposits: deposits.toSorted((a, b) => Number(a.blockNumber ?? 0n) - Number(b.blockNumber ?? 0n) || a.ordinal - b.ordinal),
  }
}
