import type { EntityManager } from '@mikro-orm/postgresql'
import type { AdminUserRow } from '#shared/contract/admin/users.ts'
import { inOrder } from './inOrder.ts'
import { isFrozen } from '#api/accounts/users/frozen.ts'
import { query } from '#api/entities/tables.ts'
import type { FoundPage, Page } from './pagedLists.ts'
import { type Paging, presentPaging } from '#api/platform/http/presentPaging.ts'
import { readPage } from './readPage.ts'
import { searchPage } from './searchPage.ts'

/**
 * One page of all accounts, or of those whose email address contains a text; newest sign-up first.
 *
 * @param now real time.
 */
export async function listUsers(
  em: EntityManager,
  { email, limit, offset, now }: Page & { email?: string; now: Date },
): Promise<{ users: AdminUserRow[]; isCut?: boolean } & Paging> {
  const page: Omit<FoundPage, 'isCut'> & { isCut?: boolean } = email
    ? await searchPage(em, { list: 'users', email, limit, offset })
    : await readPage(em, { list: 'users', limit, offset })
  const { ids, totalCount, isCut } = page
  return {
    users: await readUsers(em, { ids, now }),
    ...presentPaging({ totalCount, limit, offset }),
    ...(isCut !== undefined && { isCut }),
  }
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
