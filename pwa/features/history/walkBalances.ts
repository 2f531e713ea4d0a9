import type { HistoryEntry } from './historyEntries.ts'

/** What a row of the history shows. */
export interface HistoryRow extends Omit<HistoryEntry, 'change' | 'balanceAs'> {
  /** The XCR balance after it, a word in its place, or nothing to say. */
  balance: bigint | string | null
}

/**
 * All entries newest first, each with the balance after it: from what is available now, the walk goes back over every
 * entry and undoes what it did.
 */
export function walkBalances(entries: readonly HistoryEntry[], availableXcr: bigint): HistoryRow[] {
  let balance = availableXcr
  return entries.toSorted(newestFirst).map(({ change, balanceAs, ...entry }) => {
    const after = balance
    balance -= change
    return { ...entry, balance: balanceAs === 'figure' ? after : balanceAs }
  })
}

/** At the same instant the later id: ids grow with time. */
const newestFirst = (a: HistoryEntry, b: HistoryEntry) => b.date.getTime() - a.date.getTime() || (a.id < b.id ? 1 : -1)
