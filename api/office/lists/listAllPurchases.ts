import type { EntityManager } from '@mikro-orm/postgresql'
import type { PurchaseFilter } from '#shared/contract/admin/purchases.ts'
import type { Purchase } from '#shared/contract/purchases.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
// SQL as text: its columns and joins are those of `listPurchases`, which are text.
import { sql } from '#api/platform/db/sql.ts'
import { type Page, purchaseConditions } from './pagedLists.ts'
import { type Paging, presentPaging } from '#api/platform/http/presentPaging.ts'
import { readFilteredPage, readPage } from './readPage.ts'
import { type PurchaseSummary, searchPurchases } from './searchPage.ts'
import { presentPurchase, purchaseColumns, type PurchaseRow, withPurchaseFacts } from '#api/sale/purchases/listPurchases.ts'

export interface PurchasePage extends Paging {
  purchases: Purchase[]
  isCut?: boolean
  summary: PurchaseSummary | null
}

/** One page of all purchases, newest first, or of those with a status; with a search text only those of matching buyers, and their sums. */
export async function listAllPurchases(
  em: EntityManager,
  {
    email,
    status,
    confirmations,
    limit,
    offset,
  }: Page & { email?: string | undefined; status?: PurchaseFilter | undefined; confirmations: number },
): Promise<PurchasePage> {
  const page = { list: 'purchases', limit, offset } as const
  const condition = status && purchaseConditions[status]
  const { ids, totalCount, summary, isCut } = email
    ? // Every match is read.
      { ...(await searchPurchases(em, { ...page, email, condition })), isCut: false }
    : condition
      ? { ...(await readFilteredPage(em, { ...page, condition })), summary: null }
      : { ...(await readPage(em, page)), summary: null, isCut: undefined }
  return {
    purchases: await readAdminPurchases(em, { ids, confirmations }),
    ...presentPaging({ totalCount, limit, offset }),
    ...(isCut !== undefined && { isCut }),
    summary,
  }
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
