import { createBalanceWalk } from '#shared/history.ts'
import type { HistoryEntry } from './historyEntries.ts'

/** What a row of the history shows. */
export interface HistoryRow extends Omit<HistoryEntry, 'change' | 'balanceAs'> {
  /** The XCR balance after it, a word in its place, or nothing to say. */
  balance: bigint | string | null
}

/** All entries newest first, each with what its balance column shows. */
export function walkBalances(entries: readonly HistoryEntry[], availableXcr: bigint): HistoryRow[] {
  const walkBack = createBalanceWalk(availableXcr)
  return entries.toSorted(newestFirst).map(({ change, balanceAs, ...entry }) => ({
    ...entry,
    balance: walkBack({ change, balanceAs }),
  }))
}

/** Entries of one instant stay in the order in which the server lists them: ids are random. */
const newestFirst = (a: HistoryEntry, b: HistoryEntry) => b.date.getTime() - a.date.getTime()
