import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../db/sql.ts'
import { ACCOUNTS_SEARCHED, matchAccounts } from './matchAccounts.ts'
import { type Page, type PagedList, type PageIds, pagedLists } from './pagedLists.ts'

export interface FoundPage extends PageIds {
  /** More accounts match than are looked at. */
  isCut: boolean
}

/** The rows of the accounts that match, as SQL: `matched(id)`, and `found(id, created_at)` of the list. */
export function foundRows(list: PagedList, email: string): { with: string; parameters: unknown[] } {
  const { table, listed, account } = pagedLists[list]
  const { condition, parameters } = matchAccounts(email, 1)
  return {
    // From account to account: `offset 0` keeps the planner from reading everybody's.
    with: `matched as materialized (
        select id, created_at from users where ${condition} order by created_at desc, id desc limit ${ACCOUNTS_SEARCHED + 1}
      ), looked_at as (
        select id, created_at from matched order by created_at desc, id desc limit ${ACCOUNTS_SEARCHED}
      ), found as materialized (${
        list === 'users'
          ? 'select id, created_at from looked_at'
          : `select row.id, row.created_at from looked_at cross join lateral (
               select id, created_at from ${table} where ${account} = looked_at.id and ${listed} offset 0
             ) row`
      })`,
    parameters,
  }
}

/** As `readPage`, of the accounts whose e-mail address contains a text. */
export async function searchPage(
  em: EntityManager,
  { list, email, limit, offset }: Page & { list: PagedList; email: string },
): Promise<FoundPage> {
  const found = foundRows(list, email)
  const next = found.parameters.length + 1
  const [page] = await sql<{ total: string; ids: string[]; is_cut: boolean }>(
    em,
    `with ${found.with}
     select (select count(*) from found) as total,
       array(select id from found order by created_at desc, id desc offset $${next} limit $${next + 1}) as ids,
       (select count(*) from matched) > ${ACCOUNTS_SEARCHED} as is_cut`,
    [...found.parameters, offset, limit],
  )
  return { ids: page!.ids, totalCount: Number(page!.total), isCut: page!.is_cut }
}
