import { type EntityManager, IsolationLevel } from '@mikro-orm/postgresql'
// SQL as text: a cursor, over the searches of `matchAccounts`.
import { sql } from '#api/platform/db/sql.ts'
import { type AccountMatch, matchAccounts } from '../lists/matchAccounts.ts'
import { type PagedList, pagedLists } from '../lists/pagedLists.ts'

/** Rows per fetch. */
const BATCH = 250

export interface RowsWanted {
  list: PagedList
  /** Selects the accounts whose email address contains it; all accounts if it is empty. */
  email?: string | undefined
  /** The selected columns as SQL over `r`, a row of the list, and `users`, its account. */
  columns: string
}

/**
 * Streams every row of a list from one snapshot, newest first. It holds a connection until it has been read to its end or is
 * closed, and only a few hundred rows in memory.
 */
export async function* readAllRows<Row>(em: EntityManager, { list, email, columns }: RowsWanted): AsyncGenerator<Row> {
  const reader = em.fork()
  await reader.begin({ isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true })
  try {
    // Makes the planner optimize for the first rows instead of all of them.
    await sql(reader, 'set local cursor_tuple_fraction = 0.0001')
    await sql(reader, 'set local enable_hashjoin = off')
    const match = email ? await matchAccounts(reader, email) : undefined
    await sql(reader, `declare rows no scroll cursor for ${query({ list, columns, match })}`, match?.parameters)
    for (;;) {
      const rows = await sql<Row>(reader, `fetch ${BATCH} from rows`)
      yield* rows
      if (rows.length < BATCH) return
    }
  } finally {
    await reader.rollback()
  }
}

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
