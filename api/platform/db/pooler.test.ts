import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishChanges } from '../events/runNotifier.ts'
import { type TestDatabase, useDatabase } from '#api/testing/database.ts'
import { hasTool } from '#api/testing/findTool.ts'
import { listenToEvents } from '#api/testing/listenToEvents.ts'
import { startPayouts } from '#api/testing/payouts.ts'
import { startSale } from '#api/testing/sale.ts'
import { type PgBouncer, startPgBouncer } from '#api/testing/startPgBouncer.ts'

/** Fewer than a test's concurrent calls, so that session state left by one would be seen by the next. */
const SERVER_CONNECTIONS = 2
const isThere = hasTool('pgbouncer')

test('PgBouncer is installed where the tests require it', () => {
  // `npm test` only requires Node. Where .ci/run installs PgBouncer, its absence must not go unnoticed.
  const missing = isThere
    ? ''
    : 'This needs pgbouncer, and nothing is tested through a transaction pooler. On Debian: apt-get install pgbouncer'
  expect(process.env.REQUIRE_PGBOUNCER ? missing : '').toBe('')
  console.log(missing || 'PgBouncer is installed.')
})

// Not defined, rather than skipped, if it is not installed: the test above reports why.
describe.for(isThere ? ['PgBouncer'] : [])('through %s in transaction mode', () => {
  const database = useDatabase()
  let pooler: PgBouncer
  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'pooler-'))
    pooler = await startPgBouncer(database.url, { folder, serverConnections: SERVER_CONNECTIONS })
  })
  afterAll(async () => {
    await pooler.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const reach = ({ url }: TestDatabase) => {
    const pooled = new URL(pooler.url)
    pooled.pathname = new URL(url).pathname
    return { DATABASE_URL: pooled.href, DATABASE_DIRECT_URL: url }
  }

  test('concurrent payments become nodes, and the open pages are notified', async () => {
    const sale = await startSale({ reach })
    const { orm } = sale.server.services
    const buyers = await Promise.all(Array.from({ length: 6 }, () => sale.openBuyer()))
    const stream = await listenToEvents(sale.server, buyers[0]!.browser)

    await Promise.all(buyers.map((buyer) => sale.reserve(buyer, 1)))
    for (const { wallet } of buyers) await sale.pay(wallet, '3')
    await sale.confirm()
    await publishChanges(orm)

    expect(await sale.nodeNumbers()).toEqual([1, 2, 3, 4, 5, 6])
    expect(await stream.hear()).not.toEqual([])
  })

  test('each withdrawal is paid once', async () => {
    const payouts = await startPayouts({ reach })
    await Promise.all(Array.from({ length: 6 }, () => payouts.open({ amount: '3000', fee: '5' })))
    await payouts.tick()
    await payouts.tick()
    await payouts.confirm()
    expect((await payouts.payouts()).map(({ state }) => state)).toEqual(Array.from({ length: 6 }, () => 'paid'))
    expect(await payouts.transfers()).toHaveLength(6)
  })
})
