export interface Paging {
  totalCount: number
  currentPage: number
  totalPages: number
  hasNextPage: boolean
  hasPrevPage: boolean
}

/** The paging fields of a list. An empty list has no pages and its current page is the first. */
export function presentPaging({ totalCount, limit, offset }: { totalCount: number; limit: number; offset: number }): Paging {
  return {
    totalCount,
    currentPage: Math.floor(offset / limit) + 1,
    totalPages: Math.ceil(totalCount / limit),
    hasNextPage: offset + limit < totalCount,
    hasPrevPage: offset > 0,
  }
}
