export interface Paging {
  totalCount: number
  currentPage: number
  totalPages: number
  hasNextPage: boolean
  hasPrevPage: boolean
}

/** The fields beside every paged list. Of nothing there are no pages, and one looks at the first. */
export function presentPaging({ totalCount, limit, offset }: { totalCount: number; limit: number; offset: number }): Paging {
  return {
    totalCount,
    currentPage: Math.floor(offset / limit) + 1,
    totalPages: Math.ceil(totalCount / limit),
    hasNextPage: offset + limit < totalCount,
    hasPrevPage: offset > 0,
  }
}
