import type { EntityManager } from '@mikro-orm/postgresql'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Cursor } from './readNext.ts'

/**
 * Takes back how far was read, to a block that is still on the chain. Deposits after it that no receipt has settled are in no block until
 * they are read again. Settled ones stay as they are: whether their own blocks are gone is for orphanVanished to find out (money.md 4).
 */
export async function takeBackBlocks(em: EntityManager, ancestor: Cursor): Promise<void> {
  await sql(em, 'delete from chain_blocks where chain_id = $1 and number > $2', [PAYMENT_CHAIN_ID, ancestor.number])
  await sql(
    em,
    `update chain_progress set verified_number = least(verified_number, $2),
       audited_number = case when audited_number > $2 then $2 else audited_number end where chain_id = $1`,
    [PAYMENT_CHAIN_ID, ancestor.number],
  )
  await sql(
    em,
    `update deposits set block_number = null, block_hash = null, block_time = null, log_index = null
     where chain_id = $1 and block_number > $2 and state = 'seen'`,
    [PAYMENT_CHAIN_ID, ancestor.number],
  )
}
