import { expect, test } from 'vitest'
import { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { sql } from '#api/platform/db/sql.ts'
import { USDT_ADDRESS } from '#api/testing/chains.ts'
import { startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { readRereads, waitForRereads } from '#api/testing/rereads.ts'
import { type Sale, startSale } from '#api/testing/sale.ts'
import { finishReread, readDueBlocks, rereadNow } from './rereads.ts'

/** A sale whose watcher reads from two endpoints that may fail. */
async function startOnTwo() {
  const sale = await startSale()
  const rpcs = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)] as const
  const endpoints = rpcs.map(({ url }) => new RpcEndpoint(url, { chainId: 56, token: { address: USDT_ADDRESS, decimals: 18 } }))
  return { sale, rpcs, watcher: sale.newWatcher({ endpoints }) }
}

/** A final payment whose receipt neither endpoint has, and which the second one may hide. */
async function startWithoutReceipt({ isHidden = false } = {}) {
  const started = await startOnTwo()
  const { sale, rpcs } = started
  for (const rpc of rpcs)
    rpc.fail(({ method }) => {
      if (method === 'eth_getLogs' && isHidden && rpc === rpcs[1]) return { rewrite: () => [] }
      return method === 'eth_getTransactionReceipt' ? { rewrite: () => null } : undefined
    })
  await sale.pay((await sale.openBuyer()).wallet, '30')
  await sale.chain.mine(sale.confirmations)
  return started
}

/** No deposit may be taken out of its block from now on, not for a moment either. */
const requireBlocks = ({ database }: Sale) =>
  sql(database.superuser.em.fork(), 'alter table deposits add constraint kept check (block_number is not null)')

test('a payment that one of two endpoints hides, and whose receipt appears hours later only, is credited', async () => {
  const { sale, rpcs, watcher } = await startWithoutReceipt({ isHidden: true })
  await watcher.catchUp()
  for (let round = 0; round < 5; round += 1) {
    await waitForRereads(sale)
    await watcher.catchUp()
  }
  expect(await readRereads(sale)).toMatchObject([{ tries: 5 }])

  for (const rpc of rpcs) rpc.heal()
  await waitForRereads(sale)
  await watcher.catchUp()
  await watcher.catchUp()

  expect(await sale.nodeNumbers()).toHaveLength(10)
})

test('a payment that one of two endpoints hides, and whose receipt is missing, stays in its block while that is read a second time', async () => {
  const { sale, watcher } = await startWithoutReceipt({ isHidden: true })
  await requireBlocks(sale)

  await watcher.catchUp()

  expect(await readRereads(sale)).toMatchObject([{ tries: 0 }])
})

test('a payment that both endpoints show stays in its block until its receipt appears', async () => {
  const { sale, rpcs, watcher } = await startWithoutReceipt()
  await watcher.catchUp()
  await waitForRereads(sale)
  await watcher.catchUp()
  expect(await sale.deposits()).toMatchObject([{ state: 'seen', blockNumber: expect.any(Number) }])

  for (const rpc of rpcs) rpc.heal()
  await watcher.catchUp()

  expect(await sale.nodeNumbers()).toHaveLength(10)
})

test('a payment that both endpoints show is not taken out of its block while that is read again, and the operator is alerted', async () => {
  const { sale, watcher } = await startWithoutReceipt()
  await watcher.catchUp()
  await waitForRereads(sale)
  await requireBlocks(sale)

  await watcher.catchUp()

  expect(sale.alerts).toEqual([expect.stringContaining('too few endpoints show their receipts')])
  expect(await readRereads(sale)).toEqual([])
})

test.each([
  ['both show', 0],
  ['one of them shows', 1],
])(
  'the operator is alerted of a payment that two endpoints omitted, and that %s in the block read again',
  async (_, omitting) => {
    const { sale, rpcs, watcher } = await startOnTwo()
    const hash = await sale.pay((await sale.openBuyer()).wallet, '30')
    const { blockNumber } = await sale.chain.client.getTransactionReceipt({ hash })
    await sale.chain.mine(sale.confirmations)
    for (const rpc of rpcs) rpc.fail(({ method }) => (method === 'eth_getLogs' ? { rewrite: () => [] } : undefined))
    await watcher.catchUp()
    for (const rpc of rpcs.slice(omitting)) rpc.heal()
    for (let round = 0; round < 2; round += 1) {
      await rereadNow(sale.database.orm.em.fork(), blockNumber)
      await watcher.catchUp()
    }

    expect(sale.alerts).toEqual([
      `1 deposits in blocks ${blockNumber} to ${blockNumber} were missing from the first reading. They are stored now.`,
    ])
  },
)

test('a block is read again once two endpoints answer', async () => {
  const { sale, rpcs, watcher } = await startOnTwo()
  await sale.chain.mine(sale.confirmations + 1)
  await watcher.catchUp()
  await rereadNow(sale.database.orm.em.fork(), 1n)
  rpcs[0].fail(({ method }) => (method === 'eth_getLogs' ? 'drop' : undefined))

  await watcher.catchUp()
  expect(await readRereads(sale)).toMatchObject([{ number: 1, tries: 0 }])

  rpcs[0].heal()
  await waitForRereads(sale)
  await watcher.catchUp()
  expect(await readRereads(sale)).toEqual([])
})

test('a process that is stopped while blocks are read again ends after one of them', async () => {
  const { sale, rpcs, watcher } = await startOnTwo()
  await sale.chain.mine(sale.confirmations + 2)
  await watcher.catchUp()
  for (const number of [1n, 2n]) await rereadNow(sale.database.orm.em.fork(), number)
  const stopping = new AbortController()
  rpcs[0].fail(({ method }) => {
    if (method === 'eth_getLogs') stopping.abort()
    return undefined
  })

  await watcher.catchUp(stopping.signal)

  expect(await readRereads(sale)).toMatchObject([{ tries: 0 }])
})

test.each([
  ['one of two endpoints refuses', 1],
  ['both endpoints refuse', 2],
])('a block that %s keeps no other one from being read again, and the operator is alerted', async (_, refusing) => {
  const { sale, rpcs, watcher } = await startOnTwo()
  await sale.chain.mine(2_100)
  await watcher.catchUp()
  const em = sale.database.orm.em.fork()
  await rereadNow(em, 1n)
  await rereadNow(em, 2n)
  for (const rpc of rpcs.slice(0, refusing))
    rpc.fail(({ method, params }) =>
      method === 'eth_getBlockByNumber' && params[0] === '0x1'
        ? { error: { code: -32000, message: 'no such block' } }
        : undefined,
    )

  for (let round = 0; round < 2; round += 1) await watcher.catchUp().catch(() => {})

  expect(await readRereads(sale)).toMatchObject([{ number: 1 }])
  expect(await readDueBlocks(em, { finalNumber: 10n })).toEqual([])
  expect(sale.alerts).toContainEqual(expect.stringContaining('Block 1 could not be read again'))
})

test('while an endpoint does not answer, one block is tried in each round, so that payments are read meanwhile', async () => {
  const { sale, rpcs, watcher } = await startOnTwo()
  await sale.chain.mine(sale.confirmations + 5)
  await watcher.catchUp()
  const em = sale.database.orm.em.fork()
  for (const number of [1n, 2n, 3n]) await rereadNow(em, number)
  rpcs[0].fail(({ method }) => (method === 'eth_getLogs' ? 'drop' : undefined))

  await watcher.catchUp()

  expect(await readDueBlocks(em, { finalNumber: 3n })).toHaveLength(2)
})

test('a block that was read again a thousand times can be read again', async () => {
  const { database } = await startSale()
  const em = database.orm.em.fork()
  await rereadNow(em, 1n)
  await sql(em, 'update blocks_to_reread set tries = 1000')
  const [block] = await readDueBlocks(em, { finalNumber: 1n })

  await finishReread(em, block!, { isDoubtful: true })

  expect(await readDueBlocks(em, { finalNumber: 1n })).toEqual([])
})

test('blocks that were read again many times keep no other one waiting', async () => {
  const { database } = await startSale()
  const em = database.orm.em.fork()
  await sql(
    em,
    `insert into blocks_to_reread (chain_id, number, tries, due_at) select 56, number, 1, now() - interval '1 hour' from generate_series(1, 100) as number`,
  )
  await rereadNow(em, 200n)

  expect((await readDueBlocks(em, { finalNumber: 300n }))[0]).toMatchObject({ number: 200n })
})

test('the blocks that are due are found among a hundred thousand without reading all of them', async () => {
  const { database } = await startSale()
  const em = database.superuser.em.fork()
  await sql(
    em,
    `insert into blocks_to_reread (chain_id, number, tries, due_at)
     select 56, n, n % 15, now() + interval '1 minute' * (n % 2 - 0.5) from generate_series(1, 100000) as n`,
  )
  await sql(em, 'analyze blocks_to_reread')

  const scans = await em.transactional(async (em) => {
    expect(await readDueBlocks(em, { finalNumber: 100_000n })).toMatchObject({ length: 8, 0: { tries: 0 } })
    return sql(em, `select seq_scan::int as count from pg_stat_xact_user_tables where relname = 'blocks_to_reread'`)
  })

  expect(scans).toEqual([{ count: 0 }])
})
