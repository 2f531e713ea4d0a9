import { expect, test } from 'vitest'
import { DAY, HOUR, MINUTE } from '#shared/dates.ts'
import { changeSetting } from './changeSetting.ts'
import { announceSaleStart } from './announceSaleStart.ts'
import type { SettingKey } from '#shared/settings.ts'
import { sql } from '#api/platform/db/sql.ts'
import { createDatabase } from '#api/testing/database.ts'
import { onCleanup } from '#api/testing/onCleanup.ts'
import { startServer } from '#api/testing/server.ts'

async function setUp() {
  const database = await createDatabase()
  onCleanup(() => database.release())
  const { services, clock } = await startServer(database)
  const em = () => services.orm.em.fork()
  const soon = (milliseconds: number) => new Date(clock.productNow().getTime() + milliseconds).toISOString()
  return {
    em,
    clock,
    soon,
    async set(key: SettingKey, value: string) {
      clock.advance(1)
      await em().transactional((transaction) => changeSetting(transaction, { key, value, effectiveAt: clock.now() }))
    },
    /** Runs the sweep twice and returns the announced starts. */
    async announced() {
      await announceSaleStart.run(services)
      await announceSaleStart.run(services)
      const rows = await sql<{ cause: string; link: string }>(em(), 'select cause, link from announcements order by created_at')
      expect(rows.every(({ link }) => link === '/purchase')).toBe(true)
      return rows.map(({ cause }) => cause.replace('sale_opened:', ''))
    },
  }
}

test('the start is announced once it passes, once', async () => {
  const { set, soon, clock, announced } = await setUp()
  const start = soon(HOUR)
  await set('sales_start_date', start)
  expect(await announced()).toEqual([])
  clock.set(new Date(Date.parse(start) - 1))
  expect(await announced()).toEqual([])
  clock.advance(1)
  expect(await announced()).toEqual([start])
  clock.advance(HOUR)
  expect(await announced()).toEqual([start])
})

test('a worker whose clock is ahead of the database does not announce the start early', async () => {
  const { set, soon, clock, announced } = await setUp()
  await set('sales_start_date', soon(2 * DAY))
  clock.advanceProduct(DAY)
  clock.advanceMachine(DAY)
  expect(await announced()).toEqual([])
})

test('without a start nothing is announced', async () => {
  const { clock, announced } = await setUp()
  clock.advance(DAY)
  expect(await announced()).toEqual([])
})

test('a date that had passed when it was set is not announced, nor the same one set again', async () => {
  const { set, soon, clock, announced } = await setUp()
  await set('sales_start_date', soon(-HOUR))
  expect(await announced()).toEqual([])
  const start = soon(HOUR)
  await set('sales_start_date', start)
  clock.advance(HOUR)
  expect(await announced()).toEqual([start])
  await set('sales_start_date', '')
  await set('sales_start_date', start)
  expect(await announced()).toEqual([start])
})

test('an edited date is announced when the last one passes', async () => {
  const { set, soon, clock, announced } = await setUp()
  const [first, second] = [soon(HOUR), soon(2 * HOUR)]
  for (const date of [first, second, first, second]) await set('sales_start_date', date)
  clock.advance(HOUR)
  expect(await announced()).toEqual([])
  clock.advance(HOUR)
  expect(await announced()).toEqual([second])
})

test('sales that were disabled at the start are not announced, also once they are enabled', async () => {
  const { set, soon, clock, announced } = await setUp()
  await set('sales_start_date', soon(HOUR))
  await set('sales_enabled', 'false')
  clock.advance(HOUR)
  expect(await announced()).toEqual([])
  await set('sales_enabled', 'true')
  expect(await announced()).toEqual([])
})

test('sales that were disabled before the worker came are not announced as open', async () => {
  const { set, soon, clock, announced } = await setUp()
  await set('sales_start_date', soon(HOUR))
  clock.advance(HOUR + MINUTE)
  await set('sales_enabled', 'false')
  expect(await announced()).toEqual([])
})

test('nothing is announced without nodes to buy, or if no worker ran for more than a day', async () => {
  const { em, set, soon, clock, announced } = await setUp()
  await set('sales_start_date', soon(HOUR))
  clock.advance(HOUR)
  await sql(em(), 'update supply set bonus = total')
  expect(await announced()).toEqual([])
  await sql(em(), 'update supply set bonus = 0')
  clock.advance(DAY + 1)
  expect(await announced()).toEqual([])
})
