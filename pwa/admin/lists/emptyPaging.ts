/** The fields beside a list in which there is nothing. */
export const emptyPaging = { totalCount: 0, currentPage: 1, totalPages: 0, hasNextPage: false, hasPrevPage: false }
