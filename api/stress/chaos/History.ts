import type { Address, Hash, Hex } from 'viem'
import type { PlannedPurchase, PlannedWithdrawal } from './makePlan.ts'

/** A payment sent by a user. */
export interface SentTransfer {
  hash: Hash
  signed: Hex
  amount: bigint
  /** A reorganization removed it, and its sender does not send it again. */
  isDropped: boolean
}

/** The time span of a user's actions, in milliseconds since the epoch. */
interface Span {
  begunAt: number
  /** Undefined while in progress. */
  endedAt?: number
}

export interface PurchaseRecord extends Span {
  plan: PlannedPurchase
  userId: string | null
  wallet: Address
  transfers: SentTransfer[]
  /** When the product acknowledged the reservation, which holds supply. */
  reservedAt?: number
  /** The ids that the product has acknowledged. */
  purchaseIds: Set<string>
  /** Whether all planned actions were done. */
  isDone: boolean
  /** The status and code of the refusal that ended it. */
  refused: string | undefined
}

export interface WithdrawalRecord extends Span {
  plan: PlannedWithdrawal
  userId: string
  wallet: Address
  /** The ids that the product has acknowledged. */
  ids: Set<string>
  isDone: boolean
  refused: string | undefined
}

/** Records the actions of users and the answers they got, independently of the product. Its rows are compared with this at the end. */
export class History {
  readonly purchases: PurchaseRecord[] = []
  readonly withdrawals: WithdrawalRecord[] = []
  /** Counts answers by status; `none` counts requests without an answer. */
  readonly answers = new Map<string, number>()
  /** The longest wait for an answer, in milliseconds. */
  longestWait = 0

  /** Rows written between the two times are lost. */
  restore: { backedUpAt: number; restoredAt: number } | undefined

  /** Whether a restore may have lost acknowledged rows of this span. */
  spansRestore({ begunAt, endedAt = Number.POSITIVE_INFINITY }: Span): boolean {
    return this.restore !== undefined && begunAt < this.restore.restoredAt && endedAt > this.restore.backedUpAt
  }

  /** Counts transactions that reorganizations removed from their blocks, by their fate. */
  readonly reorganized = new Map<string, number>()

  countAnswer(status: string, wait = 0): void {
    count(this.answers, status)
    this.longestWait = Math.max(this.longestWait, wait)
  }

  countReorganized(fate: string): void {
    count(this.reorganized, fate)
  }

  findTransfer(hash: Hash): SentTransfer | undefined {
    return this.purchases.flatMap(({ transfers }) => transfers).find((transfer) => transfer.hash === hash)
  }
}

const count = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)
