import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { sql } from '#api/platform/db/sql.ts'

export interface WalletRow {
  nextNonce: number
  stoppedBecause: string | null
}

/** The wallet's row, locked: whoever holds it alone takes nonces. */
export async function lockWallet(em: EntityManager, address: Address): Promise<WalletRow> {
  const [row] = await sql<{ next_nonce: string; stopped_because: string | null }>(
    em,
    'select next_nonce, stopped_because from payout_wallets where address = $1 for update',
    [address],
  )
  if (!row) throw new Error(`The payout wallet ${address} has no row.`)
  return { nextNonce: Number(row.next_nonce), stoppedBecause: row.stopped_because }
}

/** Nothing is signed from now on until an operator has reconciled the wallet. Answers whether it was not stopped before. */
export async function stopWallet(
  em: EntityManager,
  { address, because, now }: { address: Address; because: string; now: Date },
): Promise<boolean> {
  const rows = await sql(
    em,
    'update payout_wallets set stopped_because = $2, stopped_at = $3 where address = $1 and stopped_because is null returning 1',
    [address, because, now],
  )
  return rows.length > 0
}
