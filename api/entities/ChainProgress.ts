import { defineEntity, p } from '@mikro-orm/postgresql'
import { instantColumn } from '#api/platform/db/columns.ts'

/** Progress of reading a chain, besides the cursor (`ChainBlock`). */
export const ChainProgressSchema = defineEntity({
  name: 'ChainProgress',
  tableName: 'chain_progress',
  properties: {
    chainId: p.integer().primary().autoincrement(false),
    /** The newest block reported by any endpoint. */
    headNumber: p.bigint('bigint').default(0),
    /** Final blocks up to this one were read a second time. */
    verifiedNumber: p.bigint('bigint'),
    /** Since when the second reading is far behind, by the database's clock; null: it is not. */
    lateSince: instantColumn().nullable(),
    /** The daily audit has compared deposits with the chain up to this block. */
    auditedNumber: p.bigint('bigint').nullable(),
    /** The database in which payments were credited last (restoredDatabase.ts); null before the first. */
    settledIn: p.text().nullable(),
    /** The number of this table in that database: it differs in a dump that was restored into the same database. */
    settledTable: p.text().nullable(),
    updatedAt: instantColumn(),
  },
})

export class ChainProgress extends ChainProgressSchema.class {}
ChainProgressSchema.setClass(ChainProgress)
