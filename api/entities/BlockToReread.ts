import { defineEntity, p } from '@mikro-orm/postgresql'
import { instantColumn } from '#api/platform/db/columns.ts'

/** A final block of the payment chain in which payments are missing or have no receipt. It is read again by itself (rereads.ts). */
export const BlockToRereadSchema = defineEntity({
  name: 'BlockToReread',
  tableName: 'blocks_to_reread',
  properties: {
    chainId: p.integer().primary().autoincrement(false),
    number: p.bigint('bigint').primary(),
    /** How often it was read again. */
    tries: p.integer().default(0),
    dueAt: instantColumn(),
  },
  // In the order in which they are read again: an endpoint may invent payments in any number of blocks.
  indexes: [{ properties: ['chainId', 'tries', 'dueAt'] }],
})

export class BlockToReread extends BlockToRereadSchema.class {}
BlockToRereadSchema.setClass(BlockToReread)
