import type { EntityManager } from '@mikro-orm/postgresql'

/** When the books are looked at. */
export interface Moment {
  now: Date
  productNow: Date
}

/** One thing that must be true of the rows, recomputed from them. */
export interface Check {
  /** What is true if it finds nothing. */
  name: string
  /** Answers each place where it is not, in words for an operator. */
  run(em: EntityManager, at: Moment): Promise<string[]>
}
