import { withdrawalType } from '#shared/history.ts'
import type { HistoryEntry } from './historyEntries.ts'

/** What has reached the wallet, fees included, and in how many withdrawals. */
export function sumWithdrawals(entries: readonly HistoryEntry[]): { xcr: bigint; count: number } {
  const completed = entries.filter(({ type, status }) => type === withdrawalType && status.tone === 'done')
  return { xcr: completed.reduce((sum, { change }) => sum - change, 0n), count: completed.length }
}
