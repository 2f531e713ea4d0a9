import { defineEntity, p } from '@mikro-orm/postgresql'
import { amountColumn, instantColumn } from '#api/platform/db/columns.ts'
import { RewardRun } from './RewardRun.ts'

/**
 * What the nodes of one purchase missed on one day because they were frozen, paid after they were thawed. Append-only and without foreign
 * keys to people and purchases, as the ledger is.
 */
export const RewardCorrectionSchema = defineEntity({
  name: 'RewardCorrection',
  tableName: 'reward_corrections',
  properties: {
    /** The day that was missed. */
    day: () => p.manyToOne(RewardRun).ref().primary().fieldName('day').updateRule('no action').deleteRule('no action'),
    /** The nodes of a purchase are frozen and thawed together. */
    purchaseId: p.uuid().primary(),
    /** Shown to its owner; random. */
    id: p.uuid(),
    userId: p.uuid().index(),
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
