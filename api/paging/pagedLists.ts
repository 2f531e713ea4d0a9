/** The back office's large lists, latest first by (created_at, id); each has an index for that. */
export const pagedLists = {
  users: { table: 'users', listed: 'true', account: 'id' },
  /** Whatever was reported or paid; a reservation that came to nothing was no purchase. */
  purchases: { table: 'purchases', listed: 'posted_at is not null', account: 'user_id' },
  withdrawals: { table: 'withdrawals', listed: 'true', account: 'user_id' },
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
