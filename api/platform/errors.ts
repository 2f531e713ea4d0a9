import type { ErrorCode } from '#shared/errors.ts'

export interface DomainErrorOptions {
  status: number
  details?: Record<string, string>
  /** Seconds after which the same request may succeed. */
  retryAfter?: number
  cause?: unknown
}

/**
 * Something a caller did that our rules refuse. Expected, so it is answered and not reported.
 *
 * Anything else that is thrown is a defect: it is reported, and answered as `internal` without its message.
 */
export class DomainError extends Error {
  override name = 'DomainError'
  readonly code: ErrorCode
  readonly status: number
  readonly details: Record<string, string>
  readonly retryAfter: number | undefined

  constructor(code: ErrorCode, message: string, { status, details = {}, retryAfter, cause }: DomainErrorOptions) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.details = details
    this.retryAfter = retryAfter
  }
}

/** A refusal with nothing to add: status, code and the sentence a person reads. */
export const refusal = (status: number, code: ErrorCode, message: string, details?: Record<string, string>): DomainError =>
  new DomainError(code, message, { status, ...(details && { details }) })
