import { SECOND } from '#shared/dates.ts'

/** What a worker remembers of unsettled payouts from one round to the next. */
export interface SettlementNotes {
  /** Payouts whose nonce is used without a receipt of ours, with the time and the newest block of first detection. */
  missing: Map<string, { since: Date; head: bigint }>
  /** Payouts whose outcome only one endpoint shows, with the time of first detection. */
  unagreed: Map<string, Date>
  /** The newest final block of the last round. */
  lastFinalBlock: bigint | undefined
}

export const emptyNotes = (): SettlementNotes => ({ missing: new Map(), unagreed: new Map(), lastFinalBlock: undefined })

/**
 * How long the receipt of a used nonce must be missing everywhere before the payout counts as lost; an endpoint may serve the nonce
 * earlier than the receipt.
 */
export const LOST_AFTER = 30 * SECOND
