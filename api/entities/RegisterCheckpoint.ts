import { defineEntity, p } from '@mikro-orm/postgresql'
import { instantColumn } from '#api/platform/db/columns.ts'

/** A signed checkpoint of the register's log. Stored in the transaction of its entries; append-only. */
export const RegisterCheckpointSchema = defineEntity({
  name: 'RegisterCheckpoint',
  tableName: 'register_checkpoints',
  properties: {
    /** The number of entries. */
    size: p.integer().primary().autoincrement(false),
    /** 32 bytes. */
    root: p.blob(),
    /** The roots of the log's complete subtrees, largest first, 32 bytes each: the log grows from them. */
    subtrees: p.blob(),
    /** The signed note. */
    note: p.text(),
    /** Real time. */
    createdAt: instantColumn(),
  },
})

export class RegisterCheckpoint extends RegisterCheckpointSchema.class {}
RegisterCheckpointSchema.setClass(RegisterCheckpoint)
