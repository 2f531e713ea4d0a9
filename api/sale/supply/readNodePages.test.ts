import { expect, test } from 'vitest'
import { getNodePage, NODES_PER_PAGE } from '#shared/contract/nodes.ts'
import { SECOND } from '#shared/dates.ts'
import { NODE_PAGES_INTERVAL } from '#api/pages/publicAnswers/PublicAnswers.ts'
import { createDatabase } from '#api/testing/database.ts'
import { holdersOf } from '#api/testing/holders.ts'
import { FakeClock } from '#api/testing/FakeClock.ts'
import { startServer } from '#api/testing/server.ts'
import { onCleanup } from '#api/testing/onCleanup.ts'

async function startSale() {
  const database = await createDatabase()
  onCleanup(() => database.release())
  const clock = new FakeClock()
  return holdersOf({ database, clock })
}

test('an anonymous caller reads only the kind and the UTC day of sold nodes, in runs that cross accounts', async () => {
  const { database, at, openHolder } = await startSale()
  at('2026-11-20T23:59:00Z')
  const first = await openHolder({ nodes: 10 })
  await openHolder({ nodes: 3 })
  at('2026-11-21T00:01:00Z')
  await openHolder({ nodes: NODES_PER_PAGE })
  await openHolder({ nodes: 2, kind: 'bonus' })
  await openHolder()
  // A freed number is allocated on another day than its neighbors.
  at('2026-11-20T12:00:00Z')
  await openHolder()
  at('2026-11-21T12:00:00Z')
  await openHolder()
  const server = await startServer(database)
  const { call } = server.openBrowser()

  expect(await call(getNodePage, { params: { page: 0 } })).toEqual([
    { first: 1, count: 13, kind: 'paid', day: '2026-11-20' },
    { first: 14, count: NODES_PER_PAGE - 13, kind: 'paid', day: '2026-11-21' },
  ])
  expect(await call(getNodePage, { params: { page: 1 } })).toEqual([
    { first: NODES_PER_PAGE + 1, count: 13, kind: 'paid', day: '2026-11-21' },
    { first: NODES_PER_PAGE + 14, count: 2, kind: 'bonus', day: '2026-11-21' },
    { first: NODES_PER_PAGE + 16, count: 1, kind: 'paid', day: '2026-11-21' },
    { first: NODES_PER_PAGE + 17, count: 1, kind: 'paid', day: '2026-11-20' },
    { first: NODES_PER_PAGE + 18, count: 1, kind: 'paid', day: '2026-11-21' },
  ])
  expect(await call(getNodePage, { params: { page: 19 } })).toEqual([])
  expect(await (await fetch(`${server.url}/api/stats/nodes/pages/0`)).text()).not.toContain(first)
  for (const page of ['20', '-1', '00', 'x'])
    expect((await fetch(`${server.url}/api/stats/nodes/pages/${page}`)).status).toBe(404)
})

test('pages are served from memory with an ETag, and the nodes are read once per interval', async () => {
  const { database, openHolder } = await startSale()
  const server = await startServer(database)
  const readPage = () => server.openBrowser().call(getNodePage, { params: { page: 0 } })
  /** The timer does the same every second. */
  const refresh = async () => {
    const refreshed = new Promise((resolve) => server.services.events.onChange(resolve))
    server.services.events.publish({ all: ['/api/stats/nodes'], users: {} })
    await refreshed
  }
  const before = await fetch(`${server.url}/api/stats/nodes/pages/0`)
  expect(before.headers.get('cache-control')).toBe('public, max-age=10')
  const again = await fetch(before.url, { headers: { 'if-none-match': before.headers.get('etag')! } })
  expect(again.status).toBe(304)

  await openHolder()
  server.clock.advance(NODE_PAGES_INTERVAL - SECOND)
  await refresh()
  expect(await readPage()).toEqual([])

  server.clock.advance(SECOND)
  await refresh()
  expect(await readPage()).toMatchObject([{ first: 1, count: 1, kind: 'paid' }])
})
