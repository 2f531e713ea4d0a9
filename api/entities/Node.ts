import { defineEntity, p } from '@mikro-orm/postgresql'
import { nodeKinds } from '#shared/contract/nodes.ts'
import { instantColumn } from '#api/platform/db/columns.ts'
import { Purchase } from './Purchase.ts'
import { User } from './User.ts'

/** An owned node. Numbers are allocated as the lowest free ones of 1..supply. */
export const NodeSchema = defineEntity({
  name: 'Node',
  tableName: 'nodes',
  properties: {
    number: p.integer().primary().autoincrement(false),
    user: () => p.manyToOne(User).ref().index(),
    purchase: () => p.manyToOne(Purchase).ref().index(),
    kind: p.enum(nodeKinds),
    allocatedAt: instantColumn(),
    /** The product time from which it earns, never before a daily run that has already paid. */
    activeFrom: instantColumn(),
    /** Set while the transfer that paid for it has vanished from the chain: the node is kept, and the daily run skips it. */
    frozenAt: instantColumn().nullable(),
  },
  checks: [{ name: 'nodes_number', expression: 'number > 0' }],
})

export class Node extends NodeSchema.class {}
NodeSchema.setClass(Node)
