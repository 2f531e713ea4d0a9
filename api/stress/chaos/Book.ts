import type { Address, Hash, Hex } from 'viem'
import type { PlannedPurchase, PlannedWithdrawal } from './makePlan.ts'

/** A payment somebody has sent. */
export interface SentTransfer {
  hash: Hash
  signed: Hex
  amount: bigint
  /** Its sender lets it go: a reorganisation took it out of the chain, and it is not sent again. */
  isGivenUp: boolean
}

/** When somebody was at it. */
interface Span {
  begunAt: number
  /** Not over yet. */
  endedAt?: number
}

export interface PurchaseStory extends Span {
  plan: PlannedPurchase
  userId: string | null
  wallet: Address
  transfers: SentTransfer[]
  /** What the product has acknowledged. */
  purchaseIds: Set<string>
  /** Everything was done as planned. */
  isDone: boolean
  /** Codes of the refusals that ended it. */
  refused: string | undefined
}

export interface WithdrawalStory extends Span {
  plan: PlannedWithdrawal
  userId: string
  wallet: Address
  /** What the product has acknowledged. */
  ids: Set<string>
  isDone: boolean
  refused: string | undefined
}

/** What the people have done and been told, kept apart from the product: its rows are held against this in the end. */
export class Book {
  readonly purchases: PurchaseStory[] = []
  readonly withdrawals: WithdrawalStory[] = []
  /** Answers to people, by status; `none` where there was none. */
  readonly answers = new Map<string, number>()

  /** What was written between the two is lost. */
  restore: { backedUpAt: number; restoredAt: number } | undefined

  /** Whether a restore may have lost what the product had said. */
  isTorn({ begunAt, endedAt = Number.POSITIVE_INFINITY }: Span): boolean {
    return this.restore !== undefined && begunAt < this.restore.restoredAt && endedAt > this.restore.backedUpAt
  }

  /** Transactions that reorganisations took out of their blocks, by what became of them. */
  readonly reorganised = new Map<string, number>()

  countAnswer(status: string): void {
    count(this.answers, status)
  }

  countReorganised(fate: string): void {
    count(this.reorganised, fate)
  }

  findTransfer(hash: Hash): SentTransfer | undefined {
    return this.purchases.flatMap(({ transfers }) => transfers).find((transfer) => transfer.hash === hash)
  }
}

const count = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)
