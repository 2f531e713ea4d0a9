import { type EntityManager, IsolationLevel } from '@mikro-orm/postgresql'
import { sql } from '../db/sql.ts'
import { ACCOUNTS_SEARCHED, matchAccounts } from './matchAccounts.ts'
import { type PagedList, pagedLists } from './pagedLists.ts'

/** Rows read at a time. */
const BATCH = 500

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
    const match = email ? matchAccounts(email, 1) : { condition: 'true', parameters: [] }
    await sql(
      reader,
      `declare rows no scroll cursor for ${email && (await areFew(reader, email)) ? byAccount() : inOrder()}`,
      match.parameters,
    )
    for (;;) {
      const rows = await sql<Row>(reader, `fetch ${BATCH} from rows`)
      yield* rows
      if (rows.length < BATCH) return
    }

    /** One after the other, passing by those of others. */
    function inOrder(): string {
      const { table, listed, account } = pagedLists[list]
      return `select ${columns} from ${table} r join users on users.id = r.${account}
        where ${listed} and ${match.condition} order by r.created_at desc, r.id desc`
    }

    /** Account by account, then sorted. */
    function byAccount(): string {
      const { table, listed, account } = pagedLists[list]
      return `with matched as materialized (select * from users where ${match.condition})
        select ${columns} from matched users
        cross join lateral (select * from ${table} where ${account} = users.id and ${listed} offset 0) r
        order by r.created_at desc, r.id desc`
    }
  } finally {
    await reader.rollback()
  }
}

async function areFew(em: EntityManager, email: string): Promise<boolean> {
  const { condition, parameters } = matchAccounts(email, 1)
  const [row] = await sql<{ few: boolean }>(
    em,
    `select count(*) <= ${ACCOUNTS_SEARCHED} as few from (select from users where ${condition} limit ${ACCOUNTS_SEARCHED + 1}) matched`,
    parameters,
  )
  return row!.few
}
