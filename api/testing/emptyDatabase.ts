import pg from 'pg'

const { escapeLiteral } = pg

/** What an empty database of this release contains. */
export interface Initial {
  /** The object identifiers of its tables. */
  tables: readonly number[]
  /** Rows by table, as JSON: those of the migrations, the queue and the installation. */
  rows: [table: string, rows: string][]
  /** Statements that set the sequences. */
  sequences: string[]
  /** Changes whenever the tables themselves are changed, or who may use them. */
  schema: string
}

/** The name of the connections of tests that stay open between two of them. */
export const POOL_NAME = 'test pool'

const OURS = `(select oid from pg_namespace where nspname not like 'pg\\_%' and nspname <> 'information_schema')`
const OUR_TABLES = `(select oid from pg_class where relnamespace in ${OURS})`
/** Each change of a table, right, trigger or function writes a row into one of these. */
const CATALOGS = [
  `pg_class where relnamespace in ${OURS}`,
  `pg_attribute where attrelid in ${OUR_TABLES}`,
  `pg_index where indrelid in ${OUR_TABLES}`,
  `pg_trigger where tgrelid in ${OUR_TABLES}`,
  `pg_constraint where connamespace in ${OURS}`,
  `pg_proc where pronamespace in ${OURS}`,
  `pg_type where typnamespace in ${OURS}`,
  `pg_db_role_setting where setdatabase = (select oid from pg_database where datname = current_database())`,
]
const SCHEMA = `select concat_ws(' ', ${CATALOGS.map((rows) => `(select concat(count(*), ':', max(xmin::text::bigint)) from ${rows})`).join()}) as schema`

/** Reads what a new database contains. */
export async function readInitial(superuser: pg.Pool): Promise<Initial> {
  const tables = await readTables(superuser)
  const rows: Initial['rows'] = []
  for (const { name, size } of tables) {
    if (size === 0) continue
    const { rows: found } = await superuser.query<{ rows: string | null }>(`select jsonb_agg(t)::text as rows from ${name} t`)
    if (found[0]!.rows !== null) rows.push([name, found[0]!.rows])
  }
  const { rows: sequences } = await superuser.query<{ statement: string }>(
    `select format('select setval(%L, %s, %L)', format('%I.%I', schemaname, sequencename), coalesce(last_value, start_value), last_value is not null) as statement
     from pg_sequences`,
  )
  return {
    tables: tables.map(({ oid }) => oid),
    rows,
    sequences: sequences.map(({ statement }) => statement),
    schema: await readSchema(superuser),
  }
}

interface Table {
  oid: number
  name: string
  /** In bytes. */
  size: number
}

const readTables = async (superuser: pg.Pool): Promise<Table[]> =>
  (
    await superuser.query<Table>(
      `select oid::int, oid::regclass::text as name, pg_relation_size(oid)::int as size from pg_class where relkind = 'r' and relnamespace in ${OURS}`,
    )
  ).rows

const readSchema = async (superuser: pg.Pool): Promise<string> =>
  (await superuser.query<{ schema: string }>(SCHEMA)).rows[0]!.schema

/** The largest table that is emptied row by row, in bytes: the space of deleted rows stays. */
const MOST_BYTES = 2 ** 20

/**
 * Brings a database back to its initial rows and ends the connections that a test left.
 *
 * @returns whether it is as if it were new. It is not if a statement is still running, if the test changed the tables themselves, or if it
 * wrote much.
 */
export async function emptyDatabase(superuser: pg.Pool, initial: Initial): Promise<boolean> {
  const { rows: others } = await superuser.query<{ isOurs: boolean; state: string }>(
    `select application_name = $1 as "isOurs", state, application_name <> $1 and pg_terminate_backend(pid, 1000)
     from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    [POOL_NAME],
  )
  if (others.some(({ isOurs, state }) => isOurs && state !== 'idle')) return false
  const tables = await readTables(superuser)
  if (tables.some(({ size }) => size > MOST_BYTES)) return false
  const statements = [
    'begin',
    `set local lock_timeout = '1s'`,
    // Without foreign keys and triggers, of which some forbid to delete.
    'set local session_replication_role = replica',
    ...tables.map(({ oid, name, size }) => {
      // The product has added a partition for a month.
      if (!initial.tables.includes(oid)) return `drop table ${name}`
      return size > 0 ? `delete from ${name}` : ''
    }),
    ...initial.rows.map(
      ([name, rows]) =>
        `insert into ${name} overriding system value select * from jsonb_populate_recordset(null::${name}, ${escapeLiteral(rows)})`,
    ),
    ...initial.sequences,
    'commit',
  ]
  // Tables of another release may depend on each other.
  const isEmpty = await superuser.query(statements.join(';\n')).then(
    () => true,
    () => false,
  )
  if (!isEmpty) return false
  return (await readSchema(superuser)) === initial.schema
}
