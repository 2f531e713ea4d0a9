import { UNPAID } from './lockSent.ts'
import type { PayoutContext } from './PayoutContext.ts'

/** A payout whose nonce is unused as of the newest block, with its newest transaction. */
export type WaitingPayout = Awaited<ReturnType<typeof readWaitingPayouts>>[number]

/**
 * All payouts whose nonce is unused at this endpoint's newest block. Includes settled ones: after a reorganization deeper than the
 * confirmations, only their own bytes may be sent at that nonce. One that failed on the chain is refunded, and nodes may mine it again: it
 * is cancelled like a rejected one.
 */
export async function readWaitingPayouts(context: PayoutContext, mined: number) {
  const rows = await context.read
    .selectFrom('payouts as p')
    .innerJoin('payout_attempts as a', 'a.payout', 'p.id')
    .distinctOn('p.nonce')
    .select((eb) => [
      'p.id',
      'a.id as attemptId',
      'p.nonce',
      'p.withdrawal as withdrawalId',
      'p.recipient',
      'p.amount',
      'p.signedAt as firstSignedAt',
      eb('p.state', 'in', UNPAID).as('open'),
      'a.signedBytes',
      'a.hash',
      'a.kind',
      'a.signedAt',
      'a.sentAt',
      eb.or([eb('p.cancelRequestedAt', 'is not', null), eb('p.state', '=', 'reverted')]).as('cancelRequested'),
      'a.maxFeePerGas',
      'a.maxPriorityFeePerGas',
    ])
    .where('p.wallet', '=', context.account.address)
    .where('p.nonce', '>=', mined)
    .where((eb) =>
      eb.or([
        eb('p.state', 'in', UNPAID),
        eb.and([eb('p.state', 'in', ['paid', 'cancelled']), eb('a.hash', '=', eb.ref('p.finalHash'))]),
      ]),
    )
    .orderBy('p.nonce')
    .orderBy('a.id', 'desc')
    .execute()
  return rows.map(({ maxFeePerGas, maxPriorityFeePerGas, ...row }) => ({ ...row, fees: { maxFeePerGas, maxPriorityFeePerGas } }))
}
