import type { EntityManager } from '@mikro-orm/postgresql'
// SQL as text: steers the planner with `offset 0` and materialized CTEs; searches over 1,000,000 rows are measured.
import { sql } from '#api/platform/db/sql.ts'
import { ACCOUNTS_SEARCHED, matchAccounts } from './matchAccounts.ts'
import { type Page, type PagedList, type PageIds, pagedLists } from './pagedLists.ts'

export interface FoundPage extends PageIds {
  /** Whether more accounts match than the search covers. */
  isCut: boolean
}

export interface FoundRows {
  /**
   * Contents of a `with` clause: `matched`, the accounts (all, or one more than the search covers), and `found(id, created_at)`,
   * their rows.
   */
  with: string
  /** The values of `$1` and following. */
  parameters: unknown[]
}

/** The rows of the accounts whose email address contains a text, as SQL. */
export async function foundRows(em: EntityManager, list: PagedList, email: string): Promise<FoundRows> {
  const { table, listed, account, searchesAll } = pagedLists[list]
  const { areMany, indexed, looked, parameters } = await matchAccounts(em, email)
  // `offset 0` keeps the planner from plans for other selectivities: scanning all accounts for a few matches, or, below, reading
  // all rows for those of some accounts.
  const matching = areMany
    ? `select id, created_at from users where ${looked}`
    : `select * from (select id, created_at from users where ${indexed} offset 0) few`
  const rows =
    list === 'users'
      ? 'select id, created_at from looked_at'
      : `select row.id, row.created_at from looked_at cross join lateral (
           select id, created_at from ${table} where ${account} = looked_at.id and ${listed} offset 0
         ) row`
  if (searchesAll) {
    const all = areMany
      ? `select row.id, row.created_at from ${table} row join users on users.id = row.${account} where ${looked} and ${listed}`
      : rows
    return {
      with: `matched as materialized (${matching}), looked_at as (select * from matched), found as materialized (${all})`,
      parameters,
    }
  }
  return {
    with: `matched as materialized (${matching} order by created_at desc, id desc limit ${ACCOUNTS_SEARCHED + 1}),
      looked_at as (select id, created_at from matched order by created_at desc, id desc limit ${ACCOUNTS_SEARCHED}),
      found as materialized (${rows})`,
    parameters,
  }
}

/** Like `readPage`, for the accounts whose email address contains a text. */
export async function searchPage(
  em: EntityManager,
  { list, email, limit, offset }: Page & { list: PagedList; email: string },
): Promise<FoundPage> {
  const found = await foundRows(em, list, email)
  const next = found.parameters.length + 1
  const [page] = await sql<{ total: string; ids: string[]; is_cut: boolean }>(
    em,
    `with ${found.with}
     select (select count(*) from found) as total,
       array(select id from found order by created_at desc, id desc offset $${next} limit $${next + 1}) as ids,
       ${pagedLists[list].searchesAll ? 'false' : `(select count(*) from matched) > ${ACCOUNTS_SEARCHED}`} as is_cut`,
    [...found.parameters, offset, limit],
  )
  return { ids: page!.ids, totalCount: Number(page!.total), isCut: page!.is_cut }
}

export interface PurchaseSummary {
  purchaseCount: number
  paidNodes: number
  bonusNodes: number
  totalNodes: number
}

/** The sums of all purchases of these accounts. */
export async function sumPurchases(em: EntityManager, email: string): Promise<PurchaseSummary> {
  const found = await foundRows(em, 'purchases', email)
  const [sum] = await sql<{ count: number; paid: number; bonus: number }>(
    em,
    `with ${found.with}
     select count(*)::int as count, coalesce(sum(final_quantity) filter (where amount > 0), 0)::int as paid,
       coalesce(sum(final_quantity) filter (where amount = 0), 0)::int as bonus
     from purchases p where id in (select id from found)`,
    found.parameters,
  )
  const { count, paid, bonus } = sum!
  return { purchaseCount: count, paidNodes: paid, bonusNodes: bonus, totalNodes: paid + bonus }
}
