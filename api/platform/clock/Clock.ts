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
}
