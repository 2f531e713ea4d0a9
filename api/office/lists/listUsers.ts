import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import type { AdminUserRow } from '#shared/contract/admin/users.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Page } from './pagedLists.ts'
import { type Paging, presentPaging } from './presentPaging.ts'
import { readPage } from './readPage.ts'
import { type FoundPage, searchPage } from './searchPage.ts'

interface UserRow {
  id: string
  email: string
  wallet_address: Address | null
  total_nodes: number
  balance: string | null
  total_earned: string | null
  is_admin: boolean
  created_at: string
}

/** One page of all accounts, or of those whose e-mail address contains a text; latest sign-up first. */
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

/** These accounts as administrators see them, in this order. */
export async function readUsers(em: EntityManager, ids: readonly string[]): Promise<AdminUserRow[]> {
  if (ids.length === 0) return []
  const rows = await sql<UserRow>(
    em,
    `select u.id, u.email, u.wallet_address, u.is_admin, u.created_at, a.balance, a.total_earned,
       (select count(*) from nodes where nodes.user_id = u.id)::int as total_nodes
     from unnest($1::uuid[]) with ordinality wanted (id, place) join users u on u.id = wanted.id
     left join accounts a on a.id = u.id order by wanted.place`,
    [ids],
  )
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    walletAddress: row.wallet_address,
    totalNodes: row.total_nodes,
    availableXcr: BigInt(row.balance ?? 0),
    totalEarnedXcr: BigInt(row.total_earned ?? 0),
    isAdmin: row.is_admin,
    createdAt: new Date(row.created_at),
  }))
}
