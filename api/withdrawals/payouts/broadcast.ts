import { sql } from 'kysely'
import type { Hex } from 'viem'
import { inParallel } from '#api/platform/chain/inParallel.ts'
import { sendTransaction } from '#api/platform/chain/sendTransaction.ts'
import { query } from '#api/entities/tables.ts'
import type { PayoutDesk } from './PayoutDesk.ts'

export interface SignedAttempt {
  id: string
  signedBytes: Hex
}

/** Low enough that nodes receive the transactions nearly in nonce order. */
const AT_ONCE = 16

/**
 * Sends stored bytes to the current endpoint, outside of transactions, and records which were accepted. Sending them twice is harmless.
 *
 * @returns the attempts whose fees the node rejected as too low.
 * @throws if the node does not answer; attempts accepted before that are recorded.
 */
export async function broadcast<Attempt extends SignedAttempt>(
  desk: PayoutDesk,
  attempts: readonly Attempt[],
): Promise<Attempt[]> {
  const { endpoint } = desk
  const taken: string[] = []
  const underpriced: Attempt[] = []
  let refused: string | undefined
  try {
    await inParallel(attempts, AT_ONCE, async (attempt) => {
      // A reason such as too little coin for fees applies to the remaining ones as well.
      if (refused !== undefined) return
      const { outcome, message } = await sendTransaction(endpoint, attempt.signedBytes)
      await desk.step('sent')
      if (outcome === 'taken') taken.push(attempt.id)
      if (outcome === 'underpriced') underpriced.push(attempt)
      if (outcome === 'refused') refused = message
    })
  } finally {
    await noteSent(desk, taken)
  }
  if (refused !== undefined)
    await desk.alert('refused', `A payout was refused by the reward chain and is tried again: ${refused}`)
  else if (taken.length > 0) desk.over('refused')
  return underpriced
}

async function noteSent(desk: PayoutDesk, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await desk.write((em) =>
    query(em)
      .updateTable('payout_attempts')
      .set({ sentAt: desk.services.clock.now() })
      .where('id', '=', sql<string>`any(${ids}::uuid[])`)
      .execute(),
  )
}
