import { defineEntity, p } from '@mikro-orm/postgresql'

/** The tree of a published day's nodes. Append-only. */
export const RegisterDaySchema = defineEntity({
  name: 'RegisterDay',
  tableName: 'register_days',
  properties: {
    day: p.date().primary(),
    /** The number of leaves. */
    supply: p.integer(),
    /** 32 bytes. */
    root: p.blob(),
    /** The bytes of `days/<day>.bin`. Stored uncompressed, so that a range of them is read without the rest. */
    leaves: p.blob(),
    /** The bytes of `days/<day>.hashes.bin`. */
    blockHashes: p.blob(),
  },
})

export class RegisterDay extends RegisterDaySchema.class {}
RegisterDaySchema.setClass(RegisterDay)
