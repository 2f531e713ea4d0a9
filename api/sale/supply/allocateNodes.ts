import type { EntityManager } from '@mikro-orm/postgresql'
import type { nodeKinds } from '#shared/contract/nodes.ts'
import { HOUR } from '#shared/dates.ts'
import { ACTIVATION_DELAY } from '#shared/sale.ts'
// SQL as text: the lowest free numbers come from generate_series and row_number.
import { sql } from '#api/platform/db/sql.ts'
import { FIRST_INSTANT_OF_OPEN_DAY } from './openDays.ts'

export interface Allocation {
  kind: (typeof nodeKinds)[number]
  /** The number of nodes for each account and purchase. */
  shares: readonly { userId: string; purchaseId: string; quantity: number }[]
  /** Product time. */
  allocatedAt: Date
  /** Product time from which they earn, at the earliest. */
  activeFrom: Date
}

export interface AllocatedNodes {
  /** In order. */
  numbers: number[]
  /** Never before the end of a closed day, so that a published day cannot have left them out (format.md, "No backdating"). */
  allocatedAt: Date
  /**
   * Never before `allocatedAt`, so that a paid day cannot have missed them (money.md 23), and at most 24 hours after it, also if the process
   * that saw the payment had a faster clock: the register's format allows no more (format.md, "Groups").
   */
  activeFrom: Date
}

/**
 * Allocates the lowest free node numbers, in the order of the shares. Returns the nodes of each purchase.
 *
 * The caller holds the lock of the supply row and has already counted the nodes in it, so enough numbers are free.
 */
export async function allocateNodes(
  em: EntityManager,
  { kind, shares, allocatedAt, activeFrom }: Allocation,
): Promise<Map<string, AllocatedNodes>> {
  const quantity = shares.reduce((sum, share) => sum + share.quantity, 0)
  const rows = await sql<{ number: number; purchase_id: string; allocated_at: string; active_from: string }>(
    em,
    // Without gaps in the numbers no search is needed.
    `with used as (
       select highest, total, highest = paid + bonus - $4 as is_whole
       from supply, (select coalesce(max(number), 0) as highest from nodes) last
     ),
     free as (
       select n, row_number() over (order by n) as place from (
         select n from used, generate_series(
           case when is_whole then highest + 1 else 1 end, case when is_whole then least(highest + $4, total) else total end
         ) n
         where not exists (select from nodes where number = n) order by n limit $4
       ) lowest
     ), due as (
       select user_id, purchase_id, row_number() over (order by share) as place
       from unnest($1::uuid[], $2::uuid[], $3::int[]) with ordinality as s (user_id, purchase_id, quantity, share),
         generate_series(1, s.quantity)
     ), instant as (select greatest($6::timestamptz, (${FIRST_INSTANT_OF_OPEN_DAY})) as allocated)
     insert into nodes (number, user_id, purchase_id, kind, allocated_at, active_from)
     select n, user_id, purchase_id, $5, allocated, least(greatest($7, allocated), allocated + $8 * interval '1 hour')
     from free join due using (place), instant
     returning number, purchase_id, allocated_at, active_from`,
    [
      shares.map(({ userId }) => userId),
      shares.map(({ purchaseId }) => purchaseId),
      shares.map((share) => share.quantity),
      quantity,
      kind,
      allocatedAt,
      activeFrom,
      ACTIVATION_DELAY / HOUR,
    ],
  )
  if (rows.length !== quantity) throw new Error(`${quantity} nodes were counted in, but only ${rows.length} numbers are free.`)
  const allocated = new Map<string, AllocatedNodes>()
  for (const { number, purchase_id, allocated_at, active_from } of rows.toSorted((a, b) => a.number - b.number)) {
    const times = { allocatedAt: new Date(allocated_at), activeFrom: new Date(active_from) }
    const nodes = allocated.get(purchase_id) ?? { numbers: [], ...times }
    nodes.numbers.push(number)
    allocated.set(purchase_id, nodes)
  }
  return allocated
}
