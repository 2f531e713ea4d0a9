import { defineEntity, p } from '@mikro-orm/postgresql'
import { amountColumn, instantColumn } from '#api/platform/db/columns.ts'
import { RewardRun } from './RewardRun.ts'

/**
 * The rewards that a purchase's nodes missed on one day while frozen, paid after they are thawed. Like the ledger append-only and
 * without foreign keys to users and purchases.
 */
export const RewardCorrectionSchema = defineEntity({
  name: 'RewardCorrection',
  tableName: 'reward_corrections',
  properties: {
    /** The missed day. */
    day: () => p.manyToOne(RewardRun).ref().primary().fieldName('day').updateRule('no action').deleteRule('no action'),
    /** The nodes of a purchase are frozen and thawed together. */
    purchaseId: p.uuid().primary(),
    /** Random, because the owner sees it. */
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
