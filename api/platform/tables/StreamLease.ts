import { defineEntity, p } from '@mikro-orm/postgresql'
import { instantColumn } from '../db/columns.ts'

/** A process's lease on its event streams, which it renews before it expires. */
export const StreamLeaseSchema = defineEntity({
  name: 'StreamLease',
  tableName: 'stream_leases',
  properties: {
    id: p.uuid().primary(),
    /** In the database's time. */
    expiresAt: instantColumn(),
  },
})

export class StreamLease extends StreamLeaseSchema.class {}
StreamLeaseSchema.setClass(StreamLease)
