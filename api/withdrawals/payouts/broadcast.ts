import { sql } from 'kysely'
import type { Hex } from 'viem'
import { mapConcurrent } from '#api/platform/chain/mapConcurrent.ts'
import { sendTransaction } from '#api/platform/chain/sendTransaction.ts'
import { query } from '#api/entities/tables.ts'
import type { PayoutContext } from './PayoutContext.ts'

export interface SignedAttempt {
  id: string
  signedBytes: Hex
}

/** Low enough that nodes receive the transactions nearly in nonce order. */
const MAX_CONCURRENT_REQUESTS = 16

/**
 * Sends stored bytes to the current endpoint, outside of transactions, and records which were accepted. Sending them twice is harmless.
 *
 * @returns the attempts whose fees the node rejected as too low.
 * @throws if the node does not answer; attempts accepted before that are recorded.
 */
export async function broadcast<Attempt extends SignedAttempt>(
  context: PayoutContext,
  attempts: readonly Attempt[],
): Promise<Attempt[]> {
  const { endpoint } = context
  const taken: string[] = []
  const underpriced: Attempt[] = []
  let refused: string | undefined
  try {
    await mapConcurrent(attempts, MAX_CONCURRENT_REQUESTS, async (attempt) => {
      // A reason such as too little coin for fees applies to the remaining ones as well.
      if (refused !== undefined) return
      const { outcome, message } = await sendTransaction(endpoint, attempt.signedBytes)
      await context.step('sent')
      if (outcome === 'taken') taken.push(attempt.id)
      if (outcome === 'underpriced') underpriced.push(attempt)
      if (outcome === 'refused') refused = message
    })
  } finally {
    await noteSent(context, taken)
  }
  if (refused !== undefined) await context.alert('refused', `A payout was refused by the reward chain and is retried: ${refused}`)
  else if (taken.length > 0) context.endAlert('refused')
  return underpriced
}

async function noteSent(context: PayoutContext, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await context.write((em) =>
    query(em)
      .updateTable('payout_attempts')
      .set({ sentAt: context.services.clock.now() })
      .where('id', '=', sql<string>`any(${ids}::uuid[])`)
      .execute(),
  )
}
