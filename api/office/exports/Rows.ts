import type { CompiledQuery } from 'kysely'

/** A row of the query that a function builds. */
// oxlint-disable-next-line typescript/no-explicit-any -- a function of any arguments
export type Rows<Build extends (...args: any[]) => { compile(): CompiledQuery<unknown> }> =
  ReturnType<Build> extends { compile(): CompiledQuery<infer Row> } ? Row : never
