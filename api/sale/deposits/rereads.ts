import type { EntityManager } from '@mikro-orm/postgresql'
import { type ExpressionBuilder, sql } from 'kysely'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { query, type Tables } from '#api/entities/tables.ts'

/** Blocks read again in one round, so that an endpoint that invents payments in thousands of them does not stop the reading. */
const MAX_BLOCKS = 8

/** Two years. A payment of the same block that waits for its receipt makes the block due again each minute, and counts a try each time. */
const MAX_DOUBLINGS = 20

/** The column rounds to milliseconds: a time rounded up would not have come yet. */
const now = sql<Date>`date_trunc('milliseconds', now())`
const inMinutes = (minutes: number) => sql<Date>`now() + ${minutes} * interval '1 minute'`

/** A block that is due, as it was when it was read from the table. */
export interface DueBlock {
  number: bigint
  tries: number
  dueAt: Date
}

/** An administrator may have asked for it meanwhile. */
const isUnchanged =
  ({ number, tries, dueAt }: DueBlock) =>
  (eb: ExpressionBuilder<Tables, 'blocks_to_reread'>) =>
    eb.and({ chainId: PAYMENT_CHAIN_ID, number, tries, dueAt })

/** The blocks to read again now. Those that were not yet read again come first: no number of others delays them. */
export const readDueBlocks = (em: EntityManager, { finalNumber }: { finalNumber: bigint }): Promise<DueBlock[]> =>
  query(em)
    .selectFrom('blocks_to_reread')
    .select(['number', 'tries', 'dueAt'])
    .where('chainId', '=', PAYMENT_CHAIN_ID)
    .where('number', '<=', finalNumber)
    .where('dueAt', '<=', now)
    .orderBy('tries')
    .orderBy('dueAt')
    .limit(MAX_BLOCKS)
    .execute()

/** Has a block read again as soon as possible, also if it is being read again at this moment. */
export async function rereadNow(em: EntityManager, number: bigint): Promise<void> {
  await query(em)
    .insertInto('blocks_to_reread')
    .values({ chainId: PAYMENT_CHAIN_ID, number, dueAt: now })
    .onConflict((conflict) => conflict.columns(['chainId', 'number']).doUpdateSet({ tries: 0, dueAt: now }))
    .execute()
}

/** Has blocks read again in a minute, unless they are due before. */
export async function rereadSoon(em: EntityManager, numbers: readonly bigint[]): Promise<void> {
  if (numbers.length === 0) return
  await query(em)
    .insertInto('blocks_to_reread')
    .values(numbers.map((number) => ({ chainId: PAYMENT_CHAIN_ID, number, dueAt: inMinutes(1) })))
    .onConflict((conflict) =>
      conflict.columns(['chainId', 'number']).doUpdateSet((eb) => ({
        dueAt: eb.fn<Date>('least', ['blocks_to_reread.dueAt', 'excluded.dueAt']),
      })),
    )
    .execute()
}

/** Tries again in a minute, because too few hosts answered. */
export async function postponeReread(em: EntityManager, block: DueBlock): Promise<void> {
  await query(em)
    .updateTable('blocks_to_reread')
    .set({ dueAt: inMinutes(1) })
    .where(isUnchanged(block))
    .execute()
}

/**
 * Notes that a block was read again. While an endpoint shows payments without a receipt there, it is read again after 1, 2, 4, 8 … minutes:
 * found however late the receipts appear, at a cost that falls with the age of what was invented.
 */
export async function finishReread(em: EntityManager, block: DueBlock, { isDoubtful }: { isDoubtful: boolean }): Promise<void> {
  if (isDoubtful)
    await query(em)
      .updateTable('blocks_to_reread')
      .set({ tries: block.tries + 1, dueAt: inMinutes(2 ** Math.min(block.tries, MAX_DOUBLINGS)) })
      .where(isUnchanged(block))
      .execute()
  else await query(em).deleteFrom('blocks_to_reread').where(isUnchanged(block)).execute()
}
