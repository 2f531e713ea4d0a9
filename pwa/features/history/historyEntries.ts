import type { Purchase } from '#shared/contract/purchases.ts'
import type { Distribution } from '#shared/contract/rewards.ts'
import type { Withdrawal } from '#shared/contract/withdrawals.ts'
import type { Tone } from '#pwa/ui/Badge.tsx'

/** What happened, of every kind in one shape: each source of the history makes these. */
export interface HistoryEntry {
  id: string
  type: 'Node Purchase' | 'Bonus Nodes' | 'XCR Withdrawal' | 'XCR Distribution'
  /** Nodes, or an amount of a token. */
  size: { nodes: number; usdt: bigint } | { xcr: bigint }
  status: { tone: Tone; word: string }
  date: Date
  transaction: { hash: `0x${string}`; chain: 'payment' | 'reward' } | null
  /** What it did to the XCR balance: negative where it was taken. */
  change: bigint
  /** What its balance column shows: the balance after it, a word in its place, or nothing. */
  balanceAs: 'figure' | 'Processing' | 'Withdrawal Failed' | null
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
const presentStatus = (status: string): { tone: Tone; word: string } => statuses[status] ?? { tone: 'neutral', word: status }

export const purchaseEntry = (purchase: Purchase): HistoryEntry => ({
  id: purchase.id,
  type: purchase.purchaseAmountUsdt === 0n ? 'Bonus Nodes' : 'Node Purchase',
  size: { nodes: purchase.finalQuantity ?? purchase.requestedQuantity, usdt: purchase.purchaseAmountUsdt },
  status: presentStatus(purchase.paymentStatus),
  date: purchase.createdAt,
  transaction: purchase.transactionHash && { hash: purchase.transactionHash, chain: 'payment' },
  change: 0n,
  balanceAs: null,
})

export const distributionEntry = ({ id, amount, createdAt }: Distribution): HistoryEntry => ({
  id,
  type: 'XCR Distribution',
  size: { xcr: amount },
  status: presentStatus('completed'),
  date: createdAt,
  transaction: null,
  change: amount,
  balanceAs: 'figure',
})

const withdrawalBalances: Record<Withdrawal['status'], HistoryEntry['balanceAs']> = {
  pending: 'Processing',
  processing: 'Processing',
  completed: 'figure',
  manual_review: null,
  failed: 'Withdrawal Failed',
}

export const withdrawalEntry = ({ id, amount, status, createdAt, transactionHash }: Withdrawal): HistoryEntry => ({
  id,
  type: 'XCR Withdrawal',
  size: { xcr: amount },
  status: presentStatus(status),
  date: createdAt,
  transaction: transactionHash && { hash: transactionHash, chain: 'reward' },
  // Debited when it was asked for, given back when it failed: a failed one has moved nothing.
  change: status === 'failed' ? 0n : -amount,
  balanceAs: withdrawalBalances[status],
})
