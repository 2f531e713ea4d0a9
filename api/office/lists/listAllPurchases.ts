import type { EntityManager } from '@mikro-orm/postgresql'
import type { Purchase } from '#shared/contract/purchases.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
// SQL as text: its columns and joins are those of `listPurchases`, which are text.
import { sql } from '#api/platform/db/sql.ts'
import type { Page } from './pagedLists.ts'
import { type Paging, presentPaging } from './presentPaging.ts'
import { readPage } from './readPage.ts'
import { type PurchaseSummary, searchPurchases } from './searchPage.ts'
import { presentPurchase, purchaseColumns, type PurchaseRow, withPurchaseFacts } from '#api/sale/purchases/listPurchases.ts'

export interface PurchasePage extends Paging {
  purchases: Purchase[]
  isCut?: boolean
  summary: PurchaseSummary | null
}

/** One page of all purchases, newest first; with a search text only those of matching buyers, and their sums. */
export async function listAllPurchases(
  em: EntityManager,
  { email, confirmations, limit, offset }: Page & { email?: string | undefined; confirmations: number },
): Promise<PurchasePage> {
  const page = { limit, offset }
  const { ids, totalCount, summary } = email
    ? await searchPurchases(em, { ...page, email })
    : { ...(await readPage(em, { ...page, list: 'purchases' })), summary: null }
  return {
    purchases: await readAdminPurchases(em, { ids, confirmations }),
    ...presentPaging({ totalCount, limit, offset }),
    // Every match is read.
    ...(email && { isCut: false }),
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
