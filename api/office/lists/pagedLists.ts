import type { PurchaseFilter } from '#shared/contract/admin/purchases.ts'
import type { WithdrawalFilter } from '#shared/contract/admin/withdrawals.ts'

/** The back office's large lists, sorted by (created_at, id), newest first; each has an index for it. */
export const pagedLists = {
  users: { table: 'users', listed: 'true', account: 'id' },
  /** Reported or paid purchases; reservations without a payment are excluded. */
  purchases: { table: 'purchases', listed: 'posted_at is not null', account: 'user_id' },
  withdrawals: { table: 'withdrawals', listed: 'true', account: 'user_id' },
} as const

export type PagedList = keyof typeof pagedLists

/** Conditions on a row of `withdrawals`, as for `presentWaiting`. */
export const withdrawalConditions: Record<WithdrawalFilter, string> = {
  waiting: `status = 'manual_review' and (review_reason <> 'recent_change' or held_until is null)`,
  held: `status = 'manual_review' and review_reason = 'recent_change' and held_until is not null`,
  pending: `status = 'pending'`,
  processing: `status = 'processing'`,
  completed: `status = 'completed'`,
  failed: `status = 'failed'`,
}

/** Conditions on a row of `purchases`. */
export const purchaseConditions: Record<PurchaseFilter, string> = {
  waiting: `status = 'manual_review'`,
  pending: `status = 'pending'`,
  confirmed: `status = 'confirmed'`,
  cancelled: `status = 'cancelled'`,
  failed: `status = 'failed'`,
}

export interface Page {
  limit: number
  offset: number
}

export interface PageIds {
  /** In list order. */
  ids: string[]
  totalCount: number
}

export interface FoundPage extends PageIds {
  /** Whether more accounts or rows match than are covered. */
  isCut: boolean
}
