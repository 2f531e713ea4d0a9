import { type Kysely, sql } from 'kysely'
import { expect, test } from 'vitest'
import { newId } from '#api/platform/db/newId.ts'
import { useDatabase } from '#api/testing/database.ts'
import { query, type Tables } from './tables.ts'

const database = useDatabase()
const em = () => database.orm.em.fork()

const AMOUNT = 123_456_789_012_345_678_901_234_567_890n
const at = new Date('2026-11-23T09:00:00.123Z')

test('amounts, times and counts are converted regardless of their name in the query', async () => {
  const id = newId()
  await query(em()).insertInto('accounts').values({ id, kind: 'user', balance: AMOUNT }).execute()

  const rows = query(em()).selectFrom('accounts as a').where('a.id', '=', id)
  expect(
    await rows
      .select((eb) => ['a.balance', 'a.balance as held', eb.fn.sum<bigint>('a.balance').over().as('sum')])
      .executeTakeFirstOrThrow(),
  ).toEqual({ balance: AMOUNT, held: AMOUNT, sum: AMOUNT })
  expect(
    await rows.select((eb) => [eb.fn.countAll<number>().as('rows'), sql<Date>`${at}::timestamptz`.as('at')]).executeTakeFirst(),
  ).toEqual({
    rows: 1,
    at,
  })
})

test('a query runs in the transaction of its entity manager', async () => {
  const id = newId()
  const count = (db: Kysely<Tables>) => db.selectFrom('accounts').where('id', '=', id).select('id').execute()

  await expect(
    em().transactional(async (em) => {
      await query(em).insertInto('accounts').values({ id, kind: 'user' }).execute()
      expect(await count(query(em))).toHaveLength(1)
      throw new Error('rolled back')
    }),
  ).rejects.toThrow('rolled back')

  expect(await count(query(em()))).toEqual([])
})
