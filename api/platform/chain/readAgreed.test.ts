import { beforeAll, expect, test } from 'vitest'
import type { Hash } from 'viem'
import { TOKEN_DECIMALS } from '#shared/amount.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { makeAccount, USDT_ADDRESS, usePaymentChain } from '#api/testing/chains.ts'
import { type FaultyRpc, startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { readAgreedBlock, readAgreedFinalNumber } from './readAgreedBlock.ts'
import { readAgreedReceipt, transfersIn } from './readAgreedReceipt.ts'
import { hostOf, RpcEndpoint } from './RpcEndpoint.ts'

const chain = usePaymentChain()
const [payer, recipient] = [makeAccount(), makeAccount()]
let hash: Hash
beforeAll(async () => {
  await chain.mintUsdt(payer.address, 100n)
  hash = await chain.transferUsdt({ from: payer, to: recipient.address, amount: 3n })
})

const unknownHash: Hash = `0x${'7'.repeat(64)}`
const endpointAt = (url: string) =>
  new RpcEndpoint(url, { chainId: PAYMENT_CHAIN_ID, token: { address: USDT_ADDRESS, decimals: TOKEN_DECIMALS } })

/** Starts endpoints on different hosts for one chain. */
async function startHosts(count: number) {
  const nodes: FaultyRpc[] = []
  for (let i = 0; i < count; i += 1) nodes.push(await startFaultyRpc(chain.url))
  return { nodes, endpoints: nodes.map(({ url }) => endpointAt(url)), hosts: nodes.map(({ url }) => hostOf(url)) }
}

/** Rewrites every response to a method. */
const lie = (node: FaultyRpc, method: string, change: (answer: never) => unknown) =>
  node.fail((call) => (call.method === method ? { rewrite: change } : undefined))

interface RpcReceipt {
  logs: { topics: string[]; data: string; logIndex: string }[]
}

test('a receipt that two hosts show alike is agreed, regardless of letter case', async () => {
  const { nodes, endpoints } = await startHosts(2)
  lie(nodes[1]!, 'eth_getTransactionReceipt', (receipt) =>
    JSON.parse(JSON.stringify(receipt).replaceAll(/0x[0-9a-f]{40,}/g, (hex) => `0x${hex.slice(2).toUpperCase()}`)),
  )
  const agreed = await readAgreedReceipt(endpoints, hash)
  if (agreed.kind !== 'agreed') throw new Error(agreed.kind)
  expect(agreed.answer).toMatchObject({ transactionHash: hash, succeeded: true })
  expect(transfersIn(agreed.answer, USDT_ADDRESS)).toEqual([
    { ordinal: 0, logIndex: 0, sender: payer.address.toLowerCase(), recipient: recipient.address.toLowerCase(), amount: 3n },
  ])
  expect(transfersIn(agreed.answer, recipient.address)).toEqual([])
  expect(transfersIn({ ...agreed.answer, succeeded: false }, USDT_ADDRESS)).toEqual([])
})

test('a receipt that one of two hosts changes in any part is not agreed', async () => {
  const changes: ((receipt: RpcReceipt) => unknown)[] = [
    (receipt) => ({ ...receipt, status: '0x0' }),
    (receipt) => ({ ...receipt, blockHash: `0x${'1'.repeat(64)}` }),
    (receipt) => ({ ...receipt, blockNumber: '0x1' }),
    (receipt) => ({ ...receipt, logs: [] }),
    (receipt) => ({ ...receipt, logs: [...receipt.logs, { ...receipt.logs[0], logIndex: '0x1' }] }),
    (receipt) => ({ ...receipt, logs: receipt.logs.map((log) => ({ ...log, address: recipient.address })) }),
    (receipt) => ({ ...receipt, logs: receipt.logs.map((log) => ({ ...log, data: `0x${'9'.repeat(64)}` })) }),
    (receipt) => ({ ...receipt, logs: receipt.logs.map((log) => ({ ...log, topics: log.topics.toReversed() })) }),
    (receipt) => ({ ...receipt, logs: receipt.logs.map((log) => ({ ...log, logIndex: '0x5' })) }),
  ]
  const { nodes, endpoints, hosts } = await startHosts(2)
  for (const change of changes) {
    lie(nodes[0]!, 'eth_getTransactionReceipt', change)
    expect(await readAgreedReceipt(endpoints, hash)).toEqual({ kind: 'disagree', hosts })
  }
})

test('an invented receipt is rejected, and a third host decides between two', async () => {
  const { nodes, endpoints, hosts } = await startHosts(3)
  lie(nodes[0]!, 'eth_getTransactionReceipt', (receipt: RpcReceipt) => ({ ...receipt, logs: [] }))
  expect(await readAgreedReceipt(endpoints, hash)).toMatchObject({ kind: 'agreed', answer: { logs: [{ logIndex: 0 }] } })

  nodes[0]!.fail((call) =>
    call.method === 'eth_getTransactionReceipt'
      ? { send: { params: [hash] }, rewrite: (receipt: object) => ({ ...receipt, transactionHash: unknownHash }) }
      : undefined,
  )
  expect(await readAgreedReceipt(endpoints, unknownHash)).toMatchObject({
    kind: 'unknown',
    answeredBy: hosts,
    shownBy: [hosts[0]],
  })
})

test('a transaction is absent if two hosts say so, unless another host shows it', async () => {
  const { nodes, endpoints, hosts } = await startHosts(3)
  expect(await readAgreedReceipt(endpoints, unknownHash)).toEqual({ kind: 'absent' })
  expect(await readAgreedReceipt(endpoints.slice(0, 2), unknownHash)).toEqual({ kind: 'absent' })

  lie(nodes[0]!, 'eth_getTransactionReceipt', () => null)
  expect(await readAgreedReceipt(endpoints, hash)).toMatchObject({ kind: 'agreed' })
  expect(await readAgreedReceipt(endpoints.slice(0, 2), hash)).toMatchObject({ kind: 'unknown', shownBy: [hosts[1]] })
})

test('with one of two hosts silent the result is unknown, whether the other shows a receipt or none', async () => {
  const { nodes, endpoints, hosts } = await startHosts(2)
  nodes[0]!.fail(() => 'drop')
  expect(await readAgreedReceipt(endpoints, hash)).toMatchObject({
    kind: 'unknown',
    answeredBy: [hosts[1]],
    shownBy: [hosts[1]],
  })
  expect(await readAgreedReceipt(endpoints, unknownHash)).toMatchObject({
    kind: 'unknown',
    answeredBy: [hosts[1]],
    shownBy: [],
  })
  nodes[1]!.fail(() => 'drop')
  expect(await readAgreedReceipt(endpoints, hash)).toMatchObject({ kind: 'unknown', answeredBy: [], shownBy: [] })
  expect(await readAgreedReceipt([], hash)).toMatchObject({ kind: 'unknown', answeredBy: [] })
})

test('endpoints of one host have one vote, which suffices if it is the only host', async () => {
  const { nodes, endpoints } = await startHosts(2)
  const again = endpointAt(`${nodes[0]!.url}/another-key`)
  lie(nodes[0]!, 'eth_getTransactionReceipt', (receipt: RpcReceipt) => ({ ...receipt, logs: [] }))
  expect(await readAgreedReceipt([endpoints[0]!, again, endpoints[1]!], hash)).toMatchObject({ kind: 'disagree' })
  expect(await readAgreedReceipt([endpoints[0]!, again], hash)).toMatchObject({ kind: 'agreed', answer: { logs: [] } })
  nodes[0]!.heal()
  expect(await readAgreedReceipt([endpoints[0]!, again], unknownHash)).toEqual({ kind: 'absent' })
})

test('a receipt without a status, or of another transaction, is not counted', async () => {
  const { nodes, endpoints } = await startHosts(1)
  for (const change of [{ status: undefined }, { transactionHash: unknownHash }, { logs: undefined }]) {
    lie(nodes[0]!, 'eth_getTransactionReceipt', (receipt: object) => ({ ...receipt, ...change }))
    expect(await readAgreedReceipt(endpoints, hash)).toMatchObject({ kind: 'unknown', answeredBy: [] })
  }
})

test('the header of a block is agreed by hash, parent and time', async () => {
  const { nodes, endpoints, hosts } = await startHosts(2)
  const agreed = await readAgreedBlock(endpoints, 1n)
  expect(agreed).toMatchObject({ kind: 'agreed', answer: { number: 1n, time: expect.any(Date) } })
  expect(await readAgreedBlock(endpoints, 1_000_000n)).toEqual({ kind: 'absent' })
  for (const change of [{ timestamp: '0x1' }, { hash: unknownHash }, { parentHash: unknownHash }]) {
    lie(nodes[1]!, 'eth_getBlockByNumber', (block: object) => ({ ...block, ...change }))
    expect(await readAgreedBlock(endpoints, 1n)).toEqual({ kind: 'disagree', hosts })
  }
})

test('a block is final when two hosts say so', async () => {
  const { nodes, endpoints } = await startHosts(3)
  await chain.mine(20)
  const final = (await readAgreedFinalNumber(endpoints, 3))!
  expect(await readAgreedFinalNumber(endpoints.slice(0, 1), 3)).toBe(final)
  lie(nodes[0]!, 'eth_getBlockByNumber', (block: object) => ({ ...block, number: '0xffffff' }))
  expect(await readAgreedFinalNumber(endpoints, 3)).toBe(final)
  expect(await readAgreedFinalNumber(endpoints.slice(0, 2), 3)).toBe(final)
  nodes[1]!.fail(() => 'drop')
  nodes[2]!.fail(() => 'drop')
  expect(await readAgreedFinalNumber(endpoints, 3)).toBeUndefined()
})
