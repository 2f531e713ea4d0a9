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
import { readFilteredPage, readPage, readSortedPage } from './readPage.ts'
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
  { confirmations, ...asked }: AskedPurchases & { confirmations: number },
): Promise<PurchasePage> {
  const { ids, totalCount, summary, isCut } = await findPurchases(em, asked)
  return {
    purchases: await readAdminPurchases(em, { ids, confirmations }),
    ...presentPaging({ totalCount, ...asked }),
    ...(isCut !== undefined && { isCut }),
    summary,
  }
}

type AskedPurchases = Page & PurchaseMatch & { sort?: RowSort | undefined }

/** Reads what there is a fast way for in that way, and everything else from all matches. */
async function findPurchases(
  em: EntityManager,
  asked: AskedPurchases,
): Promise<PageIds & { isCut?: boolean; summary: PurchaseSummary | null }> {
  const { limit, offset, sort = 'newest', ...filter } = asked
  const { email, status, ...others } = filter
  if (isNarrowed(others)) return readMatches(em, asked)
  const page = { list: 'purchases', limit, offset } as const
  if (sort !== 'newest')
    return email || status
      ? readMatches(em, asked)
      : { ...(await readSortedPage(em, { ...page, ...rowOrders[sort] })), summary: null }
  const condition = status && purchaseConditions[status]
  // Every match is read.
  if (email)
    return { ...((await searchPurchases(em, { ...page, email, condition })) ?? (await readMatches(em, asked))), isCut: false }
  if (condition) return { ...(await readFilteredPage(em, { ...page, condition })), summary: await summarize(em, filter) }
  return { ...(await readPage(em, page)), summary: null }
}

async function readMatches(
  em: EntityManager,
  { limit, offset, sort = 'newest', ...filter }: AskedPurchases,
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
