export interface Paging {
  totalCount: number
  currentPage: number
  totalPages: number
  hasNextPage: boolean
  hasPrevPage: boolean
}

/** Where the page of a query begins: at its number, if it has one. */
export const offsetOf = ({ page, limit, offset }: { page?: number | undefined; limit: number; offset: number }): number =>
  page === undefined ? offset : (page - 1) * limit

/** The paging fields of a list, of a page beyond its end too. An empty list has no pages. */
export function presentPaging({ totalCount, limit, offset }: { totalCount: number; limit: number; offset: number }): Paging {
  return {
    totalCount,
    currentPage: Math.floor(offset / limit) + 1,
    totalPages: Math.ceil(totalCount / limit),
    hasNextPage: offset + limit < totalCount,
    hasPrevPage: offset > 0 && totalCount > 0,
  }
}
