import { beforeEach, expect, test } from 'vitest'
import { getStatus, type ServiceStatus } from '#shared/contract/status.ts'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { useDatabase } from '#api/testing/database.ts'
import { FakeClock } from '#api/testing/FakeClock.ts'
import { startServer } from '#api/testing/server.ts'
import { StatusAnswer } from './StatusAnswer.ts'

const database = useDatabase()

let clock: FakeClock
/** What the next read answers. */
let read: () => Promise<Partial<ServiceStatus>>
let status: StatusAnswer

beforeEach(() => {
  clock = new FakeClock()
  const figures: ServiceStatus = {
    verdict: 'ok',
    readAt: clock.now(),
    payments: { state: 'ok', block: null, blockTime: null, blocksBehind: 0 },
    rewards: { state: 'ok', lastDay: null },
    payouts: { state: 'ok', waiting: 3, oldest: null },
    register: null,
    incidents: [],
  }
  read = async () => ({})
  status = new StatusAnswer({ clock, orm: database.orm } as never, async () => ({
    ...figures,
    readAt: clock.now(),
    ...(await read()),
  }))
})

const shown = () => JSON.parse(status.answer!.body) as { verdict: string; readAt: string; payouts: { waiting: number } }

test('while the status cannot be read, the last figures stay, and after a minute the state is unknown', async () => {
  await status.refresh()
  const readAt = clock.now().toISOString()
  read = () => Promise.reject(new Error('no connection to 10.0.0.7'))
  clock.advance(MINUTE)
  await status.refresh()
  status.markIfOutdated()
  expect(shown()).toMatchObject({ verdict: 'ok', readAt })

  clock.advance(SECOND)
  await status.refresh()
  status.markIfOutdated()
  expect(shown()).toMatchObject({ verdict: 'outdated', readAt, payouts: { waiting: 3 } })
  expect(status.answer!.body).not.toContain('10.0.0.7')

  read = async () => ({})
  await status.refresh()
  status.markIfOutdated()
  expect(shown()).toMatchObject({ verdict: 'ok', readAt: clock.now().toISOString() })
})

test('a read that hangs does not keep the state known', async () => {
  await status.refresh()
  read = () => new Promise(() => {})
  void status.refresh()
  clock.advance(MINUTE + SECOND)
  status.markIfOutdated()
  expect(shown().verdict).toBe('outdated')
})

test('everybody is answered from memory, for ten seconds at most', async () => {
  const server = await startServer(database)
  const response = await fetch(server.url + getStatus.path)
  expect([response.status, response.headers.get('cache-control'), response.headers.get('access-control-allow-origin')]).toEqual([
    200,
    'public, max-age=10',
    '*',
  ])
  const again = await fetch(server.url + getStatus.path, { headers: { 'if-none-match': response.headers.get('etag')! } })
  expect(again.status).toBe(304)
  expect(await server.openBrowser().call(getStatus, {})).toMatchObject({ rewards: { lastDay: null } })
})
