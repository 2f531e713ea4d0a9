import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address, Hash } from 'viem'
import { sql } from '../db/sql.ts'

const ACTION = 'payouts.reconcile'

/** What the audit log keeps of a reconciliation. */
interface Reconciled {
  address: Address
  lines: readonly string[]
  /** The wallet's next nonce before and after: between them are nonces that others have used. */
  from: number
  to: number
  /** Transactions that pay nothing we know of: the operator was told, and has let payouts go on. */
  unexplained: readonly Hash[]
}

export const reconciliationRecord = ({ address, ...after }: Reconciled) => ({ action: ACTION, target: address, after })

/** SQL that is true of a nonce of a wallet that somebody else had used, as a reconciliation found. */
export const isForeignNonce = (address: string, nonce: string): string =>
  `exists (select from audit_entries where action = '${ACTION}' and target = ${address}
     and ${nonce} >= (after->>'from')::bigint and ${nonce} < (after->>'to')::bigint)`

/** Transactions of payout wallets that pay nothing we know of, and that an operator has been told of. */
export async function readUnexplained(em: EntityManager): Promise<Set<Hash>> {
  const rows = await sql<{ hash: Hash }>(
    em,
    `select jsonb_array_elements_text(after->'unexplained') as hash from audit_entries
     where action = '${ACTION}' and jsonb_typeof(after->'unexplained') = 'array'`,
  )
  return new Set(rows.map(({ hash }) => hash))
}
