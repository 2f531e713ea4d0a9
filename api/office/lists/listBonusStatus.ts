import type { EntityManager } from '@mikro-orm/postgresql'
import type { BonusRow, BonusSort, listBonusStatus as contract } from '#shared/contract/admin/bonus.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { query } from '#api/entities/tables.ts'
import { bonusColumns, presentBonus } from '#api/sale/bonus/readDueBonus.ts'
import { readTotal } from '../figures/readTotals.ts'
import { type BonusMatch, matchBonus } from './matchRows.ts'
import { nearerEnd } from './nearerEnd.ts'
import type { Page } from './pagedLists.ts'
import { presentPaging } from '#api/platform/http/presentPaging.ts'

/** The columns of each order, largest first. */
export const bonusOrders = {
  pending: ['pending', 'paid'],
  paid: ['paid', 'pending'],
  received: ['bonus', 'paid'],
} as const satisfies Record<BonusSort, unknown>

/** One page of all accounts or of those that match, by default sorted by pending bonus, then by nodes, largest first. */
export async function listBonusStatus(
  em: EntityManager,
  { limit, offset, sort, ...filter }: Page & BonusMatch & { sort?: BonusSort | undefined },
): Promise<Output<typeof contract>> {
  if (filter.email || filter.status) return readMatches(em, { limit, offset, sort, ...filter })
  const { rows: totalCount } = await readTotal(em, 'users')
  return {
    users: await readPage(em, { limit, offset, totalCount, sort }),
    ...presentPaging({ totalCount, limit, offset }),
  }
}

async function readMatches(
  em: EntityManager,
  { limit, offset, sort = 'pending', ...filter }: Page & BonusMatch & { sort?: BonusSort | undefined },
): Promise<Output<typeof contract>> {
  const matches = matchBonus(em, filter)
  const sums = await matches
    .select(({ fn, lit }) => [
      fn.countAll<number>().as('count'),
      fn.coalesce(fn.sum<number>('c.paid'), lit(0)).as('paidNodes'),
      fn.coalesce(fn.sum<number>('c.bonus'), lit(0)).as('bonusReceived'),
      fn.coalesce(fn.sum<number>('c.pending'), lit(0)).as('bonusPending'),
    ])
    .executeTakeFirstOrThrow()
  const [first, second] = bonusOrders[sort]
  const rows = await matches
    .select(bonusColumns)
    .orderBy(`c.${first}`, 'desc')
    .orderBy(`c.${second}`, 'desc')
    .orderBy('c.user')
    .limit(limit)
    .offset(offset)
    .execute()
  return { users: rows.map(presentBonus), ...presentPaging({ totalCount: sums.count, limit, offset }), summary: sums }
}

/** Reads from the nearer end of the list. */
async function readPage(
  em: EntityManager,
  { sort = 'pending', ...place }: Page & { totalCount: number; sort: BonusSort | undefined },
): Promise<BonusRow[]> {
  const { isReversed, limit, offset } = nearerEnd(place)
  const [down, up] = isReversed ? (['asc', 'desc'] as const) : (['desc', 'asc'] as const)
  const [first, second] = bonusOrders[sort]
  const rows = await query(em)
    .selectFrom((eb) =>
      eb
        .selectFrom('node_counts')
        .select(['user', 'paid', 'bonus', 'pending'])
        .orderBy(first, down)
        .orderBy(second, down)
        .orderBy('user', up)
        .offset(offset)
        .limit(limit)
        .as('c'),
    )
    .innerJoin('users as u', 'u.id', 'c.user')
    .select(bonusColumns)
    .orderBy(`c.${first}`, 'desc')
    .orderBy(`c.${second}`, 'desc')
    .orderBy('c.user')
    .execute()
  return rows.map(presentBonus)
}
