import type { EntityManager } from '@mikro-orm/postgresql'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { sql } from '../db/sql.ts'
import type { Cursor } from './readNext.ts'

export interface TakenBack {
  /** Deposits that were final and are gone all the same. */
  orphaned: { id: string; transactionHash: string; purchaseId: string | null }[]
}

/**
 * Takes back what was read after a block that is still on the chain. Deposits that were not final are in no block until they are mined
 * again; final ones are orphaned and their nodes frozen (money.md 4).
 */
export async function takeBackBlocks(em: EntityManager, ancestor: Cursor, productNow: Date): Promise<TakenBack> {
  await sql(em, 'delete from chain_blocks where chain_id = $1 and number > $2', [PAYMENT_CHAIN_ID, ancestor.number])
  await sql(
    em,
    `update chain_progress set verified_number = least(verified_number, $2),
       audited_number = case when audited_number > $2 then $2 else audited_number end where chain_id = $1`,
    [PAYMENT_CHAIN_ID, ancestor.number],
  )
  const rows = await sql<{
    id: string
    transaction_hash: string
    purchase_id: string | null
    state: string
    before: string | null
  }>(
    em,
    `update deposits set block_number = null, block_hash = null, block_time = null, log_index = null,
       state_before_orphaned = case when state = 'seen' then null else coalesce(state_before_orphaned, state) end,
       state = case when state = 'seen' then 'seen' else 'orphaned' end
     where chain_id = $1 and block_number > $2 returning id, transaction_hash, purchase_id, state, state_before_orphaned as before`,
    [PAYMENT_CHAIN_ID, ancestor.number],
  )
  const orphaned = rows.filter((row) => row.state === 'orphaned')
  // One that only waited with a purchase has not paid for its nodes.
  const payments = orphaned.filter(({ before }) => before === 'matched' || before === 'assigned')
  const purchaseIds = payments.flatMap((row) => row.purchase_id ?? [])
  if (purchaseIds.length > 0) {
    await sql(em, 'update nodes set frozen_at = $2 where purchase_id = any($1) and frozen_at is null', [purchaseIds, productNow])
  }
  return { orphaned: orphaned.map((row) => ({ id: row.id, transactionHash: row.transaction_hash, purchaseId: row.purchase_id })) }
}
