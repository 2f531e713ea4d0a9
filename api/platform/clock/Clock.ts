import type { EntityManager } from '@mikro-orm/postgresql'
import type { RawBuilder } from 'kysely'

/**
 * The product's two times (money.md 36).
 *
 * Real time: sessions, codes, step-up marks, rate limits, reservation expiry, and everything compared with blocks.
 * Product time: sales start, node activity, rewards, vesting, and the displayed timestamps of business rows. In a demo it runs
 * ahead of real time by a stored offset; otherwise both are equal.
 */
export interface Clock {
  now(): Date
  productNow(): Date
  /**
   * Real time for what protects money until a time: holds, freezes, limits. The earlier of this machine's and the database's, so that one
   * wrong clock ends none of them early.
   */
  dueNow(em: EntityManager): Promise<Date>
  /** The same as an expression, for a query that reads what is protected anyway. */
  dueTime(): RawBuilder<Date>
}
