import type { EntityManager } from '@mikro-orm/postgresql'

/** The time of the audit. */
export interface AuditTime {
  now: Date
  productNow: Date
}

/** One invariant of the rows, recomputed from them. */
export interface Check {
  /** The statement that holds if nothing is found. */
  name: string
  /** Returns one sentence for the operator for each violation. */
  run(em: EntityManager, at: AuditTime): Promise<string[]>
}
