import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { query } from '#api/entities/tables.ts'

/** The wallet's row, locked: whoever holds it alone takes nonces. */
export async function lockWallet(em: EntityManager, address: Address) {
  const row = await query(em)
    .selectFrom('payout_wallets')
    .select(['nextNonce', 'stoppedBecause'])
    .where('address', '=', address)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new Error(`The payout wallet ${address} has no row.`)
  return row
}

/** Nothing is signed from now on until an operator has reconciled the wallet. Answers whether it was not stopped before. */
export async function stopWallet(
  em: EntityManager,
  { address, because, now }: { address: Address; because: string; now: Date },
): Promise<boolean> {
  const stopped = await query(em)
    .updateTable('payout_wallets')
    .set({ stoppedBecause: because, stoppedAt: now })
    .where('address', '=', address)
    .where('stoppedBecause', 'is', null)
    .returning('address')
    .executeTakeFirst()
  return stopped !== undefined
}
