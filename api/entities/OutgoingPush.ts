import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { InboxMessage } from './InboxMessage.ts'
import { PushSubscription } from './PushSubscription.ts'

/** A message that is to be pushed to a subscription. Deleted once the push service has accepted it, or after a day. */
export const OutgoingPushSchema = defineEntity({
  name: 'OutgoingPush',
  tableName: 'outgoing_pushes',
  properties: {
    id: idColumn(),
    message: () => p.manyToOne(InboxMessage).ref().deleteRule('cascade'),
    subscription: () => p.manyToOne(PushSubscription).ref().deleteRule('cascade').index(),
    /** Real time. */
    createdAt: instantColumn(),
    attempts: p.integer().default(0),
    nextAttemptAt: instantColumn().index(),
  },
  uniques: [{ properties: ['message', 'subscription'] }],
})

export class OutgoingPush extends OutgoingPushSchema.class {}
OutgoingPushSchema.setClass(OutgoingPush)
