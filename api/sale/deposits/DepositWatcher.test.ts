import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import { HOUR } from '#shared/dates.ts'
import { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { LeadershipLost } from '#api/platform/db/lead.ts'
import { sql } from '#api/platform/db/sql.ts'
import { deployBatchSender } from '#api/testing/batchSender.ts'
import { type FaultyRpc, startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { type Sale, startSale } from '#api/testing/sale.ts'
import { makeAccount, USDT_ADDRESS } from '#api/testing/chains.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { rereadNow } from './rereads.ts'

const endpoint = (url: string) => new RpcEndpoint(url, { chainId: 56, token: { address: USDT_ADDRESS, decimals: 18 } })

interface Range {
  fromBlock: `0x${string}`
  toBlock: `0x${string}`
}

const rangeOf = (params: unknown[]) => {
  const { fromBlock, toBlock } = params[0] as Range
  return { from: BigInt(fromBlock), to: BigInt(toBlock) }
}

async function frozenNodes(sale: Sale): Promise<number> {
  const rows = await sql(sale.server.services.orm.em.fork(), 'select from nodes where frozen_at is not null')
  return rows.length
}

/** Expects that every block up to the cursor was read: each stored block follows the previous one, and final ones are verified. */
async function expectNoGap(sale: Sale) {
  const em = sale.server.services.orm.em.fork()
  const [cursor] = await sql<{ number: string }>(em, 'select max(number) as number from chain_blocks')
  const head = await sale.chain.client.getBlockNumber()
  expect(BigInt(cursor!.number)).toBe(head)
  const onChain = await sale.chain.client.getLogs({ address: USDT_ADDRESS, fromBlock: 0n })
  const toUs = onChain.filter((log) => log.topics[2]?.endsWith(sale.depositAddress.slice(2)))
  const stored = await sql<{ transaction_hash: string }>(
    em,
    'select transaction_hash from deposits where block_number is not null',
  )
  expect(stored.map((row) => row.transaction_hash).toSorted()).toEqual(toUs.map((log) => log.transactionHash).toSorted())
}

test('a reorganization of 3 blocks before a deposit is final rolls it back, and it counts once when mined again', async () => {
  const sale = await startSale({ mining: 'manual', confirmations: 6 })
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 2)
  const hash = await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(3)
  await sale.watch()
  const bytes = await sale.chain.signedBytes(hash)
  expect(await sale.deposits()).toMatchObject([{ state: 'seen', blockNumber: expect.any(Number) }])

  await sale.chain.reorganize(3)
  await sale.chain.mine()
  await sale.watch()
  expect(await sale.deposits()).toMatchObject([{ state: 'seen', blockNumber: null }])

  await sale.chain.client.sendRawTransaction({ serializedTransaction: bytes })
  await sale.chain.mine(6)
  await sale.watch()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
  expect(await sale.nodeNumbers()).toEqual([1, 2])
  await expectNoGap(sale)
})

test('a reorganization of 3 blocks after a deposit was final freezes its nodes until it is mined again', async () => {
  const sale = await startSale({ mining: 'manual', confirmations: 2 })
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 2)
  const hash = await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(3)
  await sale.watch()
  const bytes = await sale.chain.signedBytes(hash)
  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
  await sale.chain.reorganize(3)
  await sale.chain.mine()
  await sale.watch()
  expect(await sale.deposits()).toMatchObject([{ state: 'orphaned', blockNumber: null }])
  expect(await frozenNodes(sale)).toBe(2)
  expect(sale.alerts).toEqual([expect.stringContaining(hash)])

  await sale.chain.client.sendRawTransaction({ serializedTransaction: bytes })
  await sale.chain.mine(3)
  await sale.watch()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
  expect(await frozenNodes(sale)).toBe(0)
  expect(await sale.supply()).toMatchObject({ paid: 2, reserved: 0 })
  await expectNoGap(sale)
})

test('a reorganization of one block does not affect the final deposits of a long range read at once', async () => {
  const sale = await startSale({ mining: 'manual', confirmations: 2 })
  const buyer = await sale.openBuyer()
  for (let i = 0; i < 5; i += 1) {
    await sale.pay(buyer.wallet, '3')
    await sale.chain.mine()
  }
  const young = await sale.openBuyer()
  await sale.chain.mine(40)
  const hash = await sale.pay(young.wallet, '3')
  await sale.chain.mine()
  const bytes = await sale.chain.signedBytes(hash)
  await sale.watch()
  expect((await sale.deposits()).map(({ state }) => state)).toEqual([...Array<string>(5).fill('matched'), 'seen'])

  await sale.chain.reorganize(1)
  await sale.watch()
  expect(await sale.deposits()).not.toContainEqual(expect.objectContaining({ state: 'orphaned' }))
  expect(await frozenNodes(sale)).toBe(0)
  expect(sale.alerts).toEqual([])

  await sale.chain.client.sendRawTransaction({ serializedTransaction: bytes })
  await sale.chain.mine(3)
  await sale.watch()
  expect((await sale.deposits()).map(({ state }) => state)).toEqual(Array(6).fill('matched'))
  await expectNoGap(sale)
})

test('a final deposit is orphaned when two endpoints show another block in its place, but not by one endpoint alone', async () => {
  const sale = await startSale({ mining: 'manual', confirmations: 2 })
  const buyer = await sale.openBuyer()
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(3)
  const [faulty, other] = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  const watcher = sale.newWatcher({ endpoints: [endpoint(faulty.url), endpoint(other.url)] })
  await watcher.catchUp()
  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])

  // The faulty endpoint returns other hashes and parents for all blocks.
  const invert = (hash: string) => `0x${hash.slice(2).split('').toReversed().join('')}`
  faulty.fail(({ method }) =>
    method === 'eth_getBlockByNumber'
      ? {
          rewrite: (block: { hash: string; parentHash: string } | null) =>
            block && { ...block, hash: invert(block.hash), parentHash: invert(block.parentHash) },
        }
      : undefined,
  )
  await sale.chain.mine(1)
  await watcher.catchUp()
  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
  expect(await frozenNodes(sale)).toBe(0)

  faulty.heal()
  await watcher.catchUp()
  await sale.chain.reorganize(4)
  await sale.chain.mine(1)
  await watcher.catchUp()
  expect(await sale.deposits()).toMatchObject([{ state: 'orphaned' }])
  expect(await frozenNodes(sale)).toBe(2)
})

test('ranges shrink for a provider that refuses more than 100 blocks at once', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.chain.mine(450)
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(400)
  const rpc = await startFaultyRpc(sale.chain.url)
  rpc.fail(({ method, params }) => {
    if (method !== 'eth_getLogs') return undefined
    const { from, to } = rangeOf(params)
    return to - from >= 100n ? { error: { code: -32005, message: 'query exceeds max block range 100' } } : undefined
  })

  await sale.newWatcher({ endpoints: [endpoint(rpc.url)] }).catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched', amount: '6' }])
  await expectNoGap(sale)
})

test('the second endpoint replaces one that is down, which is used again when it is back', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const rpc = await startFaultyRpc(sale.chain.url)
  const other = await startFaultyRpc(sale.chain.url)
  const watcher = sale.newWatcher({ endpoints: [endpoint(rpc.url), endpoint(sale.chain.url), endpoint(other.url)] })
  rpc.fail(() => 'drop')
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(sale.confirmations)
  await watcher.catchUp()
  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])

  rpc.heal()
  await sale.pay(buyer.wallet, '9')
  await sale.chain.mine(sale.confirmations)
  await watcher.catchUp()

  expect(await sale.nodeNumbers()).toEqual([1, 2, 3, 4, 5])
})

test('an endpoint of another chain, or whose token has other decimals, is never trusted', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const [otherChain, otherToken] = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  otherChain.fail(({ method }) => (method === 'eth_chainId' ? { rewrite: () => '0x1' } : undefined))
  otherToken.fail(({ method }) =>
    method === 'eth_call' ? { rewrite: () => `0x${(6).toString(16).padStart(64, '0')}` } : undefined,
  )
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(sale.confirmations)

  const watcher = sale.newWatcher({ endpoints: [endpoint(otherChain.url), endpoint(otherToken.url)] })

  await expect(watcher.catchUp()).rejects.toThrow()
  expect(await sale.deposits()).toEqual([])
  expect([...otherChain.calls, ...otherToken.calls].map((call) => call.method)).not.toContain('eth_getLogs')
})

test('a log returned twice, in one answer or in two, is one deposit', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const rpc = await startFaultyRpc(sale.chain.url)
  rpc.fail(({ method }) => (method === 'eth_getLogs' ? { rewrite: (logs: unknown[]) => [...logs, ...logs] } : undefined))
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(sale.confirmations)

  await sale.newWatcher({ endpoints: [endpoint(rpc.url)] }).catchUp()
  await sale.watch()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched', amount: '6' }])
  expect(await sale.nodeNumbers()).toEqual([1, 2])
})

test('a log that an endpoint omits is found on another endpoint when its blocks are final', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const rpc = await startFaultyRpc(sale.chain.url)
  rpc.fail(({ method }) => (method === 'eth_getLogs' ? { rewrite: () => [] } : undefined))
  const watcher = sale.newWatcher({ endpoints: [endpoint(rpc.url), endpoint(sale.chain.url)] })
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(sale.confirmations)

  await watcher.catchUp()
  await watcher.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
  expect(sale.alerts).toEqual([expect.stringContaining('missing')])
})

test('a log that the current endpoint omits is found even if the other is down when its blocks become final', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const [first, second] = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  first.fail(({ method }) => (method === 'eth_getLogs' ? { rewrite: () => [] } : undefined))
  const watcher = sale.newWatcher({ endpoints: [endpoint(first.url), endpoint(second.url)] })
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(sale.confirmations)
  second.fail(() => 'drop')
  await watcher.catchUp()

  second.heal()
  await watcher.catchUp()
  await watcher.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
})

test('an omitted log is found even if the endpoint that omitted it is no longer the current one', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const [first, second] = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  const leaveOut: Parameters<FaultyRpc['fail']>[0] = ({ method }) =>
    method === 'eth_getLogs' ? { rewrite: () => [] } : undefined
  first.fail(leaveOut)
  const watcher = sale.newWatcher({ endpoints: [endpoint(first.url), endpoint(second.url)] })
  await sale.pay(buyer.wallet, '6')
  await watcher.catchUp()

  // A short outage makes the watcher switch to the other endpoint.
  first.fail(() => 'drop')
  await sale.chain.mine(1)
  await watcher.catchUp().catch(() => {})
  first.fail(leaveOut)
  await sale.chain.mine(sale.confirmations)
  await watcher.catchUp()
  await watcher.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
})

test('the second reading begins with the corrected start block after the first start named a later one', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const rpc = await startFaultyRpc(sale.chain.url)
  rpc.fail(({ method }) => (method === 'eth_getLogs' ? { rewrite: () => [] } : undefined))
  await sql(sale.server.services.orm.em.fork(), 'update chain_progress set verified_number = 689999999')
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(sale.confirmations)

  const watcher = sale.newWatcher({ endpoints: [endpoint(rpc.url), endpoint(sale.chain.url)] })
  await watcher.catchUp()
  await watcher.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
})

test('blocks that were read while the second reading waited for later ones are read again by the next leader', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const rpc = await startFaultyRpc(sale.chain.url)
  rpc.fail(({ method }) => (method === 'eth_getLogs' ? { rewrite: () => [] } : undefined))
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(sale.confirmations)
  await sale.newWatcher({ endpoints: [endpoint(rpc.url)] }).catchUp()
  await sql(sale.server.services.orm.em.fork(), 'update chain_progress set verified_number = 689999999')

  const next = sale.newWatcher()
  await next.catchUp()
  await next.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
})

test('thousands of blocks at once alert nobody, unless only one of two endpoints shows them a second time', async () => {
  const sale = await startSale()
  const rpc = await startFaultyRpc(sale.chain.url)
  const watcher = sale.newWatcher({ endpoints: [endpoint(sale.chain.url), endpoint(rpc.url)] })
  await sale.chain.mine(2_200)
  await watcher.catchUp()
  expect(sale.alerts).toEqual([])

  rpc.fail(({ method }) => (method === 'eth_getLogs' ? { error: { code: -32005, message: 'limit exceeded' } } : undefined))
  await watcher.catchUp()

  expect(sale.alerts).toEqual([expect.stringContaining('could not be read from two endpoints')])
})

test('an omitted log is found long after its block was final although the other endpoint refuses large ranges', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(2_200)
  const [first, second] = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  first.fail(({ method }) => (method === 'eth_getLogs' ? { rewrite: () => [] } : undefined))
  second.fail(({ method, params }) => {
    if (method !== 'eth_getLogs') return undefined
    const { from, to } = rangeOf(params)
    return to - from >= 40n ? { error: { code: -32005, message: 'query exceeds max block range 40' } } : undefined
  })
  const watcher = sale.newWatcher({ endpoints: [endpoint(first.url), endpoint(second.url)] })

  for (let round = 0; round < 4; round += 1) await watcher.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
})

test('a block that is to be read again is, also if that is asked for while it is just read', async () => {
  const sale = await startSale()
  const rpc = await startFaultyRpc(sale.chain.url)
  const watcher = sale.newWatcher({ endpoints: [endpoint(rpc.url)] })
  const { em } = sale.server.services.orm
  await sale.chain.mine(sale.confirmations + 1)
  await watcher.catchUp()
  await rereadNow(em.fork(), 1n)
  rpc.calls.length = 0
  rpc.fail(async ({ method }) => {
    if (method === 'eth_getLogs' && readings().length === 1) await rereadNow(em.fork(), 1n)
    return undefined
  })
  const readings = () => rpc.calls.filter(({ method }) => method === 'eth_getLogs').map(({ params }) => rangeOf(params))

  for (let round = 0; round < 3; round += 1) await watcher.catchUp()

  expect(readings()).toEqual([
    { from: 1n, to: 1n },
    { from: 1n, to: 1n },
  ])
})

test('a start block that is corrected to a later one keeps earlier payments out of the second reading', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(sale.confirmations)
  const start = await sale.chain.client.getBlockNumber()
  await sale.chain.mine(sale.confirmations)

  const watcher = sale.newWatcher({ config: { DEPOSIT_START_BLOCK: start } })
  await watcher.catchUp()
  await watcher.catchUp()

  expect(await sale.deposits()).toEqual([])
})

test('a deposit whose receipt is missing waits and is credited once the receipt is there', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const rpc = await startFaultyRpc(sale.chain.url)
  const watcher = sale.newWatcher({ endpoints: [endpoint(rpc.url)] })
  rpc.fail(({ method }) => (method === 'eth_getTransactionReceipt' ? { rewrite: () => null } : undefined))
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(sale.confirmations)
  await watcher.catchUp()
  expect(await sale.deposits()).toMatchObject([{ state: 'seen' }])

  // Once more after the second reading has passed its block.
  await watcher.catchUp()

  rpc.heal()
  await watcher.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
})

test('transfers to other recipients, from a provider that ignores the filter, are not credited', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.chain.transferUsdt({ from: buyer.wallet, to: makeAccount().address, amount: 6n * 10n ** 18n })
  await sale.chain.mine(sale.confirmations)
  const rpc = await startFaultyRpc(sale.chain.url)
  rpc.fail(({ method, params }) => {
    if (method !== 'eth_getLogs') return undefined
    const filter = params[0] as { topics: unknown[] }
    filter.topics = [filter.topics[0]]
    return { send: { params } }
  })

  await sale.newWatcher({ endpoints: [endpoint(rpc.url)] }).catchUp()

  expect(rpc.calls.some(({ method }) => method === 'eth_getLogs')).toBe(true)
  expect(await sale.deposits()).toEqual([])
})

test('blocks are not read receipt by receipt from an endpoint that refuses logs while another one shows them', async () => {
  const sale = await startSale()
  const buyers = [await sale.openBuyer(), await sale.openBuyer()]
  const rpc = await startFaultyRpc(sale.chain.url)
  rpc.fail(({ method }) => (method === 'eth_getLogs' ? { error: { code: -32005, message: 'limit exceeded' } } : undefined))
  const watcher = sale.newWatcher({ endpoints: [endpoint(rpc.url), endpoint(sale.chain.url)] })
  const payments = [await sale.pay(buyers[0]!.wallet, '6'), await sale.pay(buyers[1]!.wallet, '9')]
  await sale.chain.mine(sale.confirmations)

  await watcher.catchUp()

  expect(await sale.nodeNumbers()).toHaveLength(5)
  const receipts = rpc.calls.filter(({ method }) => method === 'eth_getTransactionReceipt')
  expect(receipts.filter(({ params }) => !payments.includes(params[0] as `0x${string}`))).toEqual([])
})

test('payments are credited while new blocks come faster than they are read', async () => {
  const sale = await startSale({ maxRange: 1n })
  const buyer = await sale.openBuyer()
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(20)
  const rpc = await startFaultyRpc(sale.chain.url)
  rpc.fail(async ({ method, params }) => {
    if (method === 'eth_getBlockByNumber' && params[0] === 'latest') await sale.chain.mine(1)
    return undefined
  })
  const end = AbortSignal.timeout(100_000)

  await sale.newWatcher({ endpoints: [endpoint(rpc.url)] }).catchUp(end)

  expect(end.aborted).toBe(false)
  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
})

test('a buyer is not asked for the rest of a payment while many blocks are not read, which may contain it', async () => {
  const sale = await startSale({ maxRange: 1n })
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 2)
  await sale.pay(buyer.wallet, '2')
  await sale.chain.mine(400)
  await sale.pay(buyer.wallet, '4')

  await sale.watch()

  expect(await sale.deposits()).toMatchObject([{ state: 'review', reason: 'underpaid' }])
  const mails = await mailsTo(sale.database, buyer.user.email)
  const texts = mails.map(({ text }) => text).join()
  expect(texts).toContain('Our team will review it')
  expect(texts).not.toContain('Send exactly the missing')
})

test('while old blocks are read one after another, the operator is not told that no block is read', async () => {
  const sale = await startSale({ maxRange: 1n })
  await sale.chain.mine(300)
  const later = Date.now() + HOUR
  const clock = vi.spyOn(Date, 'now').mockReturnValue(later)
  onTestFinished(() => clock.mockRestore())

  await sale.watch()
  expect(sale.alerts).toEqual([expect.stringContaining('Payments after it are found later')])

  clock.mockReturnValue(later + 2 * HOUR)
  await sale.watch()
  expect(sale.alerts.slice(1)).toEqual([expect.stringContaining('No block was read since')])
})

test('an endpoint that refuses the first request is tried again', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const rpc = await startFaultyRpc(sale.chain.url)
  const watcher = sale.newWatcher({ endpoints: [endpoint(rpc.url)] })
  rpc.fail(() => ({ error: { code: -32005, message: 'too many requests' } }))
  await expect(watcher.catchUp()).rejects.toThrow()

  rpc.heal()
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(sale.confirmations)
  await watcher.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
})

test('the watcher switches from an endpoint with a stale head to one with a newer head', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const rpc = await startFaultyRpc(sale.chain.url)
  const other = await startFaultyRpc(sale.chain.url)
  const watcher = sale.newWatcher({ endpoints: [endpoint(rpc.url), endpoint(sale.chain.url), endpoint(other.url)] })
  await watcher.catchUp()
  const standing = await sale.chain.client.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })
  rpc.fail(({ method, params }) =>
    method === 'eth_getBlockByNumber' && params[0] === 'latest' ? { rewrite: () => standing } : undefined,
  )
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(sale.confirmations)

  await watcher.catchUp()
  await watcher.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
})

test('a receipt that one endpoint refuses is read from another', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const [rpc, other] = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  rpc.fail(({ method }) =>
    method === 'eth_getTransactionReceipt' ? { error: { code: -32601, message: 'not here' } } : undefined,
  )
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(sale.confirmations)

  await sale.newWatcher({ endpoints: [endpoint(rpc.url), endpoint(sale.chain.url), endpoint(other.url)] }).catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
})

test('a receipt with a transfer of another token is not credited', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const rpc = await startFaultyRpc(sale.chain.url)
  rpc.fail(({ method }) =>
    method === 'eth_getTransactionReceipt'
      ? {
          rewrite: (receipt: { logs: object[] }) => ({
            ...receipt,
            logs: receipt.logs.map((log) => ({ ...log, address: buyer.wallet.address })),
          }),
        }
      : undefined,
  )
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(sale.confirmations)

  await sale.newWatcher({ endpoints: [endpoint(rpc.url)] }).catchUp()

  expect(await sale.nodeNumbers()).toEqual([])
  expect(sale.alerts).toEqual([expect.stringContaining('not in their receipts')])
})

test('a deposit deep enough but above the finalized block is not credited yet', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const rpc = await startFaultyRpc(sale.chain.url)
  const watcher = sale.newWatcher({ endpoints: [endpoint(rpc.url)] })
  const earlier = await sale.chain.client.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })
  rpc.fail(({ method, params }) =>
    method === 'eth_getBlockByNumber' && params[0] === 'finalized' ? { rewrite: () => earlier } : undefined,
  )
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(10)
  await watcher.catchUp()
  expect(await sale.deposits()).toMatchObject([{ state: 'seen' }])

  rpc.heal()
  await watcher.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
})

test('without the finalized tag, three times the confirmations are required', async () => {
  const sale = await startSale({ confirmations: 3 })
  const buyer = await sale.openBuyer()
  const rpc = await startFaultyRpc(sale.chain.url)
  const watcher = sale.newWatcher({ endpoints: [endpoint(rpc.url)] })
  rpc.fail(({ method, params }) =>
    method === 'eth_getBlockByNumber' && params[0] === 'finalized'
      ? { error: { code: -32602, message: 'invalid tag' } }
      : undefined,
  )
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(7)
  await watcher.catchUp()
  expect(await sale.deposits()).toMatchObject([{ state: 'seen' }])

  await sale.chain.mine(1)
  await watcher.catchUp()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
})

test('a header missing from an endpoint that should have it rolls nothing back', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.pay(buyer.wallet, '6')
  await sale.confirm()
  const rpc = await startFaultyRpc(sale.chain.url)
  rpc.fail(({ method, params }) => {
    if (method !== 'eth_getBlockByNumber' || params[0] === 'latest' || params[0] === 'finalized') return undefined
    return { rewrite: () => null }
  })
  await sale.chain.reorganize(1)
  await sale.chain.mine()

  await expect(sale.newWatcher({ endpoints: [endpoint(rpc.url)] }).catchUp()).rejects.toThrow()

  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
})

test('a range whose last block changes while its logs are read is read again', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(sale.confirmations)
  const rpc = await startFaultyRpc(sale.chain.url)
  let logsRead = false
  let changes = 0
  rpc.fail(({ method, params }) => {
    if (method === 'eth_getLogs') {
      logsRead = true
      return changes === 0 ? { rewrite: () => [] } : undefined
    }
    if (method === 'eth_getBlockByNumber' && logsRead && changes === 0 && params[0] !== 'latest') {
      changes += 1
      return { rewrite: (block: object) => ({ ...block, hash: `0x${'e'.repeat(64)}` }) }
    }
    return undefined
  })

  await sale.newWatcher({ endpoints: [endpoint(rpc.url)] }).catchUp()

  expect(changes).toBe(1)
  expect(await sale.deposits()).toMatchObject([{ state: 'matched' }])
  expect(sale.alerts).toEqual([])
})

test('two transfers in one transaction are two deposits', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const batch = await deployBatchSender(sale.chain, {
    owner: buyer.wallet,
    recipient: sale.depositAddress,
    usdt: parseAmount('9')!,
  })
  await batch.send([parseAmount('3')!, parseAmount('6')!])

  await sale.confirm()

  const rows = await sql<{ ordinal: number; amount: string }>(
    sale.server.services.orm.em.fork(),
    'select ordinal, amount from deposits order by ordinal',
  )
  expect(rows).toEqual([
    { ordinal: 0, amount: '3000000000000000000' },
    { ordinal: 1, amount: '6000000000000000000' },
  ])
})

test('a watcher killed between reading and committing leaves no partial writes, and the next one no gap', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 2)
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(sale.confirmations)
  const rpc = await startFaultyRpc(sale.chain.url)
  const [reading, mayRead] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  rpc.fail(async ({ method }) => {
    if (method !== 'eth_getLogs') return undefined
    reading.resolve()
    await mayRead.promise
    return undefined
  })

  const watcher = startWatcherProcess(sale, rpc.url)
  await reading.promise
  const writes = await holdWrites(sale)
  mayRead.resolve()
  await writes.someoneWaits()
  watcher.kill('SIGKILL')
  await once(watcher, 'exit')
  await writes.release()

  expect(await sale.deposits()).toEqual([])
  await sale.newWatcher({ epoch: 2 }).catchUp()
  expect(await sale.deposits()).toMatchObject([{ state: 'matched', amount: '6' }])
  expect(await sale.nodeNumbers()).toEqual([1, 2])
  await expectNoGap(sale)
})

test('a paused watcher that was replaced cannot write', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const paused = sale.newWatcher({ epoch: 1 })
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(sale.confirmations)
  await sql(sale.server.services.orm.em.fork(), `update leaderships set epoch = 2 where role = 'watcher'`)

  await expect(paused.catchUp()).rejects.toThrow(LeadershipLost)

  expect(await sale.deposits()).toEqual([])
})

/** Locks the row that every write of a watcher locks first, so that the watcher stops between reading and writing. */
async function holdWrites(sale: Sale) {
  const [holder, observer] = [
    new pg.Client({ connectionString: sale.database.url }),
    new pg.Client({ connectionString: sale.database.url }),
  ]
  await Promise.all([holder.connect(), observer.connect()])
  onTestFinished(async () => {
    await holder.end()
    await observer.end()
  })
  await holder.query('begin')
  await holder.query(`select from leaderships where role = 'watcher' for update`)
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%leaderships%for share%'`
  return {
    someoneWaits: () => expect.poll(async () => (await observer.query(waiting)).rowCount).toBe(1),
    release: () => holder.query('rollback'),
  }
}

function startWatcherProcess(sale: Sale, rpcUrl: string): ChildProcess {
  const { config } = sale.server.services
  const child = spawn(process.execPath, ['api/main.ts', 'watcher'], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: sale.database.url,
      BSC_RPC_URLS: rpcUrl,
      DEPOSIT_ADDRESS: sale.depositAddress,
      USDT_ADDRESS: config.USDT_ADDRESS,
      PAYMENT_CONFIRMATIONS: String(sale.confirmations),
      ENCRYPTION_KEY: config.ENCRYPTION_KEY,
      SMTP_URL: config.SMTP_URL,
      XCR_RPC_URLS: config.XCR_RPC_URLS.join(','),
      XCR_TOKEN_ADDRESS: config.XCR_TOKEN_ADDRESS,
      PAYOUT_PRIVATE_KEY: config.PAYOUT_PRIVATE_KEY,
      REGISTER: 'off',
      PUSH: 'off',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}
