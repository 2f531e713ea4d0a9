import type { Deposit } from '#api/entities/Deposit.ts'

/**
 * Closes a deposit that is worth nothing to anybody. The caller has locked it.
 *
 * One that has vanished leaves its nodes frozen, and is what it was before should it be mined again all the same.
 */
export function ignoreDeposit(deposit: Deposit, now: Date): void {
  if (deposit.state === 'orphaned') {
    deposit.state = 'ignored'
    return
  }
  Object.assign(deposit, { state: 'ignored', reviewReason: null, closedAt: now })
}
