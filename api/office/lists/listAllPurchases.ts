import type { EntityManager } from '@mikro-orm/postgresql'
import type { RowSort } from '#shared/contract/admin/filters.ts'
import type { Purchase } from '#shared/contract/purchases.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
// SQL as text: its columns and joins are those of `listPurchases`, which are text.
import { sql } from '#api/platform/db/sql.ts'
import { isNarrowed } from './isNarrowed.ts'
import { matchPurchases, type PurchaseMatch, rowOrders } from './matchRows.ts'
import { type Page, type PageIds, purchaseConditions } from './pagedLists.ts'
import { type Paging, presentPaging } from '#api/platform/http/presentPaging.ts'
import { readFilteredPage, readPage } from './readPage.ts'
import { type PurchaseSummary, searchPurchases } from './searchPage.ts'
import { presentPurchase, purchaseColumns, type PurchaseRow, withPurchaseFacts } from '#api/sale/purchases/listPurchases.ts'

export interface PurchasePage extends Paging {
  purchases: Purchase[]
  isCut?: boolean
  summary: PurchaseSummary | null
}

/** One page of the purchases that match, newest first unless `sort` says otherwise, and their sums if a search or filter selects them. */
export async function listAllPurchases(
  em: EntityManager,
  { confirmations, limit, offset, sort, ...filter }: Page & PurchaseMatch & { sort?: RowSort | undefined; confirmations: number },
): Promise<PurchasePage> {
  const { email, status, ...others } = filter
  const page = { list: 'purchases', limit, offset } as const
  const condition = status && purchaseConditions[status]
  const { ids, totalCount, summary, isCut } = isNarrowed({ ...others, sort })
    ? { ...(await readMatches(em, { limit, offset, sort, ...filter })), isCut: undefined }
    : email
      ? // Every match is read.
        { ...(await searchPurchases(em, { ...page, email, condition })), isCut: false }
      : condition
        ? { ...(await readFilteredPage(em, { ...page, condition })), summary: await summarize(em, filter) }
        : { ...(await readPage(em, page)), summary: null, isCut: undefined }
  return {
    purchases: await readAdminPurchases(em, { ids, confirmations }),
    ...presentPaging({ totalCount, limit, offset }),
    ...(isCut !== undefined && { isCut }),
    summary,
  }
}

async function readMatches(
  em: EntityManager,
  { limit, offset, sort = 'newest', ...filter }: Page & PurchaseMatch & { sort?: RowSort | undefined },
): Promise<PageIds & { summary: PurchaseSummary }> {
  const summary = await summarize(em, filter)
  const { by, direction } = rowOrders[sort]
  const rows = await matchPurchases(em, filter)
    .select('r.id')
    .orderBy(`r.${by}`, direction)
    .orderBy('r.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()
  return { ids: rows.map(({ id }) => id), totalCount: summary.purchaseCount, summary }
}

/** The sums of all purchases that match; nodes are the allocated ones. */
async function summarize(em: EntityManager, filter: PurchaseMatch): Promise<PurchaseSummary> {
  const { count, paid, bonus } = await matchPurchases(em, filter)
    .select(({ fn, lit }) => [
      fn.countAll<number>().as('count'),
      fn.coalesce(fn.sum<number>('r.finalQuantity').filterWhere('r.amount', '>', 0n), lit(0)).as('paid'),
      fn.coalesce(fn.sum<number>('r.finalQuantity').filterWhere('r.amount', '=', 0n), lit(0)).as('bonus'),
    ])
    .executeTakeFirstOrThrow()
  return { purchaseCount: count, paidNodes: paid, bonusNodes: bonus, totalNodes: paid + bonus }
}

/** These purchases as shown to administrators, in this order. */
export async function readAdminPurchases(
  em: EntityManager,
  { ids, confirmations }: { ids: readonly string[]; confirmations: number },
): Promise<Purchase[]> {
  if (ids.length === 0) return []
  const rows = await sql<PurchaseRow>(
    em,
    `select ${purchaseColumns} from unnest($1::uuid[]) with ordinality wanted (id, place)
     join purchases p on p.id = wanted.id ${withPurchaseFacts('$2')} order by wanted.place`,
    [ids, PAYMENT_CHAIN_ID],
  )
  return rows.map((row) => presentPurchase(row, confirmations))
}
