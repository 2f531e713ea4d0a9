import { defineEntity, p } from '@mikro-orm/postgresql'
import { instantColumn } from '../db/columns.ts'

/** A process that holds event streams, and until when these count unless it renews the lease. */
export const StreamLeaseSchema = defineEntity({
  name: 'StreamLease',
  tableName: 'stream_leases',
  properties: {
    id: p.uuid().primary(),
    /** By the database's clock. */
    expiresAt: instantColumn(),
  },
})

export class StreamLease extends StreamLeaseSchema.class {}
StreamLeaseSchema.setClass(StreamLease)
