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

/** How statuses are shown: any other value is shown as it is. */
export const statusWord = (status: string): string => statusWords[status] ?? status

/** What an entry of the history means for the XCR balance. */
export interface BalanceEffect {
  /** What it did to the balance: negative where it was taken. */
  change: bigint
  /** What its balance column shows: the balance after it, a word in its place, or nothing. */
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

/** Debited when it was asked for, given back when it failed: a failed one has moved nothing. */
export const withdrawalEffect = ({ amount, status }: { amount: bigint; status: Withdrawal['status'] }): BalanceEffect => ({
  change: status === 'failed' ? 0n : -amount,
  balanceAs: isKnown(status) ? withdrawalBalances[status] : null,
})

/**
 * Walks back from what is available now, newest entry first, undoing what each did. Answers what each one's balance column shows: the
 * balance after it, a word in its place, or nothing.
 */
export function createBalanceWalk(availableXcr: bigint): (effect: BalanceEffect) => bigint | string | null {
  let balance = availableXcr
  return ({ change, balanceAs }) => {
    const after = balance
    balance -= change
    return balanceAs === 'figure' ? after : balanceAs
  }
}
