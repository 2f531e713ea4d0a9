import { randomBytes } from 'node:crypto'
import { type Hex, toHex } from 'viem'
import { expect, onTestFinished, test, vi } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { TRANSFER_TOPIC } from '#api/platform/chain/readTransfers.ts'
import { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { LeadershipLost } from '#api/platform/db/lead.ts'
import { sql } from '#api/platform/db/sql.ts'
import { deployBatchSender } from '#api/testing/batchSender.ts'
import { makeAccount, USDT_ADDRESS } from '#api/testing/chains.ts'
import { type FaultyRpc, startFaultyRpc, startStoppable } from '#api/testing/faultyRpc.ts'
import { readRereads, waitForRereads } from '#api/testing/rereads.ts'
import { type Sale, startSale } from '#api/testing/sale.ts'
import { expirePurchases } from '../purchases/expirePurchases.ts'
import { releaseUncovered } from '../purchases/releaseUncovered.ts'
import { rereadNow } from './rereads.ts'

const endpoint = ({ url }: { url: string }) =>
  new RpcEndpoint(url, { chainId: 56, token: { address: USDT_ADDRESS, decimals: 18 } })
const usdt = (text: string) => parseAmount(text)!

test('a payment that one of two endpoints invents with log and receipt buys nothing and is never final', async () => {
  const sale = await startSale()
  const attacker = await sale.openBuyer()
  await sale.reserve(attacker, 100)
  await sale.chain.mine(1)
  const faulty = await startFaultyRpc(sale.chain.url)
  const forged = await forgePayment(sale, attacker.wallet.address, usdt('300'))
  faulty.fail(({ method, params }) => {
    if (method === 'eth_getLogs') return { rewrite: (logs: unknown[]) => [...logs, forged.log] }
    if (method === 'eth_getTransactionReceipt' && params[0] === forged.log.transactionHash)
      return { rewrite: () => forged.receipt }
    return undefined
  })
  await sale.chain.mine(sale.confirmations)

  for (const endpoints of [
    [endpoint(faulty), endpoint(sale.chain)],
    [endpoint(sale.chain), endpoint(faulty)],
  ]) {
    const watcher = sale.newWatcher({ endpoints })
    await watcher.catchUp()
    await watcher.catchUp()
  }

  expect(await sale.nodeNumbers()).toEqual([])
  expect(await sale.deposits()).not.toContainEqual(expect.objectContaining({ state: 'matched' }))
})

test('once an endpoint that invented thousands of newer blocks is gone, payments are seen before they are final', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const [liar, other] = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  const watcher = sale.newWatcher({ endpoints: [endpoint(liar), endpoint(other), endpoint(sale.chain)] })
  await watcher.catchUp()
  const { number: head, hash, timestamp } = await sale.chain.client.getBlock()
  const invented = (number: bigint) => ({
    number: toHex(number),
    hash: word(number),
    parentHash: number === head + 1n ? hash : word(number - 1n),
    timestamp: toHex(timestamp),
  })
  liar.fail(({ method, params }) => {
    if (method === 'eth_getLogs') return { send: { method: 'eth_chainId', params: [] }, rewrite: () => [] }
    if (method !== 'eth_getBlockByNumber' || params[0] === 'finalized') return undefined
    const number = params[0] === 'latest' ? head + 5_000n : BigInt(params[0] as Hex)
    return number > head ? { rewrite: () => invented(number) } : undefined
  })
  await watcher.catchUp()
  liar.fail(() => 'drop')
  await sale.pay(buyer.wallet, '30')

  await watcher.catchUp()
  await watcher.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'seen' }])
})

test('while all endpoints show a head from before blocks that they have shown as final, the reading goes on without an error', async () => {
  const sale = await startSale()
  const rpcs = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  const watcher = sale.newWatcher({ endpoints: rpcs.map(endpoint) })
  await sale.chain.mine(1_100)
  await watcher.catchUp()
  const before = await readProgress(sale)
  const ofTen = { send: { params: ['0xa', false] } }
  for (const rpc of rpcs)
    rpc.fail(({ method, params }) => {
      if (method !== 'eth_getBlockByNumber') return undefined
      if (!String(params[0]).startsWith('0x')) return ofTen
      return BigInt(params[0] as Hex) > 10n ? { rewrite: () => null } : undefined
    })

  await watcher.catchUp()

  expect(await readProgress(sale)).toMatchObject([{ blocks: before[0]!.blocks }])
})

test('many payments that an endpoint invents are one alert', async () => {
  const sale = await startSale()
  await sale.chain.mine(1)
  const faulty = await startFaultyRpc(sale.chain.url)
  const { address } = makeAccount()
  const forged = await Promise.all(Array.from({ length: 30 }, () => forgePayment(sale, address, usdt('300'))))
  faulty.fail(({ method }) => {
    if (method !== 'eth_getLogs') return undefined
    return { rewrite: (logs: unknown[]) => [...logs, ...forged.map(({ log }, index) => ({ ...log, logIndex: toHex(index) }))] }
  })
  await sale.chain.mine(sale.confirmations)

  const watcher = sale.newWatcher({ endpoints: [endpoint(faulty), endpoint(sale.chain)] })
  await watcher.catchUp()
  await waitForRereads(sale)
  await watcher.catchUp()

  expect(sale.alerts).toEqual([expect.stringContaining('and 25 more')])
})

test('an endpoint that keeps an invented payment does not keep later blocks from being read a second time, and it is soon dropped', async () => {
  const sale = await startSale({ maxRange: 10n })
  const buyer = await sale.openBuyer()
  await sale.chain.mine(1)
  const liar = await startFaultyRpc(sale.chain.url)
  const { log } = await forgePayment(sale, makeAccount().address, usdt('300'))
  await sale.chain.mine(30)
  await sale.pay(buyer.wallet, '30')
  await sale.chain.mine(sale.confirmations)
  liar.fail(({ method, params }) => {
    if (method !== 'eth_getLogs') return undefined
    const { fromBlock, toBlock } = params[0] as { fromBlock: Hex; toBlock: Hex }
    const isShown = BigInt(fromBlock) <= BigInt(log.blockNumber) && BigInt(log.blockNumber) <= BigInt(toBlock)
    return { rewrite: () => (isShown ? [log] : []) }
  })

  const watcher = sale.newWatcher({ endpoints: [endpoint(liar), endpoint(sale.chain)] })
  for (let round = 0; round < 10; round += 1) await watcher.catchUp()

  expect(await sale.nodeNumbers()).toHaveLength(10)
  const [before] = await readProgress(sale)

  await waitForRereads(sale)
  await watcher.catchUp()
  expect(await sale.deposits()).toMatchObject([{ amount: '300', state: 'seen', blockNumber: null }, { state: 'matched' }])
  expect(await readProgress(sale)).toEqual([before])
})

test('all payments that an endpoint has invented in a block are dropped at once', async () => {
  const sale = await startSale()
  await sale.chain.mine(1)
  const liar = await startFaultyRpc(sale.chain.url)
  const { address } = makeAccount()
  const forged = await Promise.all(Array.from({ length: 250 }, () => forgePayment(sale, address, usdt('300'))))
  const logs = forged.map(({ log }, index) => ({ ...log, logIndex: toHex(index) }))
  liar.fail(({ method }) => (method === 'eth_getLogs' ? { rewrite: () => logs } : undefined))
  await sale.chain.mine(sale.confirmations)
  const watcher = sale.newWatcher({ endpoints: [endpoint(liar), endpoint(sale.chain)] })
  await watcher.catchUp()

  liar.heal()
  await waitForRereads(sale)
  await watcher.catchUp()

  expect((await sale.deposits()).filter(({ blockNumber }) => blockNumber !== null)).toEqual([])
  expect(await readRereads(sale)).toEqual([])
})

/** A final block in which one of two endpoints shows 250 payments that it invents. */
async function startInventing({ isListed }: { isListed: boolean }) {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.chain.mine(1)
  const [liar, other] = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  const { address } = makeAccount()
  const forged = await Promise.all(Array.from({ length: 250 }, () => forgePayment(sale, address, usdt('300'))))
  const logs = forged.map(({ log }, index) => ({ ...log, logIndex: toHex(index) }))
  await sale.chain.mine(sale.confirmations)
  const watcher = sale.newWatcher({ endpoints: [endpoint(other), endpoint(liar)] })
  if (isListed) {
    await watcher.catchUp()
    await rereadNow(sale.database.orm.em.fork(), BigInt(logs[0]!.blockNumber))
  }
  const lie = ({ method }: { method: string }) =>
    method === 'eth_getLogs' ? { rewrite: (real: object[]) => [...logs, ...real] } : undefined
  liar.fail(lie)
  /** While the first receipts are read. */
  const meanwhile = (act: () => Promise<unknown>) => {
    let acted: Promise<unknown> | undefined
    other.fail(async ({ method }) => {
      if (method === 'eth_getTransactionReceipt') await (acted ??= act())
      return undefined
    })
  }
  return { sale, buyer, watcher, liar, other, logs, lie, meanwhile }
}

test.each([
  ['a second time', false],
  ['again', true],
])('while many payments that an endpoint invents in a block read %s are verified, new ones are credited', async (_, isListed) => {
  const { sale, buyer, watcher, meanwhile } = await startInventing({ isListed })
  meanwhile(async () => {
    await sale.pay(buyer.wallet, '30')
    await sale.chain.mine(sale.confirmations)
  })

  await watcher.catchUp()

  expect(await sale.nodeNumbers()).toHaveLength(10)
})

/** A final block with a payment that two endpoints have omitted until now, and in which one of them shows 250 that it invents. */
async function startOmitted() {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const [liar, other] = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  const { blockNumber } = await sale.chain.client.getTransactionReceipt({ hash: await sale.pay(buyer.wallet, '30') })
  const forged = await Promise.all(Array.from({ length: 250 }, () => forgePayment(sale, makeAccount().address, usdt('300'))))
  const logs = forged.map(({ log }, index) => ({ ...log, logIndex: toHex(index + 1) }))
  await sale.chain.mine(sale.confirmations)
  for (const rpc of [liar, other]) rpc.fail(({ method }) => (method === 'eth_getLogs' ? { rewrite: () => [] } : undefined))
  const endpoints = [endpoint(liar), endpoint(other)]
  const watcher = sale.newWatcher({ endpoints })
  await watcher.catchUp()
  await rereadNow(sale.database.orm.em.fork(), blockNumber)
  other.heal()
  const lie = ({ isReal }: { isReal: boolean }) =>
    liar.fail(({ method }) =>
      method === 'eth_getLogs' ? { rewrite: (real: object[]) => (isReal ? [...logs, ...real] : logs) } : undefined,
    )
  return { sale, other, endpoints, watcher, lie }
}

test('a payment that one of two endpoints omits from a block in which it invents many is credited, also if the process ends between', async () => {
  const { sale, other, endpoints, watcher, lie } = await startOmitted()
  lie({ isReal: false })
  const em = sale.database.orm.em.fork()
  other.fail(async ({ method }) => {
    if (method === 'eth_getTransactionReceipt' && callsOf(other, method) === 201)
      await sql(em, 'update leaderships set epoch = 2')
    return undefined
  })

  await expect(watcher.catchUp()).rejects.toThrow(LeadershipLost)
  expect(await readRereads(sale)).toMatchObject([{ tries: 0 }])
  const next = sale.newWatcher({ endpoints, epoch: 2 })
  for (let round = 0; round < 2; round += 1) await next.catchUp()

  expect(await readRereads(sale)).toMatchObject([{ tries: 1 }])
  expect(await sale.nodeNumbers()).toHaveLength(10)
})

test('a payment that two endpoints show is credited before all those that one of them invents in its block are verified', async () => {
  const { sale, watcher, lie } = await startOmitted()
  lie({ isReal: true })

  await watcher.catchUp()

  expect(await sale.nodeNumbers()).toHaveLength(10)
})

test('a reading that fails while many invented payments of a block are verified does not end that', async () => {
  const { sale, watcher, liar, other, lie } = await startInventing({ isListed: true })
  let isDown = false
  const failHead = ({ method, params }: { method: string; params: unknown[] }) => {
    isDown ||= method === 'eth_getTransactionReceipt'
    return isDown && method === 'eth_getBlockByNumber' && params[0] === 'latest' ? ('drop' as const) : undefined
  }
  liar.fail((call) => lie(call) ?? failHead(call))
  other.fail(failHead)

  await expect(watcher.catchUp()).rejects.toThrow('cannot be read')

  expect(await readRereads(sale)).toMatchObject([{ tries: 1 }])
})

test('a process that is stopped while many payments of a block are verified ends after a page, and tells of those that were missing', async () => {
  const { sale, other, watcher, lie } = await startOmitted()
  lie({ isReal: false })
  const stopping = new AbortController()
  other.fail(({ method }) => {
    if (method === 'eth_getTransactionReceipt') stopping.abort()
    return undefined
  })

  await watcher.catchUp(stopping.signal)

  expect(callsOf(other, 'eth_getTransactionReceipt')).toBe(200)
  expect(await readRereads(sale)).toMatchObject([{ tries: 0 }])
  await sql(sale.database.orm.em.fork(), 'update blocks_to_reread set due_at = now()')
  await watcher.catchUp()
  expect(sale.alerts.filter((alert) => alert.startsWith('1 deposits'))).toHaveLength(1)
})

test('a missing payment is credited and told of though all endpoints fail once those that one of them invents are verified', async () => {
  const { sale, buyer, watcher, liar, other, lie } = await startInventing({ isListed: false })
  await sale.pay(buyer.wallet, '30')
  await sale.chain.mine(2 * sale.confirmations)
  const drop = ({ method }: { method: string }) =>
    method === 'eth_getBlockByNumber' && callsOf(other, 'eth_getTransactionReceipt') >= 250 ? ('drop' as const) : undefined
  liar.fail((call) => lie(call) ?? drop(call))
  other.fail((call) => {
    const isFirst = call.method === 'eth_getLogs' && callsOf(other, 'eth_getLogs') === 1
    return isFirst ? { rewrite: () => [] } : drop(call)
  })

  await expect(watcher.catchUp()).rejects.toThrow()

  expect(await sale.nodeNumbers()).toHaveLength(10)
  expect(sale.alerts.filter((alert) => alert.startsWith('1 deposits'))).toHaveLength(1)
})

test('a missing payment is credited though an endpoint contradicts the other about the block of an earlier one', async () => {
  const sale = await startSale()
  const [earlier, buyer] = [await sale.openBuyer(), await sale.openBuyer()]
  const [liar, other] = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  const watcher = sale.newWatcher({ endpoints: [endpoint(other), endpoint(liar)] })
  const { blockNumber } = await sale.chain.client.getTransactionReceipt({ hash: await sale.pay(earlier.wallet, '30') })
  await sale.chain.mine(sale.confirmations)
  await watcher.catchUp()
  liar.fail(({ method, params }) => {
    if (method === 'eth_getLogs') return { rewrite: () => [] }
    const isOther = method === 'eth_getBlockByNumber' && params[0] === toHex(blockNumber)
    return isOther ? { rewrite: (block: object) => ({ ...block, hash: word(1n) }) } : undefined
  })
  other.fail(({ method }) => (method === 'eth_getLogs' ? { rewrite: () => [] } : undefined))
  await sale.pay(buyer.wallet, '30')
  await sale.chain.mine(sale.confirmations)
  await watcher.catchUp()
  await sql(sale.database.orm.em.fork(), 'update chain_progress set verified_number = 0')
  other.heal()

  for (let round = 0; round < 2; round += 1) await watcher.catchUp()

  expect(await readProgress(sale)).toMatchObject([{ verified: 0 }])
  expect(await sale.nodeNumbers()).toHaveLength(20)
})

test('a reorganization found while many invented payments are verified has its blocks read a second time', async () => {
  const { sale, watcher, meanwhile } = await startInventing({ isListed: true })
  await sql(sale.database.orm.em.fork(), 'update chain_progress set verified_number = 0')
  meanwhile(() => sql(sale.database.orm.em.fork(), 'update chain_progress set verified_number = -1'))

  await watcher.catchUp()

  expect(await readProgress(sale)).toMatchObject([{ verified: -1 }])
})

test('a payment in a block that replaces one of a range while its invented payments are verified is found by the second reading', async () => {
  const { sale, buyer, watcher, liar, other } = await startInventing({ isListed: false })
  // For the fee. The payment is in the first block after that.
  await sale.chain.client.setBalance({ address: buyer.wallet.address, value: 10n ** 18n })
  await sale.chain.mine(sale.confirmations + 1)
  const replace = async () => {
    const signed = await sale.chain.signedBytes(await sale.pay(buyer.wallet, '30'))
    await sale.chain.reorganize(sale.confirmations + 1, [[signed, 0]])
  }
  let replaced: Promise<void> | undefined
  other.fail(async ({ method }) => {
    if (method === 'eth_getTransactionReceipt') await (replaced ??= replace())
    return replaced && method === 'eth_getLogs' ? { rewrite: () => [] } : undefined
  })

  await watcher.catchUp()
  for (const rpc of [liar, other]) rpc.heal()
  for (let round = 0; round < 3; round += 1) await watcher.catchUp()

  expect(await sale.nodeNumbers()).toHaveLength(10)
})

test.each([
  ['both of two endpoints show', true],
  ['one of two endpoints shows', false],
])(
  'a missing payment that %s is credited though an endpoint shows other blocks for a moment while invented ones are verified',
  async (_, isShownByBoth) => {
    const { sale, buyer, watcher, liar, other, logs } = await startInventing({ isListed: false })
    // Several, because 200 of all are verified before the blocks change, in any order.
    for (let payment = 0; payment < 4; payment += 1) await sale.pay(buyer.wallet, '30')
    await sale.chain.mine(sale.confirmations)
    liar.fail(({ method }) => {
      if (method !== 'eth_getLogs') return undefined
      return { rewrite: (real: object[]) => (isShownByBoth ? [...logs, ...real] : logs) }
    })
    // As many as one reading takes to roll its blocks back.
    let blocksToChange = 3
    other.fail(({ method }) => {
      if (method === 'eth_getLogs' && callsOf(other, method) !== 2) return { rewrite: () => [] }
      const isVerifying = method === 'eth_getBlockByNumber' && callsOf(other, 'eth_getTransactionReceipt') >= 200
      if (!isVerifying || blocksToChange === 0) return undefined
      blocksToChange -= 1
      return { rewrite: (block: object) => ({ ...block, hash: word(1n) }) }
    })

    await watcher.catchUp()
    for (const rpc of [liar, other]) rpc.heal()
    for (let round = 0; round < 2; round += 1) await watcher.catchUp()

    expect(blocksToChange).toBe(0)
    expect(await sale.nodeNumbers()).toHaveLength(40)
  },
)

test('blocks that are rolled back while invented payments are verified, and cannot be read again, are read a second time later', async () => {
  const { sale, buyer, watcher, liar, other, lie } = await startInventing({ isListed: false })
  await sale.pay(buyer.wallet, '30')
  await sale.chain.mine(sale.confirmations)
  let blocksToChange = 3
  const isVerifying = () => callsOf(other, 'eth_getTransactionReceipt') === 200
  const drop = ({ method, params }: { method: string; params: unknown[] }) =>
    isVerifying() && blocksToChange === 0 && method === 'eth_getBlockByNumber' && params[0] === 'latest'
      ? ('drop' as const)
      : undefined
  liar.fail((call) => lie(call) ?? drop(call))
  other.fail((call) => {
    if (call.method === 'eth_getLogs' && callsOf(other, call.method) === 1) return { rewrite: () => [] }
    if (call.method !== 'eth_getBlockByNumber' || !isVerifying() || blocksToChange === 0) return drop(call)
    blocksToChange -= 1
    return { rewrite: (block: object) => ({ ...block, hash: word(1n) }) }
  })

  await expect(watcher.catchUp()).rejects.toThrow('cannot be read')

  expect(await readProgress(sale)).toEqual([{ blocks: 0, verified: -1 }])
  await watcher.catchUp()
  expect(await sale.nodeNumbers()).toHaveLength(10)
})

test('an old payment that an endpoint invents is not said to wait for its receipt', async () => {
  const sale = await startSale()
  await sale.chain.mine(1)
  const faulty = await startFaultyRpc(sale.chain.url)
  const { log } = await forgePayment(sale, makeAccount().address, usdt('300'))
  faulty.fail(({ method }) => (method === 'eth_getLogs' ? { rewrite: (logs: unknown[]) => [...logs, log] } : undefined))
  await sale.chain.mine(1_100)

  const watcher = sale.newWatcher({ endpoints: [endpoint(faulty), endpoint(sale.chain)] })
  await watcher.catchUp()
  await waitForRereads(sale)
  await watcher.catchUp()

  expect(sale.alerts).toEqual([expect.stringContaining('not in their receipts')])
})

/** Makes an endpoint show other blocks than the chain has, up to this number. */
function rewriteBlocks(rpc: FaultyRpc, { upTo, isLogHidden = false }: { upTo: bigint; isLogHidden?: boolean }): void {
  const rewrite = (block: { number: Hex } | null) =>
    block && BigInt(block.number) <= upTo ? { ...block, hash: `0x${'ab'.repeat(32)}`, parentHash: `0x${'cd'.repeat(32)}` } : block
  rpc.fail(({ method }) => {
    if (method === 'eth_getLogs' && isLogHidden) return { rewrite: () => [] }
    return method === 'eth_getBlockByNumber' ? { rewrite } : undefined
  })
}

const readProgress = async ({ database }: Sale) =>
  sql<{ blocks: number; verified: number }>(
    database.orm.em.fork(),
    'select (select count(*)::int from chain_blocks) as blocks, verified_number::int as verified from chain_progress',
  )

test('one of three endpoints that shows other blocks does not make the watcher read final blocks again', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const [liar, other] = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  const watcher = sale.newWatcher({ endpoints: [endpoint(liar), endpoint(other), endpoint(sale.chain)] })
  for (let round = 0; round < 3; round += 1) {
    await sale.chain.mine(sale.confirmations)
    await watcher.catchUp()
  }
  const [before] = await readProgress(sale)

  await sale.pay(buyer.wallet, '30')
  await sale.chain.mine(sale.confirmations)
  rewriteBlocks(liar, { upTo: (await sale.chain.client.getBlockNumber()) + 1n })
  await expect(watcher.catchUp()).rejects.toThrow('alone has another block')
  expect(await readProgress(sale)).toEqual([before])

  await watcher.catchUp()
  expect(await sale.nodeNumbers()).toHaveLength(10)
})

test('one of three endpoints that hides a payment and shows another block does not keep the others from being heard', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const [liar, other] = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  const watcher = sale.newWatcher({ endpoints: [endpoint(liar), endpoint(other), endpoint(sale.chain)] })
  await sale.pay(buyer.wallet, '30')
  await sale.chain.mine(sale.confirmations)
  rewriteBlocks(liar, { upTo: (await sale.chain.client.getBlockNumber()) - 1n, isLogHidden: true })

  await watcher.catchUp()
  await watcher.catchUp()
  expect(await sale.nodeNumbers()).toHaveLength(10)
})

const otherParent = (block: object | null) => block && { ...block, parentHash: `0x${'cd'.repeat(32)}` }
const lies: Record<string, (read: bigint) => Parameters<FaultyRpc['fail']>[0]> = {
  'shows a log that cannot be stored':
    () =>
    ({ method }) =>
      method === 'eth_getLogs'
        ? { rewrite: (logs: object[]) => logs.map((log) => ({ ...log, logIndex: '0xffffffffff' })) }
        : undefined,
  'shows other parents than the hashes that it shows':
    () =>
    ({ method }) =>
      method === 'eth_getBlockByNumber' ? { rewrite: otherParent } : undefined,
  'shows another parent and has lost the blocks that were read':
    (read) =>
    ({ method, params }) => {
      if (method !== 'eth_getBlockByNumber') return undefined
      const isLost = String(params[0]).startsWith('0x') && BigInt(params[0] as Hex) <= read
      return { rewrite: isLost ? () => null : otherParent }
    },
}

test.each(Object.entries(lies))('one of three endpoints that %s does not stop the reading', async (_, lie) => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const [liar, other] = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  const watcher = sale.newWatcher({ endpoints: [endpoint(liar), endpoint(other), endpoint(sale.chain)] })
  await watcher.catchUp()
  liar.fail(lie(await sale.chain.client.getBlockNumber()))

  await sale.pay(buyer.wallet, '30')
  for (let round = 0; round < 4; round += 1) {
    await sale.chain.mine(1)
    await watcher.catchUp().catch(() => {})
  }

  expect(await sale.nodeNumbers()).toHaveLength(10)
})

/** Adds a log of a transaction that does not exist. */
const showLog =
  (change: (log: { topics: Hex[] }) => object): Parameters<FaultyRpc['fail']>[0] =>
  ({ method }) =>
    method === 'eth_getLogs'
      ? {
          rewrite: (logs: { topics: Hex[] }[]) => [
            ...logs,
            ...logs.map((log) => ({ ...log, transactionHash: word(7n), ...change(log) })),
          ],
        }
      : undefined

const refusals: Record<string, Parameters<FaultyRpc['fail']>[0]> = {
  'refuses the logs of many blocks': ({ method, params }) => {
    if (method !== 'eth_getLogs') return undefined
    const { fromBlock, toBlock } = params[0] as { fromBlock: Hex; toBlock: Hex }
    return fromBlock === toBlock ? undefined : { error: { code: -32005, message: 'too many blocks' } }
  },
  'shows a log whose index cannot be stored': showLog(() => ({ logIndex: '0xffffffffff' })),
  'shows a log whose index is no whole number': showLog(() => ({ logIndex: '1.5' })),
  'shows a log whose index is far below zero': showLog(() => ({ logIndex: '-9999999999' })),
  'shows a log whose time cannot be stored': showLog(() => ({ blockTimestamp: '0xffffffffffff' })),
  'shows a block whose time cannot be stored': (call) =>
    call.method === 'eth_getBlockByNumber'
      ? { rewrite: (block: object | null) => block && { ...block, timestamp: '0xffffffffffff' } }
      : showLog(() => ({ blockTimestamp: undefined }))(call),
  'shows a block whose time is far below zero': (call) =>
    call.method === 'eth_getBlockByNumber'
      ? { rewrite: (block: object | null) => block && { ...block, timestamp: '-99999999999999' } }
      : showLog(() => ({ blockTimestamp: undefined }))(call),
  'shows a log of no sender': showLog(({ topics }) => ({ topics: [topics[0], '0x{', topics[2]] })),
}

test.each(Object.entries(refusals))('one of three endpoints that %s does not hold up the second reading', async (_, refuse) => {
  const sale = await startSale({ maxRange: 16n })
  const [liar, other] = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  await sale.pay((await sale.openBuyer()).wallet, '30')
  await sale.chain.mine(80)
  const watcher = sale.newWatcher({ endpoints: [endpoint(sale.chain), endpoint(liar), endpoint(other)] })
  liar.fail(refuse)

  for (let round = 0; round < 8; round += 1) await watcher.catchUp()

  const final = (await sale.chain.client.getBlockNumber()) - 3n * BigInt(sale.confirmations)
  expect((await readProgress(sale))[0]!.verified).toBeGreaterThanOrEqual(Number(final))
})

/** Does not answer for the logs of more blocks. */
const dropAbove =
  (max: bigint): Parameters<FaultyRpc['fail']>[0] =>
  ({ method, params }) => {
    if (method !== 'eth_getLogs') return undefined
    const { fromBlock, toBlock } = params[0] as { fromBlock: Hex; toBlock: Hex }
    return BigInt(toBlock) - BigInt(fromBlock) >= max ? 'drop' : undefined
  }

test('endpoints that do not answer for many blocks do not hold up the second reading', async () => {
  const sale = await startSale({ maxRange: 16n })
  await sale.chain.mine(40)
  const rpcs = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  const watcher = sale.newWatcher({ endpoints: rpcs.map(endpoint) })
  for (const rpc of rpcs) rpc.fail(dropAbove(4n))

  for (let round = 0; round < 20; round += 1) await watcher.catchUp()

  expect((await readProgress(sale))[0]!.verified).toBeGreaterThanOrEqual(40 - 3 * sale.confirmations)
})

test('one of two endpoints that does not answer for many blocks does not hold up the second reading', async () => {
  const sale = await startSale()
  await sale.chain.mine(600)
  const slow = await startFaultyRpc(sale.chain.url)
  slow.fail(dropAbove(120n))
  const watcher = sale.newWatcher({ endpoints: [endpoint(sale.chain), endpoint(slow)] })

  for (let round = 0; round < 14; round += 1) await watcher.catchUp()

  expect((await readProgress(sale))[0]!.verified).toBeGreaterThanOrEqual(600 - 3 * sale.confirmations)
})

test('a payment of long ago that one of two endpoints omits is found on the other one, which does not answer for many blocks', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const [liar, slow] = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  await sale.chain.mine(150)
  await sale.pay(buyer.wallet, '30')
  await sale.chain.mine(2_300)
  liar.fail(({ method }) => (method === 'eth_getLogs' ? { rewrite: () => [] } : undefined))
  slow.fail(dropAbove(120n))
  const watcher = sale.newWatcher({ endpoints: [endpoint(liar), endpoint(slow)] })

  for (let round = 0; round < 6; round += 1) await watcher.catchUp()

  expect(await sale.nodeNumbers()).toHaveLength(10)
})

test('one of two endpoints that answers for no logs does not stop the second reading of blocks of long ago', async () => {
  const sale = await startSale()
  await sale.chain.mine(2_800)
  const silent = await startFaultyRpc(sale.chain.url)
  silent.fail(dropAbove(0n))
  const watcher = sale.newWatcher({ endpoints: [endpoint(sale.chain), endpoint(silent)] })

  for (let round = 0; round < 14; round += 1) await watcher.catchUp()

  expect((await readProgress(sale))[0]!.verified).toBeGreaterThanOrEqual(700)
})

test('a second reading that two endpoints answer and that is far behind for an hour alerts the operator', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const sale = await startSale()
  await sale.chain.mine(2_200)
  const watcher = sale.newWatcher({ endpoints: [endpoint(await startFaultyRpc(sale.chain.url)), endpoint(sale.chain)] })
  await watcher.catchUp()
  expect(sale.alerts).toEqual([])
  await passHour(sale)
  const { verified } = (await readProgress(sale))[0]!

  for (let round = 0; round < 3; round += 1) await watcher.catchUp()
  expect(sale.alerts).toEqual([
    `The second reading has been far behind for an hour, at block ${verified + 1}, though endpoints answer. Payments that the first reading lacks are found late.`,
  ])
  await passHour(sale)

  await watcher.catchUp()
  expect(sale.alerts).toHaveLength(1)
  expect(await readLateSince(sale)).toBeNull()
})

test('a second reading that is far behind for an hour alerts the operator, however often the leader changes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const sale = await startSale({ maxRange: 64n })
  await sale.chain.mine(2_200)
  const endpoints = [endpoint(await startFaultyRpc(sale.chain.url)), endpoint(sale.chain)]
  await sale.newWatcher({ endpoints }).catchUp()
  const since = await readLateSince(sale)

  // Of another machine, whose clock is wrong.
  vi.setSystemTime(Date.now() + 5 * MINUTE)
  await sale.newWatcher({ endpoints }).catchUp()
  expect(since).not.toBeNull()
  expect(await readLateSince(sale)).toEqual(since)
  expect(sale.alerts).toEqual([])

  await passHour(sale)
  await sale.newWatcher({ endpoints }).catchUp()
  expect(sale.alerts).toEqual([expect.stringContaining('has been far behind for an hour')])
})

/** Lets 61 minutes pass for processes, chain and database. */
async function passHour(sale: Sale): Promise<void> {
  vi.setSystemTime(Date.now() + 61 * MINUTE)
  // The chain of an earlier test may be ahead.
  const { timestamp } = await sale.chain.client.getBlock()
  await sale.chain.mineAt(new Date(Math.max(Date.now(), Number(timestamp + 1n) * SECOND)))
  await sql(sale.database.orm.em.fork(), `update chain_progress set late_since = late_since - interval '61 minutes'`)
}

async function readLateSince(sale: Sale): Promise<string | null> {
  const [row] = await sql<{ since: string | null }>(
    sale.database.orm.em.fork(),
    'select late_since::text as since from chain_progress',
  )
  return row!.since
}

test('a payment that one of two endpoints repeats in each newer block is credited', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const liar = await startFaultyRpc(sale.chain.url)
  const watcher = sale.newWatcher({ endpoints: [endpoint(liar), endpoint(sale.chain)] })
  const hash = await sale.pay(buyer.wallet, '30')
  await watcher.catchUp()
  await repeatInNewer(sale, liar, { hash })

  for (let round = 0; round < 8; round += 1) {
    await sale.chain.mine(1)
    await watcher.catchUp()
  }

  expect(await sale.nodeNumbers()).toHaveLength(10)
})

test('a payment that one of two endpoints repeats in each newer block, and shows no receipt of, waits with an alert', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const liar = await startFaultyRpc(sale.chain.url)
  const watcher = sale.newWatcher({ endpoints: [endpoint(liar), endpoint(sale.chain)] })
  const hash = await sale.pay(buyer.wallet, '30')
  await repeatInNewer(sale, liar, { hash, hidesReceipts: true })

  for (let round = 0; round < 14; round += 1) {
    await sale.chain.mine(90)
    await watcher.catchUp()
  }

  expect(sale.alerts).toContainEqual(expect.stringContaining('too few endpoints show their receipts'))
})

test('dust that one of two endpoints repeats in a newer block stays in its own', async () => {
  const sale = await startSale()
  const liar = await startFaultyRpc(sale.chain.url)
  const watcher = sale.newWatcher({ endpoints: [endpoint(liar), endpoint(sale.chain)] })
  const hash = await sale.pay((await sale.openBuyer()).wallet, '0.000000000000000001')
  await sale.chain.mine(sale.confirmations)
  await watcher.catchUp()
  await watcher.catchUp()
  const before = await sale.deposits()
  expect(before).toMatchObject([{ state: 'ignored' }])
  await repeatInNewer(sale, liar, { hash })

  await sale.chain.mine(1)
  await watcher.catchUp()
  await watcher.catchUp()

  const decisions = await sql(
    sale.server.services.orm.em.fork(),
    'select state, block_number as "blockNumber" from deposit_decisions',
  )
  expect(decisions).toEqual([{ state: 'ignored', blockNumber: before[0]!.blockNumber }])
})

const inventions: Record<string, { hidesAgain?: boolean; hasReceipt?: boolean; isSecond?: boolean }> = {
  'in its logs': {},
  'in the logs of the other one': { isSecond: true },
  'in the first reading only': { hidesAgain: true },
  'in its logs and its receipts': { hasReceipt: true },
}

test.each(Object.entries(inventions))('dust that one of two endpoints invents %s is never ignored', async (_, invention) => {
  const sale = await startSale()
  await sale.chain.mine(1)
  const liar = await startFaultyRpc(sale.chain.url)
  const { log, receipt } = await forgePayment(sale, makeAccount().address, 1n)
  let readings = 0
  liar.fail(({ method, params }) => {
    if (method === 'eth_getTransactionReceipt' && params[0] === log.transactionHash)
      return { rewrite: () => (invention.hasReceipt ? receipt : null) }
    if (method !== 'eth_getLogs' || (invention.hidesAgain && readings++ > 0)) return undefined
    return { rewrite: (logs: unknown[]) => [...logs, log] }
  })
  await sale.chain.mine(sale.confirmations)
  const endpoints = [endpoint(liar), endpoint(sale.chain)]
  const watcher = sale.newWatcher({ endpoints: invention.isSecond ? endpoints.toReversed() : endpoints })

  for (let round = 0; round < 3; round += 1) await watcher.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'seen', blockNumber: invention.hasReceipt ? expect.anything() : null }])
  expect(await sql(sale.database.orm.em.fork(), 'select from deposit_decisions')).toEqual([])
  if (!invention.hasReceipt) expect(sale.alerts).toContainEqual(expect.stringContaining('not in their receipts'))
  expect(callsOf(liar, 'eth_getLogs')).toBe(invention.isSecond ? 1 : 2)
})

test('of the dust that an endpoint invents, one page of receipts is read in each round, and payments are credited meanwhile', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.chain.mine(1)
  const [liar, other] = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  const { address } = makeAccount()
  const forged = await Promise.all(Array.from({ length: 450 }, () => forgePayment(sale, address, 1n)))
  const receiptOf = new Map<unknown, unknown>(forged.map(({ log, receipt }) => [log.transactionHash, receipt]))
  liar.fail(({ method, params }) => {
    const receipt = method === 'eth_getTransactionReceipt' && receiptOf.get(params[0])
    if (receipt) return { rewrite: () => receipt }
    const isOfBlock =
      method === 'eth_getLogs' && BigInt((params[0] as { fromBlock: Hex }).fromBlock) <= BigInt(forged[0]!.log.blockNumber)
    if (!isOfBlock) return undefined
    return { rewrite: (logs: unknown[]) => [...logs, ...forged.map(({ log }, index) => ({ ...log, logIndex: toHex(index) }))] }
  })
  await sale.chain.mine(sale.confirmations)
  const watcher = sale.newWatcher({ endpoints: [endpoint(liar), endpoint(other)] })
  await watcher.catchUp()
  expect(callsOf(other, 'eth_getTransactionReceipt')).toBe(0)
  await watcher.catchUp()
  expect(callsOf(other, 'eth_getTransactionReceipt')).toBe(200)

  await sale.pay(buyer.wallet, '30')
  await sale.chain.mine(sale.confirmations)
  await watcher.catchUp()

  expect(await sale.nodeNumbers()).toHaveLength(10)
  expect(callsOf(other, 'eth_getTransactionReceipt')).toBe(400)
})

test('a payment that one of two endpoints shows as dust does not wait for the receipts of the dust that it invents', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.chain.mine(1)
  const liar = await startFaultyRpc(sale.chain.url)
  const { address } = makeAccount()
  const forged = await Promise.all(Array.from({ length: 450 }, () => forgePayment(sale, address, 1n)))
  const hash = await sale.pay(buyer.wallet, '30')
  const dust = { ...(await forgePayment(sale, address, 1n)).log, transactionHash: hash }
  const logs = [...forged.map(({ log }, index) => ({ ...log, logIndex: toHex(index) })), dust, { ...dust, logIndex: '0x1' }]
  liar.fail(({ method, params }) => {
    if (method !== 'eth_getLogs') return undefined
    const isOfBlock = BigInt((params[0] as { fromBlock: Hex }).fromBlock) <= BigInt(forged[0]!.log.blockNumber)
    return { rewrite: () => (isOfBlock ? logs : []) }
  })
  await sale.chain.mine(sale.confirmations)

  const watcher = sale.newWatcher({ endpoints: [endpoint(liar), endpoint(sale.chain)] })
  for (let round = 0; round < 2; round += 1) await watcher.catchUp()

  expect(await sale.nodeNumbers()).toHaveLength(10)
})

test('a payment that one of two endpoints shows as dust, and whose receipt is missing for a moment, is credited', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.chain.mine(1)
  const [liar, other] = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  const hash = await sale.pay(buyer.wallet, '30')
  const dust = { ...(await forgePayment(sale, makeAccount().address, 1n)).log, transactionHash: hash }
  liar.fail(({ method }) => {
    if (method === 'eth_getLogs') return { rewrite: () => [dust, { ...dust, logIndex: '0x1' }] }
    return method === 'eth_getTransactionReceipt' ? { rewrite: () => null } : undefined
  })
  other.fail(({ method }) => (method === 'eth_getTransactionReceipt' ? { rewrite: () => null } : undefined))
  await sale.chain.mine(sale.confirmations)
  const watcher = sale.newWatcher({ endpoints: [endpoint(liar), endpoint(other)] })
  for (let round = 0; round < 2; round += 1) await watcher.catchUp()

  liar.heal()
  other.heal()
  for (let round = 0; round < 2; round += 1) await watcher.catchUp()

  expect(await sale.nodeNumbers()).toHaveLength(10)
})

const callsOf = (rpc: FaultyRpc, method: string) => rpc.calls.filter((call) => call.method === method).length

test('dust that one of two endpoints omits is ignored once its receipt is read', async () => {
  const sale = await startSale()
  const liar = await startFaultyRpc(sale.chain.url)
  liar.fail(({ method }) => (method === 'eth_getLogs' ? { rewrite: () => [] } : undefined))
  await sale.pay((await sale.openBuyer()).wallet, '0.000000000000000001')
  await sale.chain.mine(sale.confirmations)
  const watcher = sale.newWatcher({ endpoints: [endpoint(liar), endpoint(sale.chain)] })

  for (let round = 0; round < 2; round += 1) await watcher.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'ignored' }])
})

test('a part of a payment whose request was opened after one of two endpoints omitted it, and whose receipt is missing for a moment, is found', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const [liar, other] = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  const omitLogs = ({ method }: { method: string }) => (method === 'eth_getLogs' ? { rewrite: () => [] } : undefined)
  liar.fail(omitLogs)
  await sale.pay(buyer.wallet, '0.2')
  await sale.chain.mine(sale.confirmations)
  const watcher = sale.newWatcher({ endpoints: [endpoint(liar), endpoint(other)] })
  await watcher.catchUp()
  await sale.reserve(buyer, 10)
  const omitReceipts = ({ method }: { method: string }) =>
    method === 'eth_getTransactionReceipt' ? { rewrite: () => null } : undefined
  liar.fail((call) => omitLogs(call) ?? omitReceipts(call))
  other.fail(omitReceipts)
  await watcher.catchUp()
  liar.fail(omitLogs)
  other.heal()

  for (let round = 0; round < 2; round += 1) await watcher.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'review', amount: '0.2' }])
})

test('a part of a payment whose request was opened after one of two endpoints omitted it does not wait for invented dust', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.chain.mine(1)
  const liar = await startFaultyRpc(sale.chain.url)
  const { address } = makeAccount()
  const forged = await Promise.all(Array.from({ length: 250 }, () => forgePayment(sale, address, 1n)))
  const receiptOf = new Map<unknown, unknown>(forged.map(({ log, receipt }) => [log.transactionHash, receipt]))
  const logs = forged.map(({ log }, index) => ({ ...log, logIndex: toHex(index) }))
  liar.fail(({ method, params }) => {
    const receipt = method === 'eth_getTransactionReceipt' && receiptOf.get(params[0])
    if (receipt) return { rewrite: () => receipt }
    return method === 'eth_getLogs' ? { rewrite: () => logs } : undefined
  })
  await sale.pay(buyer.wallet, '0.2')
  await sale.chain.mine(sale.confirmations)
  const watcher = sale.newWatcher({ endpoints: [endpoint(liar), endpoint(sale.chain)] })
  await watcher.catchUp()
  await sale.reserve(buyer, 10)

  for (let round = 0; round < 2; round += 1) await watcher.catchUp()

  expect(await sale.deposits()).toContainEqual(expect.objectContaining({ state: 'review', amount: '0.2' }))
})

test('dust that an endpoint invents delays no smaller payment after the price was lowered', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.chain.mine(1)
  const liar = await startFaultyRpc(sale.chain.url)
  const { address } = makeAccount()
  const forged = await Promise.all(Array.from({ length: 250 }, () => forgePayment(sale, address, usdt('2'))))
  const receiptOf = new Map<unknown, unknown>(forged.map(({ log, receipt }) => [log.transactionHash, receipt]))
  const logs = forged.map(({ log }, index) => ({ ...log, logIndex: toHex(index) }))
  liar.fail(({ method, params }) => {
    const receipt = method === 'eth_getTransactionReceipt' && receiptOf.get(params[0])
    if (receipt) return { rewrite: () => receipt }
    return method === 'eth_getLogs' ? { rewrite: (real: unknown[]) => [...logs, ...real] } : undefined
  })
  await sale.chain.mine(sale.confirmations)
  const watcher = sale.newWatcher({ endpoints: [endpoint(liar), endpoint(sale.chain)] })
  await watcher.catchUp()
  await sale.set('node_price_usdt', '1')
  await sale.pay(buyer.wallet, '0.5')
  await sale.chain.mine(sale.confirmations)

  await watcher.catchUp()

  expect(await sale.deposits()).toContainEqual(expect.objectContaining({ state: 'review', amount: '0.5' }))
})

test('dust that the only endpoint left shows for long waits for the receipt of another one', async () => {
  const sale = await startSale()
  const other = await startFaultyRpc(sale.chain.url)
  await sale.pay((await sale.openBuyer()).wallet, '0.000000000000000001')
  await sale.chain.mine(2_100)
  other.fail(({ method }) => (method === 'eth_getLogs' || method === 'eth_getTransactionReceipt' ? 'drop' : undefined))
  const watcher = sale.newWatcher({ endpoints: [endpoint(sale.chain), endpoint(other)] })
  for (let round = 0; round < 2; round += 1) await watcher.catchUp()
  expect(await sale.deposits()).toMatchObject([{ state: 'seen' }])

  other.heal()
  await watcher.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'ignored' }])
})

/** Makes an endpoint show the transfer of a transaction also in the newest block that it is asked for. */
async function repeatInNewer(
  { chain: { client } }: Sale,
  liar: FaultyRpc,
  { hash, hidesReceipts = false }: { hash: Hex; hidesReceipts?: boolean },
) {
  const { logs } = await client.request({ method: 'eth_getTransactionReceipt', params: [hash] }).then((receipt) => receipt!)
  liar.fail(async ({ method, params }) => {
    if (hidesReceipts && method === 'eth_getTransactionReceipt') return { rewrite: () => null }
    if (method !== 'eth_getLogs') return undefined
    const { toBlock } = params[0] as { toBlock: Hex }
    const { hash: blockHash, timestamp } = await client.getBlock({ blockNumber: BigInt(toBlock) })
    const moved = { ...logs[0]!, blockNumber: toBlock, blockHash, blockTimestamp: toHex(timestamp) }
    return { rewrite: (others: unknown[]) => [...others, moved] }
  })
}

test.each(['first', 'second'])('a hash that the %s of two endpoints also spells in capitals is one payment', async (place) => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const faulty = await startFaultyRpc(sale.chain.url)
  faulty.fail(({ method }) =>
    method === 'eth_getLogs'
      ? { rewrite: (logs: { transactionHash: string }[]) => logs.flatMap((log) => [log, capital(log, 'transactionHash')]) }
      : undefined,
  )
  await sale.pay(buyer.wallet, '30')
  await sale.chain.mine(sale.confirmations)

  const endpoints = [endpoint(faulty), endpoint(sale.chain)]
  const watcher = sale.newWatcher({ endpoints: place === 'first' ? endpoints : endpoints.toReversed() })
  await watcher.catchUp()
  await watcher.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
  expect(await sale.nodeNumbers()).toHaveLength(10)
})

test('a block hash that one of two endpoints spells in capitals orphans no payment', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const faulty = await startFaultyRpc(sale.chain.url)
  const watcher = sale.newWatcher({ endpoints: [endpoint(faulty), endpoint(sale.chain)] })
  await sale.pay(buyer.wallet, '30')
  await sale.chain.mine(sale.confirmations)
  await watcher.catchUp()
  faulty.fail(({ method }) =>
    method === 'eth_getBlockByNumber'
      ? {
          rewrite: (block: { hash: string; parentHash: string } | null) => block && capital(capital(block, 'hash'), 'parentHash'),
        }
      : undefined,
  )
  await sale.chain.mine(1)
  await watcher.catchUp()
  await watcher.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
})

test('a block time that one of two endpoints moves a day ahead ends no hold', async () => {
  const sale = await startSale()
  const [reserved, pending] = [await sale.openBuyer(), await sale.openBuyer()]
  await sale.reserve(reserved, 2)
  await sale.reserve(pending, 3)
  await sale.post(pending, { quantity: 3, usdt: '9' })
  const faulty = await startFaultyRpc(sale.chain.url)
  const ahead = (block: { timestamp: Hex } | null) =>
    block && { ...block, timestamp: `0x${(Number(block.timestamp) + 25 * 3_600).toString(16)}` }
  faulty.fail(({ method }) => (method === 'eth_getBlockByNumber' ? { rewrite: ahead } : undefined))
  await sale.chain.mine(1)

  await sale.newWatcher({ endpoints: [endpoint(faulty), endpoint(sale.chain)] }).catchUp()
  await expirePurchases(sale.server.services)
  await releaseUncovered(sale.server.services)

  expect(await sale.supply()).toMatchObject({ reserved: 5 })
})

/** With a hash in capital letters, which means the same. */
const capital = <Key extends string, Answer extends Partial<Record<Key, string>>>(answer: Answer, key: Key): Answer => ({
  ...answer,
  [key]: answer[key]!.toUpperCase().replace('0X', '0x'),
})

test('an amount that one of two endpoints inflates credits nothing', async () => {
  const sale = await startSale()
  const attacker = await sale.openBuyer()
  await sale.reserve(attacker, 100)
  const faulty = await startFaultyRpc(sale.chain.url)
  const enlarge = <Log extends { data: Hex }>(log: Log): Log => ({ ...log, data: word(usdt('300')) })
  faulty.fail(({ method }) => {
    if (method === 'eth_getLogs') return { rewrite: (logs: { data: Hex }[]) => logs.map(enlarge) }
    if (method === 'eth_getTransactionReceipt')
      return { rewrite: (receipt: { logs: { data: Hex }[] }) => ({ ...receipt, logs: receipt.logs.map(enlarge) }) }
    return undefined
  })
  await sale.pay(attacker.wallet, '3')
  await sale.chain.mine(sale.confirmations)

  await sale.newWatcher({ endpoints: [endpoint(faulty), endpoint(sale.chain)] }).catchUp()

  expect(await sale.nodeNumbers()).toEqual([])
})

test('a block time forged by one of two endpoints does not make a late payment on time', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const reservation = await sale.reserve(buyer, 2)
  await sale.chain.mineAt(new Date(reservation.expiresAt.getTime() + 60_000))
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(sale.confirmations)
  const early: Hex = `0x${Math.floor(reservation.expiresAt.getTime() / 1_000 - 60).toString(16)}`
  const faulty = await startFaultyRpc(sale.chain.url)
  faulty.fail(({ method }) => {
    if (method === 'eth_getBlockByNumber') return { rewrite: (block: object | null) => block && { ...block, timestamp: early } }
    if (method === 'eth_getLogs') return { rewrite: (logs: object[]) => logs.map((log) => ({ ...log, blockTimestamp: early })) }
    return undefined
  })

  await sale.newWatcher({ endpoints: [endpoint(faulty), endpoint(sale.chain)] }).catchUp()

  expect(await sale.nodeNumbers()).toEqual([])
})

test('while only one of two endpoints answers, a payment waits and the operator is alerted; with the second it is credited', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 2)
  const away = await startFaultyRpc(sale.chain.url)
  away.fail(() => 'drop')
  const watcher = sale.newWatcher({ endpoints: [endpoint(sale.chain), endpoint(away)] })
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(sale.confirmations)

  await watcher.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'seen' }])
  expect(sale.alerts).toEqual([expect.stringContaining('two must agree')])

  away.heal()
  await watcher.catchUp()
  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
})

test('while one of two endpoints answers with an old head, payments wait and the operator is alerted', async () => {
  const sale = await startSale()
  const frozen: { at: bigint | undefined } = { at: undefined }
  const stale = new RpcEndpoint(await startStoppable(sale.chain.url, frozen), { chainId: 56 })
  const watcher = sale.newWatcher({ endpoints: [endpoint(sale.chain), stale] })
  await sale.chain.mine(sale.confirmations)
  await watcher.catchUp()
  frozen.at = await sale.chain.client.getBlockNumber()
  const buyer = await sale.openBuyer()
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(100)
  await watcher.catchUp()
  expect(sale.alerts).toEqual([])

  await sale.chain.mine(1_000)
  await watcher.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'seen' }])
  expect(sale.alerts).toEqual([expect.stringContaining('Payments after it wait')])
})

test('while one of two endpoints omits the receipt of a payment, it waits and the operator is alerted', async () => {
  const sale = await startSale()
  const faulty = await startFaultyRpc(sale.chain.url)
  faulty.fail(({ method }) => (method === 'eth_getTransactionReceipt' ? { rewrite: () => null } : undefined))
  const watcher = sale.newWatcher({ endpoints: [endpoint(sale.chain), endpoint(faulty)] })
  const buyer = await sale.openBuyer()
  const hash = await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(100)
  await watcher.catchUp()
  expect(sale.alerts).toEqual([])

  await sale.chain.mine(1_000)
  await watcher.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'seen' }])
  expect(sale.alerts).toEqual([expect.stringContaining(hash)])
})

test('two endpoints of one host count once: a payment needs an endpoint of another host', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const away = await startFaultyRpc(sale.chain.url)
  away.fail(() => 'drop')
  const [once, again] = [endpoint(sale.chain), endpoint({ url: `${sale.chain.url}/again` })]
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(sale.confirmations)

  await sale.newWatcher({ endpoints: [once, again, endpoint(away)] }).catchUp()
  expect(await sale.deposits()).toMatchObject([{ state: 'seen' }])

  away.heal()
  await sale.newWatcher({ endpoints: [once, again, endpoint(away)] }).catchUp()
  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
})

test('a head and a final block forged by one of two endpoints confirm nothing early', async () => {
  const sale = await startSale({ confirmations: 5 })
  const buyer = await sale.openBuyer()
  const faulty = await startFaultyRpc(sale.chain.url)
  faulty.fail(({ method, params }) =>
    method === 'eth_getBlockByNumber' && (params[0] === 'finalized' || params[0] === 'latest')
      ? { rewrite: (block: object) => ({ ...block, number: '0xffff' }) }
      : undefined,
  )
  const honest = sale.newWatcher({ endpoints: [endpoint(sale.chain)] })
  await sale.pay(buyer.wallet, '6')
  await honest.catchUp()

  await sale
    .newWatcher({ endpoints: [endpoint(faulty), endpoint(sale.chain)] })
    .catchUp()
    .catch(() => {})

  expect(await sale.deposits()).toMatchObject([{ state: 'seen' }])
})

test.each(['first', 'last'] as const)(
  'of 3 and 3,000 USDT in one transaction, neither is credited twice if the %s log is omitted at first',
  async (which) => {
    const sale = await startSale()
    const buyer = await sale.openBuyer()
    const batch = await deployBatchSender(sale.chain, { owner: buyer.wallet, recipient: sale.depositAddress, usdt: usdt('3003') })
    await registerContract(sale, buyer.user.id, batch.address)
    const faulty = await startFaultyRpc(sale.chain.url)
    const leaveOut = ({ method }: { method: string }) =>
      method === 'eth_getLogs'
        ? { rewrite: (logs: unknown[]) => (which === 'first' ? logs.slice(1) : logs.slice(0, -1)) }
        : undefined
    faulty.fail(leaveOut)
    await batch.send([usdt('3'), usdt('3000')])
    await sale.chain.mine(sale.confirmations)
    // A single endpoint, so that the first reading sees only its answer.
    await sale.newWatcher({ endpoints: [endpoint(faulty)] }).catchUp()
    faulty.heal()

    const watcher = sale.newWatcher({ endpoints: [endpoint(faulty), endpoint(sale.chain)] })
    await watcher.catchUp()
    faulty.fail(leaveOut)
    await sql(sale.server.services.orm.em.fork(), 'update chain_progress set verified_number = 0')
    await watcher.catchUp()
    await watcher.catchUp()

    const deposits = await sale.deposits()
    expect(deposits.map(({ amount }) => amount).toSorted()).toEqual(['3', '3000'])
    expect(await sale.nodeNumbers()).toHaveLength(1_001)
    expect(await ordinals(sale)).toEqual([
      { ordinal: 0, amount: String(usdt('3')) },
      { ordinal: 1, amount: String(usdt('3000')) },
    ])
  },
)

test('a payment whose first reading named the sender of another one pays for the request of its own wallet', async () => {
  const sale = await startSale({ mining: 'manual' })
  const [buyer, other] = [await sale.openBuyer(), await sale.openBuyer()]
  await sale.reserve(buyer, 100)
  await sale.reserve(other, 100)
  const faulty = await startFaultyRpc(sale.chain.url)
  faulty.fail(({ method }) =>
    method === 'eth_getLogs' ? { rewrite: (logs: { topics: Hex[] }[]) => logs.map(sentBy(buyer.wallet.address)) } : undefined,
  )
  await sale.pay(buyer.wallet, '0.000000000000000001')
  await sale.pay(other.wallet, '300')
  await sale.chain.mine(sale.confirmations + 1)

  const watcher = sale.newWatcher({ endpoints: [endpoint(faulty), endpoint(sale.chain)] })
  await watcher.catchUp()
  await watcher.catchUp()

  expect(await sale.purchases(other)).toMatchObject([{ paymentStatus: 'confirmed', requestedQuantity: 100 }])
  expect(await sale.purchases(buyer)).toMatchObject([{ paymentStatus: 'manual_review', purchaseResult: 'amount_mismatch' }])
})

/** Changes the sender of a transfer in its log. */
const sentBy =
  (sender: Hex) =>
  <Log extends { topics: Hex[] }>(log: Log): Log => ({ ...log, topics: [log.topics[0]!, word(BigInt(sender)), log.topics[2]!] })

test('dust ignored while an endpoint hid the payment before it in the same transaction does not replace the payment', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const batch = await deployBatchSender(sale.chain, { owner: buyer.wallet, recipient: sale.depositAddress, usdt: usdt('100') })
  const faulty = await startFaultyRpc(sale.chain.url)
  faulty.fail(({ method }) => (method === 'eth_getLogs' ? { rewrite: (logs: unknown[]) => logs.slice(1) } : undefined))
  await batch.send([usdt('30'), 1n])
  await sale.chain.mine(sale.confirmations)
  await sale.newWatcher({ endpoints: [endpoint(faulty)] }).catchUp()

  const watcher = sale.newWatcher({ endpoints: [endpoint(sale.chain), endpoint(await startFaultyRpc(sale.chain.url))] })
  await sql(sale.server.services.orm.em.fork(), 'update chain_progress set verified_number = 0')
  await watcher.catchUp()
  await watcher.catchUp()

  expect((await sale.deposits()).map(({ state, amount }) => ({ state, amount }))).toEqual(
    expect.arrayContaining([
      { state: 'review', amount: '30' },
      { state: 'ignored', amount: '0.000000000000000001' },
    ]),
  )
})

/** A log and a receipt of an invented transfer in the newest block. */
async function forgePayment(sale: Sale, sender: Hex, amount: bigint) {
  const block = await sale.chain.client.getBlock()
  const log = {
    address: USDT_ADDRESS,
    topics: [TRANSFER_TOPIC, word(BigInt(sender)), word(BigInt(sale.depositAddress))],
    data: word(amount),
    blockNumber: `0x${block.number.toString(16)}`,
    blockHash: block.hash,
    blockTimestamp: `0x${block.timestamp.toString(16)}`,
    transactionHash: `0x${randomBytes(32).toString('hex')}`,
    logIndex: '0x0',
    removed: false,
  }
  const receipt = {
    transactionHash: log.transactionHash,
    blockNumber: log.blockNumber,
    blockHash: log.blockHash,
    status: '0x1',
    logs: [log],
  }
  return { log, receipt }
}

const word = (number: bigint): Hex => `0x${number.toString(16).padStart(64, '0')}`

/** Makes a contract the proven wallet of an account, like a smart wallet. */
async function registerContract(sale: Sale, userId: string, address: Hex): Promise<void> {
  await sql(sale.server.services.orm.em.fork(), 'update wallet_registrations set address = $2 where user_id = $1', [
    userId,
    address.toLowerCase(),
  ])
}

async function ordinals(sale: Sale) {
  return sql<{ ordinal: number; amount: string }>(
    sale.server.services.orm.em.fork(),
    'select ordinal, amount from deposits order by ordinal',
  )
}
