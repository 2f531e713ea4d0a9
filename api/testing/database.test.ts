import { expect, test } from 'vitest'
import { query } from '#api/entities/tables.ts'
import { sql } from '#api/platform/db/sql.ts'
import { copyDatabase, createDatabase } from './database.ts'
import { makeUser } from './factories.ts'
import { testConfig } from './testConfig.ts'

const nameOf = async ({ orm }: Awaited<ReturnType<typeof createDatabase>>): Promise<string> =>
  (await sql<{ name: string }>(orm.em.fork(), 'select current_database() as name'))[0]!.name

test('a released database serves again, with the rows of a new one', async () => {
  const first = await createDatabase()
  const name = await nameOf(first)
  const read = () =>
    sql(first.superuser.em.fork(), `select (select max(id) from mikro_orm_migrations) as last, * from supply, installation`)
  const before = await read()
  await makeUser(first.orm.em.fork())
  await sql(first.orm.em.fork(), 'update supply set total = 7')
  // The ledger's table of a month that has none yet.
  await sql(
    first.superuser.em.fork(),
    `create table ledger_entries_2090_01 partition of ledger_entries for values from ('2090-01-01') to ('2090-02-01')`,
  )
  await first.release()

  const second = await createDatabase()
  expect(await nameOf(second)).toBe(name)
  expect(await read()).toEqual(before)
  expect(await query(second.orm.em.fork()).selectFrom('users').select('id').execute()).toEqual([])
  await second.release()
})

test.each([
  ['whose tables a test changed', 'alter table supply add column more int'],
  ['whose triggers a test disabled', 'alter table ledger_entries disable trigger all'],
  ['whose rights a test changed', 'grant delete on ledger_entries to xcr'],
  ['in which a test wrote much', `insert into rate_limits select i::text, 1, 1 from generate_series(1, 30000) i`],
])('a database %s is not used again', async (_name, statement) => {
  const first = await createDatabase()
  const name = await nameOf(first)
  await sql(first.superuser.em.fork(), statement)
  await first.release()

  const second = await createDatabase()
  expect(await nameOf(second)).not.toBe(name)
  await second.release()
})

test('a database whose connections a test closed is not used again', async () => {
  const first = await createDatabase()
  const name = await nameOf(first)
  await first.orm.close(true)
  await first.release()

  const second = await createDatabase()
  expect(await nameOf(second)).not.toBe(name)
  await second.release()
})

test('a database is copied although it serves again and its connections were used', async () => {
  const used = await createDatabase()
  const name = await nameOf(used)
  await makeUser(used.orm.em.fork())
  await used.connections(testConfig({ DATABASE_URL: used.url })).limits!.count('reset_ip', '192.0.2.1')
  await used.release()

  const original = await createDatabase()
  expect(await nameOf(original)).toBe(name)
  const { user } = await makeUser(original.orm.em.fork())
  const copy = await copyDatabase(original)
  expect(await query(copy.orm.em.fork()).selectFrom('users').select('id').execute()).toEqual([{ id: user.id }])
  await copy.release()
  await original.release()
})
