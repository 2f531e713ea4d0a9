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
    // For the orders by nodes.
    { name: 'node_counts_all', expression: 'create index node_counts_all on node_counts ((paid + bonus), user_id)' },
    {
      name: 'node_counts_paid',
      expression: 'create index node_counts_paid on node_counts (paid desc, pending desc, user_id)',
    },
    {
      name: 'node_counts_bonus',
      expression: 'create index node_counts_bonus on node_counts (bonus desc, paid desc, user_id)',
    },
  ],
})

export class NodeCount extends NodeCountSchema.class {}
NodeCountSchema.setClass(NodeCount)
