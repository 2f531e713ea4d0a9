import type { EntityManager } from '@mikro-orm/postgresql'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { query } from '#api/entities/tables.ts'
import type { Cursor } from './readNext.ts'

/**
 * Rolls the reading position back to a block that is still on the chain. Unsettled deposits after it are in no block until they are read
 * again. Settled ones are not changed: orphanVanished checks whether their own blocks are gone (money.md 4).
 */
export async function rollBackBlocks(em: EntityManager, ancestor: Cursor): Promise<void> {
  const { number } = ancestor
  await query(em).deleteFrom('chain_blocks').where('chainId', '=', PAYMENT_CHAIN_ID).where('number', '>', number).execute()
  await query(em)
    .updateTable('chain_progress')
    .set((eb) => ({
      verifiedNumber: eb.fn<bigint>('least', ['verifiedNumber', eb.val(number)]),
      auditedNumber: eb.case().when('auditedNumber', '>', number).then(number).else(eb.ref('auditedNumber')).end(),
    }))
    .where('chainId', '=', PAYMENT_CHAIN_ID)
    .execute()
  await query(em)
    .updateTable('deposits')
    .set({ blockNumber: null, blockHash: null, blockTime: null, logIndex: null })
    .where('chainId', '=', PAYMENT_CHAIN_ID)
    .where('blockNumber', '>', number)
    .where('state', '=', 'seen')
    .execute()
}
