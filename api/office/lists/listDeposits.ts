import type { EntityManager } from '@mikro-orm/postgresql'
import type { listDeposits as contract } from '#shared/contract/admin/deposits.ts'
import type { RowSort } from '#shared/contract/admin/filters.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { query } from '#api/entities/tables.ts'
import { presentPaging } from '#api/platform/http/presentPaging.ts'
import { inOrder } from './inOrder.ts'
import { type DepositMatch, matchDeposits, rowOrders } from './matchRows.ts'
import { nearerEnd, opposite } from './nearerEnd.ts'
import type { Page } from './pagedLists.ts'

/** The orders of deposits, whose time is that of their first read. */
export const depositOrders = {
  ...rowOrders,
  newest: { by: 'firstSeenAt', direction: 'desc' },
  oldest: { by: 'firstSeenAt', direction: 'asc' },
} as const

/** One page of the deposits that match, and their sums if a search or filter selects them. */
export async function listDeposits(
  em: EntityManager,
  { limit, offset, sort = 'newest', ...filter }: Page & DepositMatch & { sort?: RowSort | undefined },
): Promise<Output<typeof contract>> {
  const matches = matchDeposits(em, filter)
  const isFiltered = Object.values(filter).some((value) => value !== undefined && value !== '')
  const { totalCount } = await matches.select(({ fn }) => fn.countAll<number>().as('totalCount')).executeTakeFirstOrThrow()
  const summary = isFiltered
    ? await matches
        .select(({ fn, lit }) => [
          fn.coalesce(fn.sum<bigint>('r.amount'), lit(0)).as('amount'),
          fn.coalesce(fn.sum<bigint>('r.refundedAmount'), lit(0)).as('refunded'),
        ])
        .executeTakeFirstOrThrow()
    : null
  const { by, direction } = depositOrders[sort]
  const place = nearerEnd({ limit, offset, totalCount })
  const order = place.isReversed ? opposite[direction] : direction
  // The page is chosen before the joins, so that they are made for its rows only.
  const page = await matches
    .select('r.id')
    .orderBy(`r.${by}`, order)
    .orderBy('r.id', order)
    .limit(place.limit)
    .offset(place.offset)
    .execute()
  const ids = page.map(({ id }) => id)
  return {
    deposits: await readDeposits(em, place.isReversed ? ids.toReversed() : ids),
    ...presentPaging({ totalCount, limit, offset }),
    summary: summary && { count: totalCount, amount: BigInt(summary.amount), refunded: BigInt(summary.refunded) },
  }
}

/** These deposits as shown to administrators, in this order. */
async function readDeposits(em: EntityManager, ids: readonly string[]) {
  if (ids.length === 0) return []
  const deposits = await query(em)
    .selectFrom('deposits as d')
    .leftJoin('users as u', 'u.id', 'd.user')
    .select(['d.id', 'd.transactionHash', 'd.sender', 'd.amount', 'd.state', 'd.reviewReason as reason'])
    .select(['u.id as userId', 'u.email as userEmail'])
    .select(['d.purchase as purchaseId', 'd.refundHash', 'd.refundedAmount', 'd.notes', 'd.firstSeenAt as seenAt', 'd.closedAt'])
    .where('d.id', 'in', ids)
    .execute()
  return inOrder(deposits, ids)
}
