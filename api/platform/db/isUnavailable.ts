/**
 * SQLSTATE classes and codes for temporary failures: lost connection, deadlock or serialization failure, insufficient resources,
 * shutdown or startup, I/O error, a standby that is about to become the primary, a transaction that was idle for too long, and a restore
 * during which the database refuses connections or does not exist.
 */
const unavailable = /^(08|25006|25P03|40|53|57P0|58|55000|3D000)/
/** System errors of connections, including exhausted file descriptors. */
const broken = /^(ECONN(REFUSED|RESET|ABORTED)|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|EMFILE|ENFILE|EAI_AGAIN|ENOTFOUND)$/
/** The driver's errors without a code. */
const lost =
  /connection terminated|client has encountered a connection error|timeout exceeded when trying to connect|timeout expired|query read timeout/i

/** Whether the database (or another service) is temporarily unavailable. Nothing was written, unless the outcome is unknown; a retry may succeed. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  if (unavailable.test(code) || broken.test(code) || lost.test(error.message)) return true
  if (error instanceof AggregateError) return error.errors.some(isUnavailable)
  return isUnavailable(error.cause)
}
