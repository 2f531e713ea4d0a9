import type { Purchase } from '#shared/contract/purchases.ts'
import { formatCount } from '#pwa/lib/formatCount.ts'
import type { Tone } from '#pwa/ui/Badge.tsx'

/** The most rows that are shown, newest first. */
export const HISTORY_LIMIT = 20

/** Entries of every kind in one shape: what a row of the history shows. */
export interface HistoryRow {
  id: string
  type: 'Node Purchase' | 'Bonus Nodes' | 'XCR Withdrawal' | 'XCR Distribution'
  /** Nodes, or an amount of a token. */
  size: { nodes: number; usdt: bigint } | { xcr: bigint }
  status: { tone: Tone; word: string; title?: string }
  date: Date
  transaction: { hash: `0x${string}`; chain: 'payment' | 'reward' } | null
  /** The balance after it, a word in its place, or nothing to say. */
  balance: bigint | string | null
}

const statuses: Record<string, { tone: Tone; word: string }> = {
  confirmed: { tone: 'done', word: 'Completed' },
  completed: { tone: 'done', word: 'Completed' },
  pending: { tone: 'waiting', word: 'Pending' },
  processing: { tone: 'waiting', word: 'Processing' },
  manual_review: { tone: 'waiting', word: 'Under Review' },
  failed: { tone: 'refused', word: 'Failed' },
}

/** Section 4's display of statuses: any other value is shown as it is. */
export const presentStatus = (status: string): { tone: Tone; word: string } =>
  statuses[status] ?? { tone: 'neutral', word: status }

export const purchaseRow = (purchase: Purchase): HistoryRow => ({
  id: purchase.id,
  type: purchase.purchaseAmountUsdt === 0n ? 'Bonus Nodes' : 'Node Purchase',
  size: { nodes: purchase.finalQuantity ?? purchase.requestedQuantity, usdt: purchase.purchaseAmountUsdt },
  status: presentStatus(purchase.paymentStatus),
  date: purchase.createdAt,
  transaction: purchase.transactionHash && { hash: purchase.transactionHash, chain: 'payment' },
  balance: null,
})

/** The newest of all, newest first. */
export const newestRows = (rows: readonly HistoryRow[]): HistoryRow[] =>
  rows.toSorted((a, b) => b.date.getTime() - a.date.getTime() || (a.id < b.id ? 1 : -1)).slice(0, HISTORY_LIMIT)

export const countNodes = (nodes: number): string => `${formatCount(nodes)} ${nodes === 1 ? 'node' : 'nodes'}`

/** First 8 characters, as the specification shows transaction ids. */
export const shortId = (id: string): string => id.slice(0, 8)
