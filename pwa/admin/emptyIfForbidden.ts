import { ApiError } from '#shared/contract/client.ts'

/** Administrators without permission see empty statistics, purchases, reviews and bonuses rather than an error. */
export async function emptyIfForbidden<T>(answer: Promise<T>, empty: T): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return empty
    throw error
  }
}
