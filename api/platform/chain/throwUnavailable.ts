import { DomainError } from '../errors.ts'
import { ChainUnavailable } from './ChainClient.ts'

/** Converts `ChainUnavailable` to a 503 and rethrows other errors. */
export function throwUnavailable(error: unknown): never {
  if (!(error instanceof ChainUnavailable)) throw error
  throw new DomainError('chain_unavailable', "The signature can't be checked right now. Please try again.", {
    status: 503,
    retryAfter: 5,
    cause: error,
  })
}
