import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import { DAY } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { appendOnlyTables } from '#api/entities/tableRights.ts'
import { Account } from '#api/entities/Account.ts'
import { LedgerEntry } from '#api/entities/LedgerEntry.ts'
import { useDatabase } from '#api/testing/database.ts'
import { makeUser } from '#api/testing/factories.ts'
import { FakeClock } from '#api/testing/FakeClock.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { testConfig } from '#api/testing/testConfig.ts'
import { untilLockWaits } from '#api/testing/lockWaits.ts'
import { houseAccounts } from './houseAccounts.ts'
import { InsufficientXcr, type Movement, moveXcr } from './moveXcr.ts'
import { makeLedgerMonths, prepareLedgerMonths } from './prepareLedgerMonths.ts'

const database = useDatabase()
const DATE = '2027-03-02'

const move = (...movements: Movement[]) => database.orm.em.fork().transactional((em) => moveXcr(em, movements))
const balance = async (id: string) => (await database.orm.em.fork().findOneOrFail(Account, id)).balance

async function openAccount(xcr = '0'): Promise<string> {
  const { user } = await makeUser(database.orm.em.fork())
  const amount = parseAmount(xcr)!
  if (amount > 0n) await move({ from: houseAccounts.rewards, to: user.id, amount, cause: `test:${user.id}`, date: DATE })
  return user.id
}

test('a movement debits, credits and records the exact amount with 18 decimals', async () => {
  const user = await openAccount('123456789012345678901.000000000000000001')
  const fees = houseAccounts.fees

  expect(await move({ from: user, to: fees, amount: 1n, cause: `fee:${user}`, date: DATE })).toBe(true)

  expect(await balance(user)).toBe(123456789012345678901_000000000000000000n)
  const entry = await database.orm.em.fork().findOneOrFail(LedgerEntry, { date: DATE, cause: `fee:${user}` })
  expect(entry).toMatchObject({ fromAccount: user, toAccount: fees, amount: 1n })
})

test('a cause moves once, even after repeated and concurrent attempts', async () => {
  const user = await openAccount('100')
  const movement = { from: user, to: houseAccounts.payouts, amount: parseAmount('10')!, cause: `withdrawal:${user}`, date: DATE }

  const answers = await Promise.all(Array.from({ length: 10 }, () => move(movement)))

  expect(answers.filter(Boolean)).toHaveLength(1)
  expect(await move(movement)).toBe(false)
  expect(await balance(user)).toBe(parseAmount('90'))
})

test('fifty concurrent movements take no more than the balance', async () => {
  const user = await openAccount('30')
  const tries = Array.from({ length: 50 }, (_, index) =>
    move({ from: user, to: houseAccounts.payouts, amount: parseAmount('10')!, cause: `withdrawal:${user}:${index}`, date: DATE }),
  )

  const outcomes = await Promise.allSettled(tries)

  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(InsufficientXcr)
  expect(await balance(user)).toBe(0n)
})

test('movements of one call all happen or none does', async () => {
  const user = await openAccount('100')
  const [payouts, fees] = [await balance(houseAccounts.payouts), await balance(houseAccounts.fees)]
  const pay = (amount: string, fee: string, id: string) =>
    move(
      { from: user, to: houseAccounts.payouts, amount: parseAmount(amount)!, cause: `withdrawal:${id}`, date: DATE },
      { from: user, to: houseAccounts.fees, amount: parseAmount(fee)!, cause: `fee:${id}`, date: DATE },
    )

  await expect(pay('98', '5', `${user}:a`)).rejects.toMatchObject({ code: 'insufficient_xcr', details: { available: '100' } })
  expect(await balance(user)).toBe(parseAmount('100'))
  await pay('95', '5', `${user}:b`)

  expect(await balance(user)).toBe(0n)
  expect(await balance(houseAccounts.payouts)).toBe(payouts + parseAmount('95')!)
  expect(await balance(houseAccounts.fees)).toBe(fees + parseAmount('5')!)
})

test('of movements of one call, none happens if one of them has happened before', async () => {
  const user = await openAccount('100')
  const to = houseAccounts.payouts
  const first = { from: user, to, amount: parseAmount('10')!, cause: `withdrawal:${user}`, date: DATE }
  await move(first)
  await expect(move(first, { ...first, cause: `fee:${user}` })).rejects.toThrow('some have moved before')
  expect(await balance(user)).toBe(parseAmount('90'))
})

test('concurrent opposite movements do not deadlock', async () => {
  const user = await openAccount('1000')
  const { payouts } = houseAccounts
  await move({ from: user, to: payouts, amount: 500n, cause: `fill:${user}`, date: DATE })

  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      move({
        from: index % 2 ? user : payouts,
        to: index % 2 ? payouts : user,
        amount: 1n,
        cause: `there-and-back:${user}:${index}`,
        date: DATE,
      }),
    ),
  )
  expect(await balance(user)).toBe(parseAmount('1000')! - 500n)
})

test('a movement waiting for a user’s account does not lock the house accounts', async () => {
  const [held, other] = [await openAccount('10'), await openAccount('10')]
  const pay = (user: string) =>
    move({ from: user, to: houseAccounts.payouts, amount: 1n, cause: `withdrawal:${user}`, date: DATE })

  const outside = AsyncLocalStorage.snapshot()
  let waiting: Promise<boolean> | undefined
  await database.orm.em.fork().transactional(async (em) => {
    await sql(em, 'select from accounts where id = $1 for update', [held])
    waiting = outside(() => pay(held))
    await outside(() => untilLockWaits(database))
    expect(await outside(() => pay(other))).toBe(true)
  })
  expect(await waiting).toBe(true)
})

test('only users and the house have accounts', async () => {
  const nobody = crypto.randomUUID()
  await expect(
    move({ from: houseAccounts.rewards, to: nobody, amount: 1n, cause: `test:${nobody}`, date: DATE }),
  ).rejects.toThrow('without an account')
})

test('the database refuses to update or delete entries, distributions and accounts on every partition', async () => {
  // The application's role lacks these privileges; the triggers also stop the owner and a superuser.
  const { orm, superuser } = database
  const user = await openAccount('10')
  await move({ from: user, to: houseAccounts.fees, amount: 1n, cause: `stray:${user}`, date: '2001-01-01' })
  await makeLedgerMonths({ orm }, { from: '2027-04-01', months: 1 })
  await move({ from: user, to: houseAccounts.fees, amount: 1n, cause: `made:${user}`, date: '2027-04-30' })
  await sql(
    orm.em.fork(),
    `insert into distributions (day, user_id, id, active_nodes, rate, amount, created_at)
     select day, $1, gen_random_uuid(), 1, 1, 1, now() from unnest(array['2001-01-01', '2027-04-30']::date[]) day`,
    [user],
  )

  // No correction exists in this test.
  const filled = appendOnlyTables.filter((table) => table !== 'reward_corrections')
  const kept = [...filled, 'ledger_entries_default', 'distributions_default']
  const refused = [...kept, ...(await partitionsOf('2027_04'))]
  expect(refused).toHaveLength(filled.length + 4)
  for (const table of refused) {
    const [column] = await sql<{ name: string }>(
      superuser.em.fork(),
      'select attname as name from pg_attribute where attrelid = $1::regclass and attnum = 1',
      [table],
    )
    for (const statement of [
      `update ${table} set ${column!.name} = ${column!.name}`,
      `delete from ${table}`,
      `truncate ${table}`,
    ])
      await expect(sql(superuser.em.fork(), statement), statement).rejects.toThrow('is append-only')
  }
  for (const statement of ['delete from accounts', 'truncate accounts'])
    await expect(sql(superuser.em.fork(), statement), statement).rejects.toThrow('never deleted')
  await expect(sql(orm.em.fork(), `update accounts set balance = -1 where id = '${user}'`)).rejects.toThrow('not_overdrawn')
})

test('months are created three ahead in product time, and rows outside them raise an alert, with one mail a month', async () => {
  const { orm } = database
  const clock = new FakeClock()
  clock.set(new Date('2031-11-30T23:59:59Z'))
  const config = testConfig({ DATABASE_URL: database.url })
  const prepare = () => prepareLedgerMonths.run({ orm, clock, config, jobs: { enqueue: async () => {} } } as never)
  const user = await openAccount('10')
  await move({ from: user, to: houseAccounts.fees, amount: 1n, cause: `early:${user}`, date: '2032-01-15' })

  await expect(prepare()).rejects.toThrow("ALERT: There are entries in the ledger's default partition")
  const made = await Promise.all(['2031_11', '2031_12', '2032_01', '2032_02', '2032_03'].map(partitionsOf))
  // January's entries stay in the default partition.
  expect(made.map((tables) => tables.length)).toEqual([2, 2, 1, 2, 0])
  await expect(prepare()).rejects.toThrow('ALERT: ')
  const mails = () => mailsTo(database, config.SUPPORT_EMAIL)
  expect(await mails()).toMatchObject([{ text: expect.stringContaining("There are entries in the ledger's default partition") }])
  clock.advance(DAY)
  await expect(prepare()).rejects.toThrow('ALERT: ')
  expect(await mails()).toHaveLength(2)
})

test('many concurrent workers create a month once, and none fails', async () => {
  const { orm } = database
  for (const month of ['01', '02', '03', '04', '05', '06'])
    await Promise.all(Array.from({ length: 10 }, () => makeLedgerMonths({ orm }, { from: `2040-${month}-01`, months: 1 })))
  expect(await partitionsOf('2040_06')).toHaveLength(2)
})

async function partitionsOf(month: string): Promise<string[]> {
  const rows = await sql<{ name: string }>(
    database.orm.em.fork(),
    `select inhrelid::regclass::text as name from pg_inherits where inhrelid::regclass::text like '%' || $1`,
    [month],
  )
  return rows.map(({ name }) => name)
}
