import type { Withdrawal, WithdrawalStatus } from './contract/withdrawals.ts'

export type HistoryType = 'Node Purchase' | 'Bonus Nodes' | 'XCR Withdrawal' | 'XCR Distribution'

export const withdrawalType = 'XCR Withdrawal' satisfies HistoryType
export const distributionType = 'XCR Distribution' satisfies HistoryType
export const purchaseType = (amount: bigint): HistoryType => (amount === 0n ? 'Bonus Nodes' : 'Node Purchase')

const statusWords: Record<string, string> = {
  confirmed: 'Completed',
  completed: 'Completed',
  pending: 'Pending',
  processing: 'Processing',
  manual_review: 'Under Review',
  failed: 'Failed',
}

/** Display categories of statuses; unknown values are shown as they are. */
export const statusWord = (status: string): string => statusWords[status] ?? status

/** The effect of a history entry on the XCR balance. */
export interface BalanceEffect {
  /** Change of the balance; negative for a debit. */
  change: bigint
  /** Value of the balance column: the balance after the entry, a word in its place, or nothing. */
  balanceAs: 'figure' | 'Processing' | 'Withdrawal Failed' | null
}

export const purchaseEffect: BalanceEffect = { change: 0n, balanceAs: null }

export const distributionEffect = (amount: bigint): BalanceEffect => ({ change: amount, balanceAs: 'figure' })

const withdrawalBalances: Record<WithdrawalStatus, BalanceEffect['balanceAs']> = {
  pending: 'Processing',
  processing: 'Processing',
  completed: 'figure',
  manual_review: null,
  failed: 'Withdrawal Failed',
}

const isKnown = (status: string): status is WithdrawalStatus => Object.hasOwn(withdrawalBalances, status)

/**
 * Debited on request and credited back on failure, so a failed one has no effect. The part that is still owed, or was forgiven, was not
 * taken from the balance.
 */
export const withdrawalEffect = ({
  amount,
  status,
  debt,
}: Pick<Withdrawal, 'amount' | 'status'> & { debt?: { owed: bigint } | undefined }): BalanceEffect => ({
  change: status === 'failed' ? 0n : (debt?.owed ?? 0n) - amount,
  balanceAs: isKnown(status) ? withdrawalBalances[status] : null,
})

/** Rewards paid a debt at times that the history does not have, so it does not tell the balance meanwhile. */
export interface DebtPeriod {
  from: Date
  /** Null while it is open. */
  until: Date | null
}

/**
 * Walks back from the available balance, newest entry first, undoing each entry. Returns the value of each balance column: the
 * balance after the entry, a word in its place, or nothing.
 */
export function createBalanceWalk(
  availableXcr: bigint,
  debts: readonly DebtPeriod[] = [],
): (effect: BalanceEffect, at: Date) => bigint | string | null {
  let balance = availableXcr
  return ({ change, balanceAs }, at) => {
    const after = balance
    balance -= change
    if (balanceAs !== 'figure') return balanceAs
    return debts.some(({ from, until }) => at >= from && (until === null || at <= until)) ? null : after
  }
}
