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

/** Fewer than the calls of a test at once: what one of them leaves in its session, the next one finds. */
const SERVER_CONNECTIONS = 2
const isThere = hasTool('pgbouncer')

test('PgBouncer is there where the tests must run through it', () => {
  // `npm test` needs nothing but Node. Where .ci/run has installed it, it must not be lost unnoticed.
  const missing = isThere
    ? ''
    : 'This needs pgbouncer, and nothing is tested through a transaction pooler. On Debian: apt-get install pgbouncer'
  expect(process.env.REQUIRE_PGBOUNCER ? missing : '').toBe('')
  console.log(missing || 'PgBouncer is installed.')
})

// Absent rather than skipped where it is not installed: the test above says why.
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

  test('payments of many at once become nodes, and their pages hear of it', async () => {
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

  test('withdrawals are paid once each', async () => {
    const payouts = await startPayouts({ reach })
    await Promise.all(Array.from({ length: 6 }, () => payouts.open({ amount: '3000', fee: '5' })))
    await payouts.tick()
    await payouts.tick()
    await payouts.confirm()
    expect((await payouts.payouts()).map(({ state }) => state)).toEqual(Array.from({ length: 6 }, () => 'paid'))
    expect(await payouts.transfers()).toHaveLength(6)
  })
})
