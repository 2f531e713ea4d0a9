import { defineEntity, p } from '@mikro-orm/postgresql'
import { User } from './User.ts'

/**
 * The number of nodes per account, one row for each account. Maintained by triggers, so that the back office's list of bonuses
 * can sort without counting all nodes.
 */
export const NodeCountSchema = defineEntity({
  name: 'NodeCount',
  tableName: 'node_counts',
  properties: {
    user: () => p.oneToOne(User).owner().ref().primary().deleteRule('cascade'),
    paid: p.integer().default(0),
    bonus: p.integer().default(0),
    /** Bonus nodes due: one for each ten paid nodes, minus those granted. */
    pending: p.integer().generated('(greatest(paid / 10 - bonus, 0)) stored'),
  },
  indexes: [
    {
      name: 'node_counts_pending',
      expression: 'create index node_counts_pending on node_counts (pending desc, paid desc, user_id)',
    },
  ],
})

export class NodeCount extends NodeCountSchema.class {}
NodeCountSchema.setClass(NodeCount)
