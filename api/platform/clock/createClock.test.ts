import { afterEach, expect, test, vi } from 'vitest'
import { DAY, MINUTE } from '#shared/dates.ts'
import { useDatabase } from '#api/testing/database.ts'
import { query } from '../tables/tables.ts'
import { createClock } from './createClock.ts'

const database = useDatabase()

afterEach(() => {
  vi.useRealTimers()
})

/** How far the time until which holds last is from the real time, on a machine whose clock is wrong by so much. */
async function errorOf(wrongBy: number): Promise<number> {
  const real = Date.now()
  vi.useFakeTimers({ toFake: ['Date'], now: real + wrongBy })
  const clock = await createClock(database.orm, { demo: false })
  const em = database.orm.em.fork()
  const due = await clock.dueNow(em)
  const { time } = await query(em).selectNoFrom(clock.dueTime().as('time')).executeTakeFirstOrThrow()
  expect(Math.abs(time.getTime() - due.getTime())).toBeLessThan(MINUTE)
  await clock.stop()
  return due.getTime() - real
}

test('what is due is decided by the database on a machine whose clock is ahead', async () => {
  expect(Math.abs(await errorOf(2 * DAY))).toBeLessThan(MINUTE)
})

test('what is due is decided by the machine where the clock of the database is ahead', async () => {
  expect(await errorOf(-2 * DAY)).toBe(-2 * DAY)
})
