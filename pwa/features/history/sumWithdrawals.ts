import { withdrawalType } from '#shared/history.ts'
import type { HistoryEntry } from './historyEntries.ts'

/** Sum of the completed withdrawals, fees included, and their number. */
export function sumWithdrawals(entries: readonly HistoryEntry[]): { xcr: bigint; count: number } {
  const completed = entries.filter(({ type, isCompleted }) => type === withdrawalType && isCompleted)
  return { xcr: completed.reduce((sum, { change }) => sum - change, 0n), count: completed.length }
}
