import { expect, test } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { sql } from '#api/platform/db/sql.ts'
import { type BatchSender, deployBatchSender } from '#api/testing/batchSender.ts'
import { makeAccount, USDT_ADDRESS } from '#api/testing/chains.ts'
import { type FaultyRpc, startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { type Sale, startSale } from '#api/testing/sale.ts'
import { ignoreDust } from './ignoreDust.ts'

const endpoint = (url: string) => new RpcEndpoint(url, { chainId: 56, token: { address: USDT_ADDRESS, decimals: 18 } })
const usdt = (text: string) => parseAmount(text)!
const many = (count: number, amount = 1n) => Array<bigint>(count).fill(amount)

const strangersSender = (sale: Sale): Promise<BatchSender> =>
  deployBatchSender(sale.chain, { owner: makeAccount(), recipient: sale.depositAddress, usdt: usdt('1000') })

const countOf = (rpc: FaultyRpc, method: string) => rpc.calls.filter((call) => call.method === method).length

const statesOf = async (sale: Sale) =>
  Object.fromEntries(
    (
      await sql<{ state: string; count: number }>(
        sale.server.services.orm.em.fork(),
        'select state, count(*)::int as count from deposits group by state',
      )
    ).map(({ state, count }) => [state, count]),
  )

test('a block with more transfers than a provider returns at once is read, and the payments in it and after it are confirmed', async () => {
  const sale = await startSale({ mining: 'manual', confirmations: 2 })
  const [inside, after] = [await sale.openBuyer(), await sale.openBuyer()]
  await sale.chain.client.setAutomine(true)
  const strangers = [await strangersSender(sale), await strangersSender(sale), await strangersSender(sale)]
  await sale.chain.client.setAutomine(false)
  for (const stranger of strangers) await stranger.send(many(50))
  await sale.pay(inside.wallet, '6')
  await sale.chain.mine()
  await sale.pay(after.wallet, '3')
  await sale.chain.mine(3)
  const providers = [await startFaultyRpc(sale.chain.url), await startFaultyRpc(sale.chain.url)]
  for (const rpc of providers) rpc.fail(refuseMoreThan(100, sale))

  const watcher = sale.newWatcher({ endpoints: providers.map(({ url }) => endpoint(url)) })
  await watcher.catchUp()
  for (let i = 0; i < 15; i += 1) await watcher.catchUp()

  expect(await statesOf(sale)).toEqual({ ignored: 150, matched: 2 })
  expect(await sale.nodeNumbers()).toEqual([1, 2, 3])
})

test('transfers below the price of a node from unknown wallets are ignored without a receipt', async () => {
  const sale = await startSale()
  const stranger = await strangersSender(sale)
  await stranger.send([...many(150), usdt('2.99')])
  await stranger.send(many(50))
  await sale.chain.mine(sale.confirmations)
  const rpc = await startFaultyRpc(sale.chain.url)

  const watcher = sale.newWatcher({ endpoints: [endpoint(rpc.url)] })
  await watcher.catchUp()
  await watcher.catchUp()

  expect(await statesOf(sale)).toEqual({ ignored: 201 })
  expect(countOf(rpc, 'eth_getTransactionReceipt')).toBe(0)
})

test('dust of many blocks is ignored in parts, none of which is left out', async () => {
  const sale = await startSale()
  const stranger = await strangersSender(sale)
  for (let i = 0; i < 3; i += 1) await stranger.send(many(2))
  await sale.chain.mine(sale.confirmations)
  await sale.watch()
  const upTo = await sale.chain.client.getBlockNumber()
  const left: unknown[] = []

  let from: bigint | undefined = 0n
  while (from !== undefined) {
    const first: bigint = from
    const em = sale.server.services.orm.em.fork()
    from = await em.transactional((em) => ignoreDust(em, { from: first, upTo, now: new Date(), batchSize: 1 }))
    left.push((await statesOf(sale))['seen'])
  }

  expect(left).toEqual([4, 2, undefined, undefined])
})

test('dust and a payment in one transaction are numbered by its receipt, which is read once', async () => {
  const sale = await startSale()
  const stranger = await strangersSender(sale)
  await stranger.send([...many(120), usdt('3'), ...many(120), usdt('3')])
  await sale.chain.mine(sale.confirmations)
  const rpc = await startFaultyRpc(sale.chain.url)

  await sale.newWatcher({ endpoints: [endpoint(rpc.url)] }).catchUp()

  expect(await statesOf(sale)).toEqual({ ignored: 240, review: 2 })
  expect(countOf(rpc, 'eth_getTransactionReceipt')).toBe(1)
  expect(
    await sql(sale.server.services.orm.em.fork(), `select ordinal from deposits where state = 'review' order by ordinal`),
  ).toEqual([{ ordinal: 120 }, { ordinal: 241 }])
})

test('hundreds of transfers for one reservation are settled together, with one receipt read per transaction', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  const batch = await deployBatchSender(sale.chain, { owner: buyer.wallet, recipient: sale.depositAddress, usdt: usdt('1000') })
  await sale.reserve(buyer, 2)
  await useAsWallet(sale, buyer.user.id, batch)
  await batch.send([...many(300), usdt('6') - 300n])
  await sale.chain.mine(sale.confirmations)
  const rpc = await startFaultyRpc(sale.chain.url)

  await sale.newWatcher({ endpoints: [endpoint(rpc.url)] }).catchUp()

  expect(await statesOf(sale)).toEqual({ matched: 301 })
  expect(await sale.nodeNumbers()).toEqual([1, 2])
  expect(await sale.supply()).toMatchObject({ paid: 2, reserved: 0 })
})

test('a payment that fits a request is settled before many older transfers, and later payments wait for one page of them only', async () => {
  const sale = await startSale()
  const [crowd, buyer] = [await sale.openBuyer(), await sale.openBuyer()]
  const batch = await deployBatchSender(sale.chain, { owner: crowd.wallet, recipient: sale.depositAddress, usdt: usdt('1000') })
  await sale.reserve(crowd, 100)
  await useAsWallet(sale, crowd.user.id, batch)
  for (let i = 0; i < 6; i += 1) await batch.send(many(100))
  await sale.reserve(buyer, 2)
  await sale.pay(buyer.wallet, '6')
  await sale.chain.mine(sale.confirmations)

  await sale.watch()

  const [first] = await sql<{ amount: string }>(
    sale.server.services.orm.em.fork(),
    `select d.amount from deposits d join purchases p on p.id = d.purchase_id where d.state = 'matched'`,
  )
  expect(first).toEqual({ amount: String(usdt('6')) })
  expect(await statesOf(sale)).toEqual({ matched: 1, review: 600 })
})

test('a payment with small change before it from the same wallet is confirmed; the change is ignored', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  await sale.reserve(buyer, 2)
  await sale.pay(buyer.wallet, '0.000000000000000001')
  await sale.pay(buyer.wallet, '6')

  await sale.confirm()

  expect(await statesOf(sale)).toMatchObject({ matched: 1 })
  expect(await sale.nodeNumbers()).toEqual([1, 2])
})

test('small change of a known wallet without a request is ignored below a sum of a tenth of a node, and reviewed above', async () => {
  const sale = await startSale()
  const buyer = await sale.openBuyer()
  for (const amount of ['0.1', '0.19', '0.01', '0.000000000000000001']) await sale.pay(buyer.wallet, amount)
  await sale.confirm()
  await sale.watch()
  expect(await sale.deposits()).toMatchObject([
    { state: 'ignored', amount: '0.1' },
    { state: 'ignored', amount: '0.19' },
    { state: 'review', amount: '0.01', reason: 'unmatched' },
    { state: 'review', amount: '0.000000000000000001' },
  ])
  const [owner] = await sql<{ user_id: string }>(
    sale.server.services.orm.em.fork(),
    `select distinct user_id from deposits where state = 'ignored'`,
  )
  expect(owner).toEqual({ user_id: buyer.user.id })

  await sale.pay(buyer.wallet, '0.000000000000000001')
  await sale.confirm()
  await sale.watch()
  expect(await statesOf(sale)).toEqual({ ignored: 3, review: 2 })
})

/** Imitates a provider that limits the number of results. */
const refuseMoreThan =
  (limit: number, sale: Sale): Parameters<FaultyRpc['fail']>[0] =>
  async ({ method, params }) => {
    if (method !== 'eth_getLogs') return undefined
    const logs = await sale.chain.client.request<{ Method: string; Parameters: unknown[]; ReturnType: unknown[] }>({
      method,
      params,
    })
    return logs.length > limit ? { error: { code: -32005, message: `query returned more than ${limit} results` } } : undefined
  }

/** Makes a contract the proven wallet of an account and its open request, like a smart wallet. */
async function useAsWallet(sale: Sale, userId: string, { address }: BatchSender): Promise<void> {
  const em = sale.server.services.orm.em.fork()
  await sql(em, 'update wallet_registrations set address = $2 where user_id = $1', [userId, address.toLowerCase()])
  await sql(em, 'update purchases set wallet = $2 where user_id = $1', [userId, address.toLowerCase()])
}
