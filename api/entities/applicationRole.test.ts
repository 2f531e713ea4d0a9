import { expect, test } from 'vitest'
import { useDatabase } from '#api/testing/database.ts'
import { makeUser } from '#api/testing/factories.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { makeLedgerMonths } from '#api/rewards/ledger/prepareLedgerMonths.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { sql } from '#api/platform/db/sql.ts'
import { appendOnlyTables } from './tableRights.ts'

const database = useDatabase()
const em = () => database.orm.em.fork()
const refused = /permission denied|must be (owner|superuser)|must have|is append-only|never deleted/

/** Returns the error's message and rolls back all effects. */
async function tryOut(...statements: string[]): Promise<string> {
  const fork = em()
  await fork.begin()
  try {
    for (const statement of statements) await sql(fork, statement)
    return 'it was done'
  } catch (error) {
    return (error as Error).message
  } finally {
    await fork.rollback()
  }
}

const tables = () =>
  sql<{ name: string }>(
    em(),
    `select format('%I.%I', nspname, relname) as name from pg_class c join pg_namespace n on n.oid = relnamespace
     where nspname in ('public', 'pgboss') and relkind in ('r', 'p') order by 1`,
  ).then((rows) => rows.map(({ name }) => name))

test('the application cannot alter, drop or truncate a table, nor create or disable its triggers', async () => {
  const all = await tables()
  expect(all.length).toBeGreaterThan(50)
  for (const table of all)
    for (const statement of [
      `alter table ${table} add column past text`,
      `alter table ${table} disable trigger all`,
      `drop table ${table} cascade`,
      `truncate ${table} cascade`,
      `create trigger past before insert on ${table} for each row execute function suppress_redundant_updates_trigger()`,
      `create rule past as on insert to ${table} do instead nothing`,
    ])
      expect(await tryOut(statement), statement).toMatch(refused)
})

test('the application cannot change or delete rows of append-only tables and their partitions, nor delete accounts', async () => {
  const { user } = await makeUser(em())
  await giveXcr(database.orm, user.id, '10')
  await makeLedgerMonths({ orm: database.orm }, { from: '2033-01-01', months: 1 })
  await em().transactional(async (fork) => recordAudit(fork, { actor: 'test', action: 'test' } as never))
  const partitions = await sql<{ name: string }>(
    em(),
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = any($1::regclass[])`,
    [appendOnlyTables],
  )
  expect(partitions.length).toBeGreaterThanOrEqual(4)
  for (const table of [...appendOnlyTables, ...partitions.map(({ name }) => name)]) {
    const [column] = await sql<{ name: string }>(
      em(),
      'select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 limit 1',
      [table],
    )
    const { name } = column!
    for (const statement of [`update ${table} set ${name} = ${name}`, `delete from ${table}`, `select from ${table} for update`])
      expect(await tryOut(statement), statement).toMatch(/permission denied/)
  }
  expect(await tryOut('delete from accounts')).toMatch(/permission denied/)
  expect(await tryOut('update mikro_orm_migrations set name = name')).toMatch(/permission denied/)
})

test('the application cannot replace trigger functions, become the owner, or create objects in the schema', async () => {
  for (const statements of [
    [`set local session_replication_role = 'replica'`],
    ['set local role xcr_owner'],
    [`create or replace function refuse_change() returns trigger language plpgsql as $$ begin return new; end $$`],
    ['drop function refuse_change() cascade'],
    ['alter function make_reward_months(date, int) reset all'],
    ['create table public.past (id int)'],
    [`create function public.past() returns int language sql as 'select 1'`],
    ['create schema past'],
    ['drop schema pgboss cascade'],
    ['drop schema public cascade'],
    ['drop extension pg_trgm cascade'],
    [`do $$ begin execute format('alter database %I set session_replication_role = replica', current_database()); end $$`],
    [`copy ledger_entries to program 'true'`],
  ])
    expect(await tryOut(...statements), statements.join()).toMatch(refused)
  // A role cannot grant a right that it does not hold.
  expect(await tryOut('grant update on ledger_entries to public', 'update ledger_entries set amount = amount')).toMatch(refused)
})

test("partitions are created only for valid dates and counts, and in the ledger's schema regardless of the search path", async () => {
  const make = (first: string, months: string) => tryOut(`select make_reward_months(${first}, ${months})`)
  for (const [first, months] of [
    [`date '2033-01-01'`, '1000'],
    [`date '2033-01-01'`, '0'],
    [`date '2033-01-01'`, 'null'],
    [`null`, '1'],
    [`date '9999-01-01'`, '1'],
    [`date 'infinity'`, '1'],
  ])
    expect(await make(first!, months!), `${first}, ${months}`).toMatch('make_reward_months')

  const fork = em()
  await fork.begin()
  await sql(fork, 'create temporary table ledger_entries (date date) on commit drop')
  await sql(fork, 'create temporary table distributions_2034_05 (day date) on commit drop')
  await sql(fork, 'set local search_path = pg_temp, public')
  await sql(fork, `select public.make_reward_months('2034-05-01', 1)`)
  await fork.commit()
  const made = `select from pg_inherits where inhrelid in ('public.ledger_entries_2034_05'::regclass, 'public.distributions_2034_05'::regclass)`
  expect(await sql(em(), made)).toHaveLength(2)
})
