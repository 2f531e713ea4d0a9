import { type EntityManager, LockMode } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Hash } from 'viem'
import { query } from '#api/entities/tables.ts'
import { Deposit } from '#api/entities/Deposit.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import { paymentArriving } from './errors.ts'

export interface RowsToLock {
  purchaseIds: readonly string[]
  /** Deposits that the administrator decides on. Those of the transaction `hash` are locked as well. */
  depositIds?: readonly string[]
  hash?: Hash
}

export interface LockedRows {
  purchases: Map<string, Purchase>
  /** The requested deposits and the undecided ones attached to the purchases, in the order of the chain. */
  deposits: Deposit[]
}

/** Deposits in these states may still pay for a purchase. */
const undecided = ['seen', 'review'] as const

/**
 * Locks the rows of a decision in the same order as the watcher, which prevents deadlocks: deposits before purchases, each by id
 * (money.md 15).
 *
 * @throws 409 `request_in_progress` if the watcher is attaching another deposit to one of the purchases.
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

  // Attaching a deposit requires the purchase's lock, so no further deposits can appear from here on.
  const known = deposits.map(({ id }) => id)
  const added = await query(em)
    .selectFrom('deposits')
    .select('id')
    .where('purchase', '=', sql<string>`any(${purchaseIds}::uuid[])`)
    .where('state', 'in', undecided)
    .where('id', '<>', sql<string>`all(${known}::uuid[])`)
    .execute()
  if (added.length > 0) throw paymentArriving()
  return {
    purchases: new Map(purchases.map((purchase) => [purchase.id, purchase])),
    deposits: deposits.toSorted((a, b) => Number(a.blockNumber ?? 0n) - Number(b.blockNumber ?? 0n) || a.ordinal - b.ordinal),
  }
}
