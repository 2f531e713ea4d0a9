import { type EntityManager, IsolationLevel } from '@mikro-orm/postgresql'
// SQL as text: a cursor, over the searches of `matchAccounts`.
import { sql } from '#api/platform/db/sql.ts'
import { type AccountMatch, matchAccounts } from '../lists/matchAccounts.ts'
import { type PagedList, pagedLists } from '../lists/pagedLists.ts'

/** Rows read at a time. */
const BATCH = 250

export interface RowsWanted {
  list: PagedList
  /** Of the accounts whose e-mail address contains it; of all, if it is empty. */
  email?: string | undefined
  /** What is read of each row, as SQL over `r`, a row of the list, and `users`, its account. */
  columns: string
}

/**
 * Every row of a list, latest first, all of it as it was at one moment. Holds a connection until it has been read to its end or is closed,
 * and never more than some hundred rows.
 */
export async function* readAllRows<Row>(em: EntityManager, { list, email, columns }: RowsWanted): AsyncGenerator<Row> {
  const reader = em.fork()
  await reader.begin({ isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true })
  try {
    // The first rows are wanted at once, not all of them soonest.
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

/** Few accounts: one after the other, then sorted. Otherwise all rows in their order, passing by those of others. */
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
