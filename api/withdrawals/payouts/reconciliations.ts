import type { Address } from 'viem'

const ACTION = 'payouts.reconcile'

/** What the audit log keeps of a reconciliation. */
interface Reconciled {
  address: Address
  lines: readonly string[]
  /** The wallet's next nonce before and after: between them are nonces that others have used. */
  from: number
  to: number
}

export const reconciliationRecord = ({ address, ...after }: Reconciled) => ({ action: ACTION, target: address, after })

/** SQL that is true of a nonce of a wallet that somebody else had used, as a reconciliation found. */
export const isForeignNonce = (address: string, nonce: string): string =>
  `exists (select from audit_entries where action = '${ACTION}' and target = ${address}
     and ${nonce} >= (after->>'from')::bigint and ${nonce} < (after->>'to')::bigint)`
