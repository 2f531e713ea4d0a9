import { defineEntity, p } from '@mikro-orm/postgresql'
import { instantColumn } from '#api/platform/db/columns.ts'

/** How far a chain has been read, apart from the cursor itself (`ChainBlock`). */
export const ChainProgressSchema = defineEntity({
  name: 'ChainProgress',
  tableName: 'chain_progress',
  properties: {
    chainId: p.integer().primary().autoincrement(false),
    /** The newest block any URL told of. */
    headNumber: p.bigint('bigint').default(0),
    /** Final blocks up to here were read a second time. */
    verifiedNumber: p.bigint('bigint'),
    /** The last block whose deposits the daily audit has compared with the chain. */
    auditedNumber: p.bigint('bigint').nullable(),
    updatedAt: instantColumn(),
  },
})

export class ChainProgress extends ChainProgressSchema.class {}
ChainProgressSchema.setClass(ChainProgress)
