import { defineEntity, p } from '@mikro-orm/postgresql'
import { User } from './User.ts'

/**
 * How many nodes an account has, a row for every account. Triggers keep it, so that the back office's list of bonuses need not count
 * everybody's nodes to know who comes first.
 */
export const NodeCountSchema = defineEntity({
  name: 'NodeCount',
  tableName: 'node_counts',
  properties: {
    user: () => p.oneToOne(User).owner().ref().primary().deleteRule('cascade'),
    paid: p.integer().default(0),
    bonus: p.integer().default(0),
    /** Bonus nodes that it is due: one for each ten paid ones, less those it was given. */
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
