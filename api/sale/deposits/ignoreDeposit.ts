import type { Deposit } from '#api/entities/Deposit.ts'

/**
 * Closes a deposit without effect. The caller has locked it.
 *
 * An orphaned deposit leaves its nodes frozen, and returns to its earlier state if it is mined again.
 */
export function ignoreDeposit(deposit: Deposit, now: Date): void {
  if (deposit.state === 'orphaned') {
    deposit.state = 'ignored'
    return
  }
  Object.assign(deposit, { state: 'ignored', reviewReason: null, closedAt: now })
}
