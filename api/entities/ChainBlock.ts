import { defineEntity, p } from '@mikro-orm/postgresql'
import { hashColumn, instantColumn } from '#api/platform/db/columns.ts'

/**
 * The last block of each range read. The highest is the cursor; the others serve to find the common ancestor after a
 * reorganization.
 */
export const ChainBlockSchema = defineEntity({
  name: 'ChainBlock',
  tableName: 'chain_blocks',
  properties: {
    chainId: p.integer().primary().autoincrement(false),
    number: p.bigint('bigint').primary(),
    hash: hashColumn(),
    time: instantColumn(),
  },
})

export class ChainBlock extends ChainBlockSchema.class {}
ChainBlockSchema.setClass(ChainBlock)
