import type { Address } from 'viem'

const ACTION = 'payouts.reconcile'

/** A reconciliation in the audit log. */
interface Reconciled {
  address: Address
  lines: readonly string[]
  /** The wallet's next nonce before and after; foreign transactions used the nonces in between. */
  from: number
  to: number
}

export const reconciliationRecord = ({ address, ...after }: Reconciled) => ({ action: ACTION, target: address, after }) as const

/** SQL condition: a reconciliation found that a foreign transaction used this nonce of the wallet. */
export const isForeignNonce = (address: string, nonce: string): string =>
  `exists (select from audit_entries where action = '${ACTION}' and target = ${address}
     and ${nonce} >= (after->>'from')::bigint and ${nonce} < (after->>'to')::bigint)`
