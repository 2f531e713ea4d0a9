import type { EntityManager } from '@mikro-orm/postgresql'
import type { Output } from '#shared/contract/endpoint.ts'
import type { AdminUserRow, summarizeUsers as summaryContract, UserSort } from '#shared/contract/admin/users.ts'
import { inOrder } from './inOrder.ts'
import { isFrozen } from '#api/accounts/users/frozen.ts'
import { query } from '#api/entities/tables.ts'
import { inUserOrder } from './inUserOrder.ts'
import { isNarrowed } from './isNarrowed.ts'
import { matchUsers, type UserMatch } from './matchRows.ts'
import type { FoundPage, Page, PageIds } from './pagedLists.ts'
import { type Paging, presentPaging } from '#api/platform/http/presentPaging.ts'
import { readPage } from './readPage.ts'
import { searchPage } from './searchPage.ts'

/**
 * One page of the accounts that match, newest sign-up first unless `sort` says otherwise.
 *
 * @param now real time.
 */
export async function listUsers(
  em: EntityManager,
  { limit, offset, sort, ...filter }: Page & UserMatch & { sort?: UserSort | undefined },
): Promise<{ users: AdminUserRow[]; isCut?: boolean } & Paging> {
  const { email, now, ...others } = filter
  const page: Omit<FoundPage, 'isCut'> & { isCut?: boolean } = isNarrowed({ ...others, sort })
    ? await readMatches(em, { limit, offset, sort, ...filter })
    : email
      ? await searchPage(em, { list: 'users', email, limit, offset })
      : await readPage(em, { list: 'users', limit, offset })
  const { ids, totalCount, isCut } = page
  return {
    users: await readUsers(em, { ids, now }),
    ...presentPaging({ totalCount, limit, offset }),
    ...(isCut !== undefined && { isCut }),
  }
}

async function readMatches(
  em: EntityManager,
  { limit, offset, sort, ...filter }: Page & UserMatch & { sort?: UserSort | undefined },
): Promise<PageIds> {
  const matches = matchUsers(em, filter)
  const { totalCount } = await matches.select(({ fn }) => fn.countAll<number>().as('totalCount')).executeTakeFirstOrThrow()
  const rows = await inUserOrder(matches.select('r.id'), sort).limit(limit).offset(offset).execute()
  return { ids: rows.map(({ id }) => id), totalCount }
}

/** The sums of all accounts that match. */
export async function summarizeUsers(em: EntityManager, filter: UserMatch): Promise<Output<typeof summaryContract>> {
  const { count, nodes, available, earned } = await matchUsers(em, filter)
    .select(({ fn, lit, eb }) => [
      fn.countAll<number>().as('count'),
      fn.coalesce(fn.sum<number>(eb('c.paid', '+', eb.ref('c.bonus'))), lit(0)).as('nodes'),
      fn.coalesce(fn.sum<bigint>('a.balance'), lit(0)).as('available'),
      fn.coalesce(fn.sum<bigint>('a.totalEarned'), lit(0)).as('earned'),
    ])
    .executeTakeFirstOrThrow()
  return { count, nodes, availableXcr: BigInt(available), totalEarnedXcr: BigInt(earned) }
}

/** These accounts as shown to administrators, in this order. */
export async function readUsers(em: EntityManager, { ids, now }: { ids: readonly string[]; now: Date }): Promise<AdminUserRow[]> {
  if (ids.length === 0) return []
  const users = await query(em)
    .selectFrom('users as u')
    .leftJoin('accounts as a', 'a.id', 'u.id')
    .select([
      'u.id',
      'u.email',
      'u.walletAddress',
      'u.isAdmin',
      'u.createdAt',
      'u.frozenAt',
      'u.thawsAt',
      'a.balance',
      'a.totalEarned',
    ])
    .select((eb) =>
      eb.selectFrom('nodes as n').select(eb.fn.countAll<number>().as('count')).whereRef('n.user', '=', 'u.id').as('totalNodes'),
    )
    .where('u.id', 'in', ids)
    .execute()
  return inOrder(users, ids).map(({ balance, totalEarned, totalNodes, frozenAt, thawsAt, ...user }) => ({
    ...user,
    totalNodes: totalNodes ?? 0,
    availableXcr: balance ?? 0n,
    totalEarnedXcr: totalEarned ?? 0n,
    ...(isFrozen({ frozenAt, thawsAt }, now) && { frozen: { thawsAt } }),
  }))
}
