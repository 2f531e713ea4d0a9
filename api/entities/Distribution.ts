import { defineEntity, p } from '@mikro-orm/postgresql'
import { amountColumn, instantColumn } from '#api/platform/db/columns.ts'
import { User } from './User.ts'

/**
 * What an account's active nodes were paid on one day. Partitioned and append-only as the ledger is, and made by the same migration.
 */
export const DistributionSchema = defineEntity({
  name: 'Distribution',
  tableName: 'distributions',
  properties: {
    day: p.date().primary(),
    user: () => p.manyToOne(User).ref().primary(),
    /** Shown to its owner; random. */
    id: p.uuid(),
    activeNodes: p.integer(),
    /** What each of them earned. */
    rate: amountColumn(),
    amount: amountColumn(),
    /** The day's 09:00 UTC, in product time. */
    createdAt: instantColumn(),
  },
  checks: [
    { name: 'distributions_nodes', expression: 'active_nodes > 0' },
    { name: 'distributions_amount', expression: 'amount = active_nodes * rate and amount > 0' },
  ],
})

export class Distribution extends DistributionSchema.class {}
DistributionSchema.setClass(Distribution)
