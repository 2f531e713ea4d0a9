import type { ErrorCode } from '#shared/errors.ts'
import type { Objection } from '#shared/objections.ts'

export interface DomainErrorOptions {
  status: number
  details?: Record<string, string>
  /** What an administrator may set aside by naming it. */
  objections?: readonly Objection[]
  /** Seconds after which a retry may succeed. */
  retryAfter?: number
  cause?: unknown
}

/**
 * A refusal by the product's rules. It is an expected response and is not reported.
 *
 * Any other thrown error is a bug: it is reported and answered as `internal` without its message.
 */
export class DomainError extends Error {
  override name = 'DomainError'
  readonly code: ErrorCode
  readonly status: number
  readonly details: Record<string, string>
  readonly objections: readonly Objection[]
  readonly retryAfter: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    { status, details = {}, objections = [], retryAfter, cause }: DomainErrorOptions,
  ) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.details = details
    this.objections = objections
    this.retryAfter = retryAfter
  }
}

/** A refusal with status, code and a message for the user. */
export const refusal = (status: number, code: ErrorCode, message: string, details?: Record<string, string>): DomainError =>
  new DomainError(code, message, { status, ...(details && { details }) })

/**
 * Returns a refusal instead of throwing it. A `prepare` that may refuse uses it, so that a request repeated with its idempotency key
 * gets its first answer although it would be refused by now.
 */
export const catchRefusal = <T>(work: Promise<T>): Promise<T | DomainError> =>
  work.catch((error: unknown) => {
    if (error instanceof DomainError) return error
    throw error
  })
