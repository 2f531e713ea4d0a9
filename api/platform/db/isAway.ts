/**
 * Classes of PostgreSQL's codes: the connection broke; others were in the way, such as a migration (a deadlock); space, memory or
 * connections are used up; it stops, starts or was told to; its disk fails; it is being restored, and takes no connections or is not
 * there.
 */
const unavailable = /^(08|40|53|57P0|58|55000|3D000)/
/** What the system says of a connection, or of a process that may open no more of them. */
const broken = ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EPIPE', 'EMFILE', 'ENFILE', 'EAI_AGAIN', 'ENOTFOUND']
/** The driver says these without a code. */
const lost = /connection terminated|client has encountered a connection error|timeout exceeded when trying to connect/i

/**
 * Whether the database, or what else was to be connected to, cannot serve at the moment, through no fault of whoever asked: the database
 * has written nothing, and another try may succeed.
 */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  if (unavailable.test(code) || broken.includes(code) || lost.test(error.message)) return true
  if (error instanceof AggregateError) return error.errors.some(isAway)
  return isAway(error.cause)
}
