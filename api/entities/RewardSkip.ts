import { defineEntity, p } from '@mikro-orm/postgresql'
import { Node } from './Node.ts'
import { RewardRun } from './RewardRun.ts'

/** A node that was active on a day but not paid, because it was frozen. Needed to recompute the day later. */
export const RewardSkipSchema = defineEntity({
  name: 'RewardSkip',
  tableName: 'reward_skips',
  properties: {
    day: () => p.manyToOne(RewardRun).ref().primary().fieldName('day').updateRule('no action').deleteRule('no action'),
    node: () => p.manyToOne(Node).ref().primary().fieldName('node_number').updateRule('no action').deleteRule('no action'),
  },
})

export class RewardSkip extends RewardSkipSchema.class {}
RewardSkipSchema.setClass(RewardSkip)
