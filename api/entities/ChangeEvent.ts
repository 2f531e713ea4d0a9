import { defineEntity, p } from '@mikro-orm/postgresql'
import { User } from './User.ts'

/** Changed responses, to notify open pages. Written with the change and published by the single notifier. */
export const ChangeEventSchema = defineEntity({
  name: 'ChangeEvent',
  tableName: 'change_events',
  properties: {
    id: p.bigint('bigint').primary(),
    /** The user whose pages are notified; null notifies all pages. */
    user: () => p.manyToOne(User).ref().nullable(),
    /** Paths of the endpoints whose responses changed. */
    keys: p.array<string>().columnType('text[]'),
  },
})

export class ChangeEvent extends ChangeEventSchema.class {}
ChangeEventSchema.setClass(ChangeEvent)
