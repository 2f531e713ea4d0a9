import { ApiError } from '#shared/contract/client.ts'

/** Section 6: where an administrator may not look, stats, purchases, pending reviews and bonus status are empty, not an error. */
export async function emptyIfForbidden<Answer>(answer: Promise<Answer>, empty: Answer): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return empty
    throw error
  }
}

/** The paging of a list in which there is nothing. */
export const emptyPaging = { totalCount: 0, currentPage: 1, totalPages: 0, hasNextPage: false, hasPrevPage: false }
