import { defineEntity, p } from '@mikro-orm/postgresql'
import { User } from './User.ts'

/** Answers that have changed, for the open pages. Written with the change, published by the one notifier. */
export const ChangeEventSchema = defineEntity({
  name: 'ChangeEvent',
  tableName: 'change_events',
  properties: {
    id: p.bigint('bigint').primary(),
    /** Whose pages; null means everybody's. */
    user: () => p.manyToOne(User).ref().nullable(),
    /** Paths of the calls whose answers have changed. */
    keys: p.array<string>().columnType('text[]'),
  },
})

export class ChangeEvent extends ChangeEventSchema.class {}
ChangeEventSchema.setClass(ChangeEvent)
