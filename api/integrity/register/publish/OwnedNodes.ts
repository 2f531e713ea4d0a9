import type { EntityManager } from '@mikro-orm/postgresql'
import { type Range, rangesOf } from '#shared/register/values.ts'
import { sql } from '#api/platform/db/sql.ts'

export interface OwnedNode {
  number: number
  purchaseId: string
  userId: string
  kind: 'paid' | 'bonus'
  /** Both in register time, in milliseconds. */
  allocated: number
  active: number
  isFrozen: boolean
}

export interface NodeGroup {
  userId: string
  kind: 'paid' | 'bonus'
  numbers: Range[]
  count: number
  allocated: Date
  active: Date
}

/** All owned nodes, in number order, and the groups that their purchases make. */
export class OwnedNodes {
  readonly nodes: readonly OwnedNode[]
  readonly groups: ReadonlyMap<string, NodeGroup>

  constructor(nodes: readonly OwnedNode[]) {
    this.nodes = nodes
    const byPurchase = Map.groupBy(nodes, ({ purchaseId }) => purchaseId)
    this.groups = new Map(
      [...byPurchase].map(([purchaseId, [first, ...others]]) => [
        purchaseId,
        {
          userId: first!.userId,
          kind: first!.kind,
          numbers: rangesOf([first!, ...others].map(({ number }) => number)),
          count: others.length + 1,
          allocated: new Date(first!.allocated),
          active: new Date(first!.active),
        },
      ]),
    )
  }

  static async read(em: EntityManager): Promise<OwnedNodes> {
    const rows = await sql<OwnedNode>(
      em,
      `select number, purchase_id as "purchaseId", user_id as "userId", kind,
         (extract(epoch from allocated_at) * 1000)::float8 as allocated, (extract(epoch from active_from) * 1000)::float8 as active,
         frozen_at is not null as "isFrozen"
       from nodes order by number`,
    )
    return new OwnedNodes(rows)
  }
}
