import { createBalanceWalk } from '#shared/history.ts'
import type { HistoryEntry } from './historyEntries.ts'

/** One row of the history. */
export interface HistoryRow extends Omit<HistoryEntry, 'change' | 'balanceAs'> {
  /** The XCR balance after the entry, a word in its place, or nothing. */
  balance: bigint | string | null
}

/** All entries newest first, each with the value of its balance column. */
export function walkBalances(entries: readonly HistoryEntry[], availableXcr: bigint): HistoryRow[] {
  const debts = entries.flatMap(({ debt }) => debt ?? [])
  const walkBack = createBalanceWalk(availableXcr, debts)
  return entries.toSorted(newestFirst).map(({ change, balanceAs, ...entry }) => ({
    ...entry,
    balance: walkBack({ change, balanceAs }, entry.date),
  }))
}

/** Entries of the same instant keep the server's order, because ids are random. */
const newestFirst = (a: HistoryEntry, b: HistoryEntry) => b.date.getTime() - a.date.getTime()
