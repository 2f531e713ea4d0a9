import { ApiError } from '#shared/contract/client.ts'

/** Stats, purchases, reviews and the bonus status: to whoever may not see them there is nothing to see, and that is no error. */
export async function emptyIfForbidden<T>(answer: Promise<T>, empty: T): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return empty
    throw error
  }
}
