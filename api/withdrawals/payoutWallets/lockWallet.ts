import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { query } from '#api/entities/tables.ts'

/** Locks the wallet's row. Nonces are only taken while this lock is held. */
export async function lockWallet(em: EntityManager, address: Address) {
  const row = await lockWalletIfKnown(em, address)
  if (!row) throw new Error(`The payout wallet ${address} has no row.`)
  return row
}

/** The same for a wallet that may have been used for no payout. */
export const lockWalletIfKnown = (em: EntityManager, address: Address) =>
  query(em)
    .selectFrom('payout_wallets')
    .select(['nextNonce', 'stoppedBecause'])
    .where('address', '=', address)
    .forUpdate()
    .executeTakeFirst()
