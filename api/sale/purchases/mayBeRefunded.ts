import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Address } from 'viem'
import type { Deposit } from '#api/entities/Deposit.ts'
import { ReviewedWallet } from '#api/entities/ReviewedWallet.ts'
import { query } from '#api/entities/tables.ts'
import { isRestored } from './restoredDatabase.ts'

/**
 * Whether the database was restored after one of the payments, and may no longer know that it was refunded (money.md 42). Until an operator
 * has named the wallets that were refunded, it may be any payment.
 */
export async function mayBeRefunded(em: EntityManager, deposits: readonly Deposit[]): Promise<boolean> {
  if (await isRestored(em)) return true
  const found = await query(em)
    .selectFrom('reviewed_wallets as r')
    .innerJoin('deposits as d', (join) => join.onRef('d.sender', '=', 'r.address').onRef('d.blockTime', '<=', 'r.until'))
    .select('d.id')
    .where('d.id', '=', sql<string>`any(${deposits.map(({ id }) => id)}::uuid[])`)
    .executeTakeFirst()
  return found !== undefined
}

/** The same for a payment of one of these wallets that is not read yet: it may be as old as those that wait for review. */
export const mayAnyBeRefunded = async (em: EntityManager, senders: readonly Address[]): Promise<boolean> =>
  (await isRestored(em)) || (await em.count(ReviewedWallet, { address: { $in: [...senders] } })) > 0
