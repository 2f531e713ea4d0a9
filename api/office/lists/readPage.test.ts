import { expect, test } from 'vitest'
import { DAY, HOUR, utcDay } from '#shared/dates.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { User } from '#api/entities/User.ts'
import { useDatabase } from '#api/testing/database.ts'
import { compactTotals } from '../figures/compactTotals.ts'
import { readDailyTotals, readTotal } from '../figures/readTotals.ts'
import { presentPaging } from '#api/platform/http/presentPaging.ts'
import { listAllPurchases } from './listAllPurchases.ts'
import { readAllRows } from '../exports/readAllRows.ts'
import { readPage } from './readPage.ts'
import { searchPage } from './searchPage.ts'

const database = useDatabase()
const em = () => database.orm.em.fork()
const MIDNIGHT = Date.parse('2026-05-10T00:00:00Z')

/** Deletes the accounts with all their rows. The totals' triggers run; the triggers that protect rows of accounts do not. */
const removeUsers = () =>
  database.superuser.em.fork().transactional(async (em) => {
    const protect = async (action: 'disable' | 'enable') => {
      await sql(em, `alter table reward_corrections ${action} trigger refuse_truncate`)
      await sql(em, `alter table user_notes ${action} trigger refuse_change`)
      for (const table of ['proof_keys', 'register_receipts'])
        await sql(em, `alter table ${table} ${action} trigger refuse_removal`)
    }
    await protect('disable')
    await sql(em, 'truncate users cascade')
    await protect('enable')
  })

/** Replaces all accounts by these and returns them in list order. */
async function signUp(people: readonly { email?: string; at?: Date }[]): Promise<string[]> {
  await removeUsers()
  const fork = em()
  const users = people.map(({ email, at = new Date() }) => {
    const id = newId()
    return fork.create(User, { id, email: email ?? `${id}@example.com`, passwordHash: '-', createdAt: at })
  })
  await fork.flush()
  return users.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1)).map(({ id }) => id)
}

test('every page of every size shows the rows of its position, across days', async () => {
  // Days of 1, 40, 0, 7 and 25 rows, many in the same millisecond.
  const sizes = [1, 40, 0, 7, 25]
  const all = await signUp(
    sizes.flatMap((size, day) =>
      Array.from({ length: size }, (_, index) => ({ at: new Date(MIDNIGHT + day * DAY + (index % 3) * 8 * HOUR) })),
    ),
  )
  expect(all).toHaveLength(73)
  for (const limit of [1, 7, 15, 100])
    for (let offset = 0; offset <= all.length + 1; offset += 1) {
      const page = await readPage(em(), { list: 'users', limit, offset })
      expect(page, `${offset} and ${limit} more`).toEqual({ ids: all.slice(offset, offset + limit), totalCount: 73 })
    }
})

test('without rows there is one empty page', async () => {
  await signUp([])
  expect(await readPage(em(), { list: 'users', limit: 15, offset: 0 })).toEqual({ ids: [], totalCount: 0 })
  expect(presentPaging({ totalCount: 0, limit: 15, offset: 0 })).toEqual({
    totalCount: 0,
    currentPage: 1,
    totalPages: 0,
    hasNextPage: false,
    hasPrevPage: false,
  })
})

test.for([
  ['first', 0, 1, true, false],
  ['middle', 15, 2, true, true],
  ['last', 30, 3, false, true],
  ['out-of-range', 45, 4, false, true],
] as const)('the fields of the %s page', ([, offset, currentPage, hasNextPage, hasPrevPage]) => {
  expect(presentPaging({ totalCount: 31, limit: 15, offset })).toEqual({
    totalCount: 31,
    currentPage,
    totalPages: 3,
    hasNextPage,
    hasPrevPage,
  })
})

test('an empty list has no page before any', () => {
  expect(presentPaging({ totalCount: 0, limit: 15, offset: 15 })).toMatchObject({ totalPages: 0, hasPrevPage: false })
})

test('a full last page has no next page', () => {
  expect(presentPaging({ totalCount: 30, limit: 15, offset: 15 })).toMatchObject({ totalPages: 2, hasNextPage: false })
})

const addresses = ['a.b_c%d@example.com', String.raw`back\slash@example.com`, 'ab@x.io', 'zoé@example.com', 'plain@mail.test']

test.for([
  ['%', ['a.b_c%d@example.com']],
  ['_', ['a.b_c%d@example.com']],
  ['b_c', ['a.b_c%d@example.com']],
  ['b_c%d@', ['a.b_c%d@example.com']],
  ['bxc', []],
  ['exa_ple', []],
  ['exam%com', []],
  ['b_c%d@exa', ['a.b_c%d@example.com']],
  [String.raw`back\slash`, [String.raw`back\slash@example.com`]],
  ['\\', [String.raw`back\slash@example.com`]],
  [String.raw`k\s`, [String.raw`back\slash@example.com`]],
  ['@X', ['ab@x.io']],
  ['q', []],
  ['b', ['ab@x.io', String.raw`back\slash@example.com`, 'a.b_c%d@example.com']],
  ['é@', ['zoé@example.com']],
  ['PLAIN@Mail', ['plain@mail.test']],
  ['example.com', ['zoé@example.com', String.raw`back\slash@example.com`, 'a.b_c%d@example.com']],
  ['lash@exam', [String.raw`back\slash@example.com`]],
] as const)('a search for %s finds the addresses that contain it, in any case', async ([email, found]) => {
  await signUp(addresses.map((email, index) => ({ email, at: new Date(MIDNIGHT + index) })))
  const page = await searchPage(em(), { list: 'users', email, limit: 15, offset: 0 })
  const rows = await sql<{ email: string }>(
    em(),
    'select email from unnest($1::uuid[]) with ordinality wanted (id, place) join users using (id) order by place',
    [page.ids],
  )
  expect(rows.map(({ email }) => email)).toEqual(found)
  expect(page).toMatchObject({ totalCount: found.length, isCut: false })
})

test('a search has pages', async () => {
  const all = await signUp(Array.from({ length: 20 }, (_, index) => ({ at: new Date(MIDNIGHT + index * HOUR) })))
  expect(await searchPage(em(), { list: 'users', email: 'example', limit: 15, offset: 15 })).toEqual({
    ids: all.slice(15),
    totalCount: 20,
    isCut: false,
  })
})

test('a search of purchases counts every match, however many accounts match', async () => {
  await removeUsers()
  await sql(
    em(),
    `with buyers as (
       insert into users (id, email, password_hash, created_at)
       select gen_random_uuid(), n || '@many.test', '-', now() + n * interval '1 second' from generate_series(1, 1200) n returning id, created_at
     )
     insert into purchases (id, user_id, status, requested_quantity, final_quantity, unit_price, amount, created_at, opened_at, posted_at)
     select gen_random_uuid(), id, 'confirmed', 2, 2, 3, 6, created_at, created_at, created_at from buyers`,
  )
  const { totalCount, summary, purchases } = await listAllPurchases(em(), {
    email: 'many',
    limit: 15,
    offset: 1185,
    confirmations: 3,
  })
  expect(totalCount).toBe(1200)
  expect(purchases).toHaveLength(15)
  expect(summary).toEqual({ purchaseCount: 1200, paidNodes: 2400, bonusNodes: 0, totalNodes: 2400 })
})

test('a search covers the newest of many matches and says so; an export has all of them', async () => {
  await removeUsers()
  await sql(
    em(),
    `insert into users (id, email, password_hash, created_at)
     select gen_random_uuid(), n || case when n % 10 = 0 then '@rare.test' else '@often.test' end, '-', now() + n * interval '1 second'
     from generate_series(1, 1200) n`,
  )
  for (const [email, matching] of [
    ['@often', 1080],
    ['t', 1200],
    ['@RARE', 120],
    ['99@', 12],
  ] as const) {
    const shown = await sql<{ id: string }>(
      em(),
      'select id from users where strpos(email, $1) > 0 order by created_at desc limit 1000',
      [email.toLowerCase()],
    )
    const ids = shown.map(({ id }) => id)
    const search = { list: 'users', email, limit: 10 } as const
    expect(await searchPage(em(), { ...search, offset: 0 }), email).toEqual({
      ids: ids.slice(0, 10),
      totalCount: ids.length,
      isCut: matching > 1000,
    })
    expect((await searchPage(em(), { ...search, offset: ids.length - 10 })).ids, email).toEqual(ids.slice(-10))
    const all: string[] = []
    for await (const { id } of readAllRows<{ id: string }>(em(), { list: 'users', email, columns: 'r.id' })) all.push(id)
    expect(all, email).toHaveLength(matching)
    expect(all.slice(0, 1000)).toEqual(ids)
  }
})

test('totals follow inserts, updates and deletes, before and after they are merged', async () => {
  const subject = 'users'
  const days = { subject, from: '2026-01-01', to: '2026-12-31' } as const
  await signUp([{ at: new Date(MIDNIGHT - 1) }, { at: new Date(MIDNIGHT) }])
  await sql(em(), `insert into users (id, email, password_hash, created_at) values ($1, 'c@example.com', '-', $2)`, [
    newId(),
    new Date(MIDNIGHT),
  ])
  const both = [
    { day: '2026-05-10', rows: 2, nodes: 0, amount: 0n },
    { day: '2026-05-09', rows: 1, nodes: 0, amount: 0n },
  ]
  expect(await readDailyTotals(em(), days)).toEqual(both)

  await Promise.all([compactTotals.run({ orm: database.orm } as never), compactTotals.run({ orm: database.orm } as never)])
  expect(await readDailyTotals(em(), days)).toEqual(both)
  expect(await sql(em(), `select day::text, rows from daily_totals where subject = 'users' order by day`)).toEqual([
    { day: utcDay(new Date(MIDNIGHT - DAY)), rows: 1 },
    { day: utcDay(new Date(MIDNIGHT)), rows: 2 },
  ])

  await sql(em(), `update users set created_at = created_at + interval '1 day' where email = 'c@example.com'`)
  await sql(em(), 'delete from users where created_at < $1', [new Date(MIDNIGHT)])
  expect(await readDailyTotals(em(), days)).toEqual([
    { day: '2026-05-11', rows: 1, nodes: 0, amount: 0n },
    { day: '2026-05-10', rows: 1, nodes: 0, amount: 0n },
  ])
  expect(await readTotal(em(), subject)).toEqual({ rows: 2, nodes: 0, amount: 0n })
})

test('a rolled-back row is not counted', async () => {
  await signUp([{}])
  const broken = em().transactional(async (em) => {
    await sql(em, `insert into users (id, email, password_hash, created_at) values ($1, 'd@example.com', '-', now())`, [newId()])
    throw new Error('no')
  })
  await expect(broken).rejects.toThrow('no')
  expect(await readTotal(em(), 'users')).toMatchObject({ rows: 1 })
})
