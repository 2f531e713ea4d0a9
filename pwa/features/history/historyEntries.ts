import type { Purchase } from '#shared/contract/purchases.ts'
import type { Distribution } from '#shared/contract/rewards.ts'
import type { Withdrawal } from '#shared/contract/withdrawals.ts'
import {
  type BalanceEffect,
  type DebtPeriod,
  distributionEffect,
  distributionType,
  type HistoryType,
  purchaseEffect,
  purchaseType,
  withdrawalEffect,
  withdrawalType,
} from '#shared/history.ts'

/** A history entry of any kind, in one shape. */
export interface HistoryEntry extends BalanceEffect {
  id: string
  type: HistoryType
  /** Number of nodes, or an amount of a token. */
  size: { nodes: number; usdt: bigint } | { xcr: bigint }
  status: string
  /** The nodes or the XCR have changed hands for good. */
  isCompleted: boolean
  date: Date
  transaction: { hash: `0x${string}`; chain: 'payment' | 'reward' } | null
  /** A debt that began with it. */
  debt?: DebtPeriod
}

export const purchaseEntry = (purchase: Purchase): HistoryEntry => ({
  id: purchase.id,
  type: purchaseType(purchase.purchaseAmountUsdt),
  size: { nodes: purchase.finalQuantity ?? purchase.requestedQuantity, usdt: purchase.purchaseAmountUsdt },
  status: purchase.paymentStatus,
  isCompleted: purchase.paymentStatus === 'confirmed',
  date: purchase.createdAt,
  transaction: purchase.transactionHash && { hash: purchase.transactionHash, chain: 'payment' },
  ...purchaseEffect,
})

export const distributionEntry = ({ id, amount, createdAt }: Distribution): HistoryEntry => ({
  id,
  type: distributionType,
  size: { xcr: amount },
  status: 'completed',
  isCompleted: true,
  date: createdAt,
  transaction: null,
  ...distributionEffect(amount),
})

export const withdrawalEntry = (withdrawal: Withdrawal): HistoryEntry => ({
  id: withdrawal.id,
  type: withdrawalType,
  size: { xcr: withdrawal.amount },
  status: withdrawal.status,
  isCompleted: withdrawal.status === 'completed',
  date: withdrawal.createdAt,
  transaction: withdrawal.transactionHash && { hash: withdrawal.transactionHash, chain: 'reward' },
  ...(withdrawal.debt && { debt: { from: withdrawal.createdAt, until: withdrawal.debt.closedAt } }),
  ...withdrawalEffect(withdrawal),
})
