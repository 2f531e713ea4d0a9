import type { Deposit } from '../entities/Deposit.ts'

/** Closes a deposit that is worth nothing to anybody. The caller has locked it. */
export function ignoreDeposit(deposit: Deposit, now: Date): void {
  Object.assign(deposit, { state: 'ignored', reviewReason: null, closedAt: now })
}
