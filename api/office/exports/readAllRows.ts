import type { EntityManager } from '@mikro-orm/postgresql'
import type { CompiledQuery } from 'kysely'
import type { RowSort } from '#shared/contract/admin/filters.ts'
// SQL as text: a cursor, over the searches of `matchAccounts`.
import { planForFirstRows, sql, streamRows } from '#api/platform/db/sql.ts'
import { type AccountMatch, matchAccounts } from '../lists/matchAccounts.ts'
import { type PagedList, pagedLists } from '../lists/pagedLists.ts'

export interface RowsWanted {
  list: PagedList
  /** Selects the accounts whose email address contains it; all accounts if it is empty. */
  email?: string | undefined
  /** Selects the ids of the rows to read, in place of `email`. */
  matching?: ((reader: EntityManager) => { compile(): CompiledQuery }) | undefined
  sort?: RowSort | undefined
  /** The selected columns as SQL over `r`, a row of the list, and `users`, its account. */
  columns: string
}

const orders: Record<RowSort, string> = {
  newest: 'r.created_at desc, r.id desc',
  oldest: 'r.created_at, r.id',
  largest: 'r.amount desc, r.id desc',
  smallest: 'r.amount, r.id',
}

/** Streams every row of a list from one snapshot, newest first unless `sort` says otherwise. */
export const readAllRows = <Row>(
  em: EntityManager,
  { list, email, matching, sort = 'newest', columns }: RowsWanted,
): AsyncGenerator<Row> =>
  streamRows<Row>(em, async (reader) => {
    if (matching) {
      const { table, account } = pagedLists[list]
      const { sql: ids, parameters } = matching(reader).compile()
      const text = `select ${columns} from ${table} r join users on users.id = r.${account} where r.id in (${ids}) order by ${orders[sort]}`
      return { text, parameters }
    }
    await planForFirstRows(reader)
    await sql(reader, 'set local enable_hashjoin = off')
    const match = email ? await matchAccounts(reader, email) : undefined
    return { text: query({ list, columns, match }), parameters: match?.parameters }
  })

/** For few accounts, reads each account's rows and sorts them; otherwise scans all rows in order and filters. */
function query({ list, columns, match }: Pick<RowsWanted, 'list' | 'columns'> & { match: AccountMatch | undefined }): string {
  const { table, listed, account } = pagedLists[list]
  return match && !match.areMany
    ? `with matched as materialized (select * from users where ${match.indexed})
       select ${columns} from matched users
       cross join lateral (select * from ${table} l where l.${account} = users.id and ${listed} offset 0) r
       order by r.created_at desc, r.id desc`
    : `select ${columns} from ${table} r join users on users.id = r.${account}
       where ${listed} and ${match?.looked ?? 'true'} order by r.created_at desc, r.id desc`
}
