import type { AuthUser } from '#shared/contract/identity.ts'
import { withdrawalType } from '#shared/history.ts'
import type { HistoryEntry } from './historyEntries.ts'

/** Sum of the listed completed withdrawals, fees included, and their number. */
export function sumWithdrawals(entries: readonly HistoryEntry[]): NonNullable<AuthUser['withdrawn']> {
  const completed = entries.filter(({ type, isCompleted }) => type === withdrawalType && isCompleted)
  return { totalAmount: completed.reduce((sum, { change }) => sum - change, 0n), count: completed.length }
}
