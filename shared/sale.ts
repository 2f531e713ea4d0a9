/** Numbers of the sale from the specification. */

import { HOUR, MINUTE } from './dates.ts'

export const DEFAULT_NODE_SUPPLY = 20_000

/** The largest quantity of one purchase, bonus or assignment. */
export const MAX_NODES_AT_ONCE = 1_000_000

/** What a quantity of nodes costs at a price. */
export const costOf = (unitPrice: bigint, quantity: number): bigint => unitPrice * BigInt(quantity)

/** Quantities with their own button on the purchase page. */
export const PRESET_QUANTITIES = [1, 5, 10, 20] as const

/** One bonus node for each of these bought. */
export const NODES_PER_BONUS = 10

/** More bonus nodes in one call need a second person, also if they are due. */
export const MAX_BONUS_ALONE = 100

/** At most so many unpaid nodes of an account and its wallet while nothing shows that it can pay for more (money.md 11). */
export const MAX_UNBACKED_NODES = 100

/** How long a reservation holds supply and price. */
export const RESERVATION_TIME = 30 * MINUTE

/** A node is active from this time after its payment was first seen, or after its grant. */
export const ACTIVATION_DELAY = 24 * HOUR

/** Minimum time between two emailed codes, and the countdown that shows it. */
export const CODE_RESEND_SECONDS = 60

/** The value of `?login=` with which `/api/login` redirects a visitor to `/auth`. */
export const LOGIN_MARKER = 'required'

/** BNB Smart Chain: 0x38. */
export const PAYMENT_CHAIN_ID = 56

/** The reward chain: 0x134fe69. */
export const REWARD_CHAIN_ID = 20_250_217
