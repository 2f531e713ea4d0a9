import type { EntityManager } from '@mikro-orm/postgresql'
import { MINUTE } from '#shared/dates.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { query } from '#api/entities/tables.ts'

/** Blocks that the watcher may be behind; it also reads those in between. */
const WATCHER_LAG = 100n
/** Blocks within which a final payment is settled. It waits longer while too few endpoints agree on it. */
const SETTLED_WITHIN = 100n
/**
 * For a chain with a block time of at most one second. Longer than the watcher may be behind, so that a short failure of an endpoint
 * changes nothing; the operator's alert `PaymentsNotRead` has the same limit.
 */
export const OLDEST_BLOCK = 2 * MINUTE

export interface PaymentProgress {
  /** The newest block that the watcher has read; undefined if it has read none. */
  block: { number: bigint; time: Date } | undefined
  /** The newest block that an endpoint has reported. */
  head: bigint | undefined
}

/** How far the watcher has read the payment chain. */
export async function readPaymentProgress(em: EntityManager): Promise<PaymentProgress> {
  const block = await query(em)
    .selectFrom('chain_blocks')
    .select(['number', 'time'])
    .where('chainId', '=', PAYMENT_CHAIN_ID)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  const progress = await query(em)
    .selectFrom('chain_progress')
    .select('headNumber')
    .where('chainId', '=', PAYMENT_CHAIN_ID)
    .executeTakeFirst()
  return { block, head: progress?.headNumber }
}

/** Whether a payment waits although it is final. @param confirmations the blocks after which it is. */
export async function arePaymentsUnsettled(
  em: EntityManager,
  { block, confirmations }: Pick<PaymentProgress, 'block'> & { confirmations: number },
): Promise<boolean> {
  if (block === undefined) return false
  const waiting = await query(em)
    .selectFrom('deposits')
    .select('id')
    .where('state', '=', 'seen')
    .where('blockNumber', '<', block.number - BigInt(confirmations) - SETTLED_WITHIN)
    .limit(1)
    .executeTakeFirst()
  return waiting !== undefined
}

/** Blocks that exist and are not read yet. */
export const blocksBehind = ({ block, head }: PaymentProgress): bigint =>
  block === undefined || head === undefined || head < block.number ? 0n : head - block.number

/** Whether payments are found later than usual. The age counts too, because nobody learns of new blocks while no endpoint answers. */
export const arePaymentsLate = (progress: PaymentProgress, now: Date): boolean =>
  progress.block === undefined ||
  blocksBehind(progress) > WATCHER_LAG ||
  now.getTime() - progress.block.time.getTime() > OLDEST_BLOCK
