import type { EntityManager } from '@mikro-orm/postgresql'
// SQL as text: steers the planner with `offset 0` and materialized CTEs; searches over 1,000,000 rows are measured.
import { sql } from '#api/platform/db/sql.ts'
import { ACCOUNTS_SEARCHED, matchAccounts } from './matchAccounts.ts'
import { type FoundPage, type Page, type PagedList, type PageIds, pagedLists } from './pagedLists.ts'

/**
 * Like `readPage`, for the accounts whose email address contains a text. It covers the newest accounts that match (decision 13).
 *
 * @param condition of `pagedLists.ts`; by default every row of the accounts.
 *
 * `offset 0` keeps the planner from plans for other selectivities: scanning all accounts for a few matches, or reading all rows for those of
 * some accounts.
 */
export async function searchPage(
  em: EntityManager,
  {
    list,
    email,
    condition = 'true',
    limit,
    offset,
  }: Page & { list: Exclude<PagedList, 'purchases'>; email: string; condition?: string | undefined },
): Promise<FoundPage> {
  const { table, listed, account } = pagedLists[list]
  const { areMany, indexed, looked, parameters } = await matchAccounts(em, email)
  const matching = areMany
    ? `select id, created_at from users where ${looked}`
    : `select * from (select id, created_at from users where ${indexed} offset 0) few`
  const rows =
    list === 'users'
      ? 'select id, created_at from covered'
      : `select row.id, row.created_at from covered cross join lateral (
           select id, created_at from ${table} where ${account} = covered.id and ${listed} and ${condition} offset 0
         ) row`
  const next = parameters.length + 1
  const [page] = await sql<{ total: string; ids: string[]; is_cut: boolean }>(
    em,
    `with matched as materialized (${matching} order by created_at desc, id desc limit ${ACCOUNTS_SEARCHED + 1}),
       covered as (select id, created_at from matched order by created_at desc, id desc limit ${ACCOUNTS_SEARCHED}),
       found as materialized (${rows})
     select (select count(*) from found) as total,
       array(select id from found order by created_at desc, id desc offset $${next} limit $${next + 1}) as ids,
       (select count(*) from matched) > ${ACCOUNTS_SEARCHED} as is_cut`,
    [...parameters, offset, limit],
  )
  return { ids: page!.ids, totalCount: Number(page!.total), isCut: page!.is_cut }
}

export interface PurchaseSummary {
  purchaseCount: number
  paidNodes: number
  bonusNodes: number
  totalNodes: number
}

/**
 * A page of the purchases whose buyers match, and the sums of all of them, which are used as totals. Undefined if so many accounts match that
 * reading all purchases is cheaper.
 */
export async function searchPurchases(
  em: EntityManager,
  { email, condition = 'true', limit, offset }: Page & { email: string; condition?: string | undefined },
): Promise<(PageIds & { summary: PurchaseSummary }) | undefined> {
  const { listed, account } = pagedLists.purchases
  const { areMany, indexed, parameters } = await matchAccounts(em, email)
  if (areMany) return undefined
  const next = parameters.length + 1
  const [page] = await sql<{ count: number; paid: number; bonus: number; ids: string[] }>(
    em,
    `with found as materialized (
       select row.* from (select id from users where ${indexed} offset 0) buyers cross join lateral (
         select id, created_at, final_quantity, amount from purchases where ${account} = buyers.id and ${listed} and ${condition} offset 0
       ) row
     )
     select count(*)::int as count, coalesce(sum(final_quantity) filter (where amount > 0), 0)::int as paid,
       coalesce(sum(final_quantity) filter (where amount = 0), 0)::int as bonus,
       array(select id from found order by created_at desc, id desc offset $${next} limit $${next + 1}) as ids
     from found`,
    [...parameters, offset, limit],
  )
  const { count, paid, bonus, ids } = page!
  const summary = { purchaseCount: count, paidNodes: paid, bonusNodes: bonus, totalNodes: paid + bonus }
  return { ids, totalCount: count, summary }
}
