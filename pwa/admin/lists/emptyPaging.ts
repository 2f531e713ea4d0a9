/** The paging fields of an empty list. */
export const emptyPaging = { totalCount: 0, currentPage: 1, totalPages: 0, hasNextPage: false, hasPrevPage: false }
