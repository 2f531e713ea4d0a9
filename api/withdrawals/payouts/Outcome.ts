import type { Hash } from 'viem'
import type { PayoutState } from '#api/entities/Payout.ts'
import type { PayoutContext } from './PayoutContext.ts'
import type { Found, OpenPayout } from './readMined.ts'

/** What became of a payout on the chain. */
export interface Outcome {
  payout: OpenPayout
  state: Exclude<PayoutState, 'sent'>
  /** The final transaction; null if none of ours is final. */
  hash: Hash | null
  /** The transfer's index among the token's transfers in the transaction. */
  ordinal: number
}

export function toOutcome(context: PayoutContext, payout: OpenPayout, { attempt, receipt }: Found): Outcome {
  const outcome = { payout, hash: attempt.hash, ordinal: 0 }
  if (attempt.kind === 'cancel') return { ...outcome, state: 'cancelled' }
  if (!receipt.succeeded) return { ...outcome, state: 'reverted' }
  const ordinal = receipt.transfers.findIndex(
    ({ sender, recipient, amount }) =>
      sender === context.account.address && recipient === payout.recipient && amount === payout.amount,
  )
  // The token reported success but moved something else, which needs an operator.
  return ordinal < 0 ? { ...outcome, state: 'lost' } : { ...outcome, state: 'paid', ordinal }
}

export const isRefund = ({ state }: Outcome): boolean => state === 'reverted' || state === 'cancelled'
