import type { EntityManager } from '@mikro-orm/postgresql'
import type { Output } from '#shared/contract/endpoint.ts'
import type { AdminUserRow, summarizeUsers as summaryContract, UserSort } from '#shared/contract/admin/users.ts'
import { inOrder } from './inOrder.ts'
import { isFrozen } from '#api/accounts/users/frozen.ts'
import { query } from '#api/entities/tables.ts'
import { inUserOrder } from './inUserOrder.ts'
import { isNarrowed } from './isNarrowed.ts'
import { matchUsers, type UserMatch } from './matchRows.ts'
import type { Page, PageIds } from './pagedLists.ts'
import { type Paging, presentPaging } from '#api/platform/http/presentPaging.ts'
import { readSortedUsers } from './readSortedUsers.ts'
import { readPage } from './readPage.ts'
import { searchPage } from './searchPage.ts'

/**
 * One page of the accounts that match, newest sign-up first unless `sort` says otherwise.
 *
 * @param now real time.
 */
export async function listUsers(
  em: EntityManager,
  asked: AskedUsers,
): Promise<{ users: AdminUserRow[]; isCut?: boolean } & Paging> {
  const { ids, totalCount, isCut } = await findUsers(em, asked)
  return {
    users: await readUsers(em, { ids, now: asked.now }),
    ...presentPaging({ totalCount, ...asked }),
    ...(isCut !== undefined && { isCut }),
  }
}

type AskedUsers = Page & UserMatch & { sort?: UserSort | undefined }

/** Reads what there is a fast way for in that way, and everything else from all matches. */
async function findUsers(em: EntityManager, asked: AskedUsers): Promise<PageIds & { isCut?: boolean }> {
  const { limit, offset, sort = 'newest', email, now, ...others } = asked
  if (isNarrowed(others)) return readMatches(em, asked)
  if (sort !== 'newest') return email ? readMatches(em, asked) : readSortedUsers(em, { sort, now, limit, offset })
  const page = { list: 'users', limit, offset } as const
  return email ? searchPage(em, { ...page, email }) : readPage(em, page)
}

async function readMatches(em: EntityManager, { limit, offset, sort, ...filter }: AskedUsers): Promise<PageIds> {
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
