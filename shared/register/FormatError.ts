/** Bytes that the register's format does not allow (format.md). */
export class FormatError extends Error {
  override name = 'FormatError'
}

/** @throws {FormatError} unless the condition holds. */
export function demand(condition: unknown, problem: string): asserts condition {
  if (!condition) throw new FormatError(problem)
}
