/** The back office's large lists, latest first by (created_at, id); each has an index for that. */
export const pagedLists = {
  users: { table: 'users', listed: 'true', account: 'id', searchesAll: false },
  /**
   * Whatever was reported or paid; a reservation that came to nothing was no purchase. A search counts and sums every match, not only those of
   * the newest accounts: its figures are used as totals.
   */
  purchases: { table: 'purchases', listed: 'posted_at is not null', account: 'user_id', searchesAll: true },
  withdrawals: { table: 'withdrawals', listed: 'true', account: 'user_id', searchesAll: false },
} as const

export type PagedList = keyof typeof pagedLists

export interface Page {
  limit: number
  offset: number
}

export interface PageIds {
  /** In the order of the list. */
  ids: string[]
  totalCount: number
}
