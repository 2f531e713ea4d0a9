import { defineEntity, p } from '@mikro-orm/postgresql'
import { amountColumn, instantColumn } from '#api/platform/db/columns.ts'
import { User } from './User.ts'

const properties = () => ({
  day: p.date().primary(),
  user: () => p.manyToOne(User).ref().primary(),
  /** Random, because the owner sees it. */
  id: p.uuid(),
  activeNodes: p.integer(),
  /** The reward per node. */
  rate: amountColumn(),
  amount: amountColumn(),
  /** 09:00 UTC of the day, in product time. */
  createdAt: instantColumn(),
})

/**
 * The rewards of an account's active nodes on one day. Partitioned and append-only like the ledger, and created by the same
 * migration.
 */
export const DistributionSchema = defineEntity({
  name: 'Distribution',
  tableName: 'distributions',
  properties: properties(),
  checks: [
    { name: 'distributions_nodes', expression: 'active_nodes > 0' },
    { name: 'distributions_amount', expression: 'amount = active_nodes * rate and amount > 0' },
  ],
})

export class Distribution extends DistributionSchema.class {}
DistributionSchema.setClass(Distribution)

/** The distributions of archived months. */
export const ArchivedDistributionSchema = defineEntity({
  name: 'ArchivedDistribution',
  tableName: 'archived_distributions',
  properties: properties(),
})

export class ArchivedDistribution extends ArchivedDistributionSchema.class {}
ArchivedDistributionSchema.setClass(ArchivedDistribution)
