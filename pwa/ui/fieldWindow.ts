import { BLOCK_SIZE } from './fieldImage.ts'

/** Number of nodes per window: large enough to see a sale progress, small enough to tap single points on a phone. */
export const WINDOW_SIZE = 1_000

/** First number of the window around the newest sales, which end in its seventh block of ten. */
export function windowAroundSale(sold: number, total: number): number {
  const newest = Math.floor(sold / BLOCK_SIZE)
  const last = Math.ceil((total - WINDOW_SIZE) / BLOCK_SIZE)
  return Math.max(0, Math.min(newest - 6, last)) * BLOCK_SIZE + 1
}

/** First number of the window that contains a node. Windows do not overlap, so stepping within one does not move the others. */
export const windowOf = (number: number): number => Math.floor((number - 1) / WINDOW_SIZE) * WINDOW_SIZE + 1
