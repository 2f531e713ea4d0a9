import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../db/sql.ts'
import { FIRST_INSTANT_OF_OPEN_DAY } from '../rewards/rewardTime.ts'
import type { nodeKinds } from '../entities/Node.ts'

export interface Allocation {
  userId: string
  purchaseId: string
  kind: (typeof nodeKinds)[number]
  quantity: number
  /** Product time. */
  allocatedAt: Date
  /** Product time from which they earn, at the earliest. */
  activeFrom: Date
}

export interface AllocatedNodes {
  /** In order. */
  numbers: number[]
  /** Never before `allocatedAt`, nor before a daily run that is closed: no run that has paid could have missed them (money.md 23). */
  activeFrom: Date
}

/**
 * Gives an account the lowest free node numbers.
 *
 * The caller holds the supply row and has counted the nodes in already, so all of them are there.
 */
export async function allocateNodes(em: EntityManager, allocation: Allocation): Promise<AllocatedNodes> {
  const { userId, purchaseId, kind, quantity, allocatedAt, activeFrom } = allocation
  const rows = await sql<{ number: number; active_from: string }>(
    em,
    `with used as (select count(*)::int as count, coalesce(max(number), 0) as highest from nodes),
     free as (
       select n from used, generate_series(case when used.count = used.highest then used.highest + 1 else 1 end, (select total from supply)) n
       where not exists (select from nodes where number = n) order by n limit $4
     )
     insert into nodes (number, user_id, purchase_id, kind, allocated_at, active_from)
     select n, $1, $2, $3, $5, greatest($6, $5, (${FIRST_INSTANT_OF_OPEN_DAY})) from free returning number, active_from`,
    [userId, purchaseId, kind, quantity, allocatedAt, activeFrom],
  )
  if (rows.length !== quantity) throw new Error(`${quantity} nodes were counted in, but only ${rows.length} numbers are free.`)
  return { numbers: rows.map((row) => row.number).sort((a, b) => a - b), activeFrom: new Date(rows[0]!.active_from) }
}
