/**
 * The two times of the product (money.md 36).
 *
 * Real time: sessions, codes, marks, limits, reservation expiry, everything a block is compared with.
 * Product time: sales start, node activity, rewards, vesting, the time stamps a person sees on business rows. It runs ahead of
 * real time by the offset that a demo moves; elsewhere the two are one.
 */
export interface Clock {
  now(): Date
  productNow(): Date
}
