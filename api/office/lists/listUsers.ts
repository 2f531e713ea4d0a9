import type { EntityManager } from '@mikro-orm/postgresql'
import type { AdminUserRow } from '#shared/contract/admin/users.ts'
import { inOrder } from './inOrder.ts'
import { query } from '#api/entities/tables.ts'
import type { Page } from './pagedLists.ts'
import { type Paging, presentPaging } from './presentPaging.ts'
import { readPage } from './readPage.ts'
import { type FoundPage, searchPage } from './searchPage.ts'

/** One page of all accounts, or of those whose email address contains a text; newest sign-up first. */
export async function listUsers(
  em: EntityManager,
  { email, limit, offset }: Page & { email?: string },
): Promise<{ users: AdminUserRow[]; isCut?: boolean } & Paging> {
  const page: Omit<FoundPage, 'isCut'> & { isCut?: boolean } = email
    ? await searchPage(em, { list: 'users', email, limit, offset })
    : await readPage(em, { list: 'users', limit, offset })
  const { ids, totalCount, isCut } = page
  return {
    users: await readUsers(em, ids),
    ...presentPaging({ totalCount, limit, offset }),
    ...(isCut !== undefined && { isCut }),
  }
}

/** These accounts as shown to administrators, in this order. */
export async function readUsers(em: EntityManager, ids: readonly string[]): Promise<AdminUserRow[]> {
  if (ids.length === 0) return []
  const users = await query(em)
    .selectFrom('users as u')
    .leftJoin('accounts as a', 'a.id', 'u.id')
    .select(['u.id', 'u.email', 'u.walletAddress', 'u.isAdmin', 'u.createdAt', 'a.balance', 'a.totalEarned'])
    .select((eb) =>
      eb.selectFrom('nodes as n').select(eb.fn.countAll<number>().as('count')).whereRef('n.user', '=', 'u.id').as('totalNodes'),
    )
    .where('u.id', 'in', ids)
    .execute()
  return inOrder(users, ids).map(({ balance, totalEarned, totalNodes, ...user }) => ({
    ...user,
    totalNodes: totalNodes ?? 0,
    availableXcr: balance ?? 0n,
    totalEarnedXcr: totalEarned ?? 0n,
  }))
}
