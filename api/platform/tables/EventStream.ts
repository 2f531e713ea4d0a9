import { defineEntity, p } from '@mikro-orm/postgresql'
import { StreamLease } from './StreamLease.ts'

export const STREAMS_PER_ACCOUNT = 5

/** One of an account's event streams over all processes (money.md 35). Its slot is free once the lease has expired. */
export const EventStreamSchema = defineEntity({
  name: 'EventStream',
  tableName: 'event_streams',
  properties: {
    accountId: p.uuid().primary(),
    /** From 1 to `STREAMS_PER_ACCOUNT`. */
    slot: p.smallint().primary(),
    lease: () => p.manyToOne(StreamLease).ref().deleteRule('cascade').index(),
  },
  checks: [{ name: 'event_streams_slot_check', expression: `slot >= 1 and slot <= ${STREAMS_PER_ACCOUNT}` }],
})

export class EventStream extends EventStreamSchema.class {}
EventStreamSchema.setClass(EventStream)
