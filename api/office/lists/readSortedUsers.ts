import type { EntityManager } from '@mikro-orm/postgresql'
import type { UserSort } from '#shared/contract/admin/users.ts'
import { query } from '#api/entities/tables.ts'
import { readTotal } from '../figures/readTotals.ts'
import { inUserOrder } from './inUserOrder.ts'
import { matchUsers } from './matchRows.ts'
import { nearerEnd, opposite } from './nearerEnd.ts'
import type { Page, PageIds } from './pagedLists.ts'
import { readSortedPage } from './readPage.ts'

type OtherOrder = Exclude<UserSort, 'newest'>

/** A page of all accounts in another order than the newest first. */
export async function readSortedUsers(
  em: EntityManager,
  { sort, now, limit, offset }: Page & { sort: OtherOrder; now: Date },
): Promise<PageIds> {
  if (sort === 'oldest') return readSortedPage(em, { list: 'users', by: 'createdAt', direction: 'asc', limit, offset })
  if (sort === 'email') return readSortedPage(em, { list: 'users', by: 'email', direction: 'asc', limit, offset })
  const { rows: totalCount } = await readTotal(em, 'users')
  if (sort === 'nodes') return { ids: await readByNodes(em, { limit, offset, totalCount }), totalCount }
  const richest = await readRichest(em, { sort, limit, offset })
  if (richest.length === Math.min(limit, Math.max(0, totalCount - offset))) return { ids: richest, totalCount }
  // Accounts without XCR, which need no row of their own.
  const rows = await inUserOrder(matchUsers(em, { now }).select('r.id'), sort).limit(limit).offset(offset).execute()
  return { ids: rows.map(({ id }) => id), totalCount }
}

/** Every account has a row of node counts. */
async function readByNodes(em: EntityManager, place: Page & { totalCount: number }): Promise<string[]> {
  const { isReversed, limit, offset } = nearerEnd(place)
  const direction = isReversed ? opposite.desc : 'desc'
  const rows = await query(em)
    .selectFrom('node_counts as c')
    .select('c.user as id')
    .orderBy((eb) => eb('c.paid', '+', eb.ref('c.bonus')), direction)
    .orderBy('c.user', direction)
    .limit(limit)
    .offset(offset)
    .execute()
  const ids = rows.map(({ id }) => id)
  return isReversed ? ids.toReversed() : ids
}

/** Reads every balance, but no other table: an index would be written with every reward (decision 41). */
async function readRichest(em: EntityManager, { sort, limit, offset }: Page & { sort: 'balance' | 'earned' }): Promise<string[]> {
  const by = sort === 'balance' ? 'balance' : 'totalEarned'
  const rows = await query(em)
    .selectFrom('accounts as a')
    .select('a.id')
    .where('a.kind', '=', 'user')
    .where(`a.${by}`, '>', 0n)
    .orderBy(`a.${by}`, 'desc')
    .orderBy('a.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return rows.map(({ id }) => id)
}
