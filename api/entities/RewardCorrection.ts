import { defineEntity, p } from '@mikro-orm/postgresql'
import { amountColumn, instantColumn } from '../db/columns.ts'
import { Purchase } from './Purchase.ts'
import { RewardRun } from './RewardRun.ts'
import { User } from './User.ts'

/**
 * What the nodes of one purchase missed on one day because they were frozen, paid after they were thawed. Append-only, as the ledger
 * is.
 */
const RewardCorrectionSchema = defineEntity({
  name: 'RewardCorrection',
  tableName: 'reward_corrections',
  properties: {
    /** The day that was missed. */
    day: () => p.manyToOne(RewardRun).ref().primary().fieldName('day').updateRule('no action').deleteRule('no action'),
    /** The nodes of a purchase are frozen and thawed together. */
    purchase: () => p.manyToOne(Purchase).ref().primary().updateRule('no action').deleteRule('no action'),
    /** Shown to its owner; random. */
    id: p.uuid(),
    user: () => p.manyToOne(User).ref().index(),
    nodes: p.integer(),
    /** The rate of the missed day. */
    rate: amountColumn(),
    amount: amountColumn(),
    /** When it was paid, in product time. */
    createdAt: instantColumn(),
  },
  checks: [
    { name: 'reward_corrections_nodes', expression: 'nodes > 0' },
    { name: 'reward_corrections_amount', expression: 'amount = nodes * rate and amount > 0' },
  ],
})

export class RewardCorrection extends RewardCorrectionSchema.class {}
RewardCorrectionSchema.setClass(RewardCorrection)
