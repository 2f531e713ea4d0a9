import { DomainError } from '../errors.ts'
import { ChainUnavailable } from './ChainClient.ts'

/** Answers the silence of a chain with 503 rather than with a no. Anything else stays what it is. */
export function askToTryAgain(error: unknown): never {
  if (!(error instanceof ChainUnavailable)) throw error
  throw new DomainError('chain_unavailable', 'The signature cannot be checked at this moment. Please try again.', {
    status: 503,
    retryAfter: 5,
    cause: error,
  })
}
