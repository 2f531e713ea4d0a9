import { defineEntity, p } from '@mikro-orm/postgresql'

/** The id of a purchase's nodes in the public register. It and the kind are kept from their first publication on. Append-only. */
export const RegisterGroupSchema = defineEntity({
  name: 'RegisterGroup',
  tableName: 'register_groups',
  properties: {
    /** From 1 on without a gap. */
    id: p.integer().primary().autoincrement(false),
    purchaseId: p.uuid().unique(),
    /** How its nodes count. A purchase whose deposits cover less than half its price is `granted`. */
    kind: p.enum(['paid', 'bonus', 'granted'] as const),
  },
})

export class RegisterGroup extends RegisterGroupSchema.class {}
RegisterGroupSchema.setClass(RegisterGroup)
