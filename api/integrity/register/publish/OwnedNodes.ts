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

  /** One row for each purchase, whose nodes are allocated, frozen and thawed together. */
  static async read(em: EntityManager): Promise<OwnedNodes> {
    const rows = await sql<Omit<OwnedNode, 'number'> & { numbers: number[] }>(
      em,
      `select array_agg(number) as numbers, purchase_id as "purchaseId", user_id as "userId", kind,
         (extract(epoch from allocated_at) * 1000)::float8 as allocated, (extract(epoch from active_from) * 1000)::float8 as active,
         frozen_at is not null as "isFrozen"
       from nodes group by purchase_id, user_id, kind, allocated_at, active_from, frozen_at`,
    )
    const nodes = rows.flatMap(({ numbers, ...node }) => numbers.map((number) => ({ number, ...node })))
    return new OwnedNodes(nodes.toSorted((a, b) => a.number - b.number))
  }
}
