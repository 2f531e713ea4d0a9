/** The back office's large lists, sorted by (created_at, id), newest first; each has an index for it. */
export const pagedLists = {
  users: { table: 'users', listed: 'true', account: 'id' },
  /** Reported or paid purchases; reservations without a payment are excluded. */
  purchases: { table: 'purchases', listed: 'posted_at is not null', account: 'user_id' },
  withdrawals: { table: 'withdrawals', listed: 'true', account: 'user_id' },
} as const

export type PagedList = keyof typeof pagedLists

export interface Page {
  limit: number
  offset: number
}

export interface PageIds {
  /** In list order. */
  ids: string[]
  totalCount: number
}
