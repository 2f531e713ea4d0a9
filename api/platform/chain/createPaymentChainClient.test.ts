import { expect, test } from 'vitest'
import { TOKEN_DECIMALS } from '#shared/amount.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import { makeAccount, USDT_ADDRESS, usePaymentChain } from '#api/testing/chains.ts'
import { type FaultyRpc, startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { ChainUnavailable } from './ChainClient.ts'
import { createPaymentChainClient } from './createPaymentChainClient.ts'
import { RpcEndpoint } from './RpcEndpoint.ts'

const chain = usePaymentChain()

const connect = (...rpcs: FaultyRpc[]) =>
  createPaymentChainClient(
    rpcs.map(
      ({ url }) =>
        new RpcEndpoint(url, { chainId: PAYMENT_CHAIN_ID, token: { address: USDT_ADDRESS, decimals: TOKEN_DECIMALS } }),
    ),
    USDT_ADDRESS,
  )

/** Reports zero for every balance. */
const sayEmpty = (rpc: FaultyRpc) =>
  rpc.fail(({ method, params: [call] }) =>
    method === 'eth_call' && !(call as { to?: string }).to ? { rewrite: () => `0x${'00'.repeat(32)}` } : undefined,
  )

test('balances at a block ignore later transfers, also for more owners than one call takes', async () => {
  const client = connect(await startFaultyRpc(chain.url))
  const [owner, other] = [makeAccount(), makeAccount()]
  await chain.mintUsdt(owner.address, 5n)
  const block = await chain.client.getBlockNumber()
  await chain.transferUsdt({ from: owner, to: other.address, amount: 5n })

  expect(await client.usdtBalancesAt(block, [owner.address, other.address])).toEqual([5n, 0n])
  const many = Array.from({ length: 450 }, (_, index) => (index === 449 ? other.address : makeAccount().address))
  expect((await client.usdtBalancesAt(await chain.client.getBlockNumber(), many)).at(-1)).toBe(5n)
})

test('two endpoints must answer, and the larger balance counts', async () => {
  const [liar, honest] = [await startFaultyRpc(chain.url), await startFaultyRpc(chain.url)]
  const client = connect(liar, honest)
  const owner = makeAccount().address
  await chain.mintUsdt(owner, 5n)
  const block = await chain.client.getBlockNumber()
  sayEmpty(liar)

  expect(await client.usdtBalancesAt(block, [owner])).toEqual([5n])
  honest.fail(() => 'drop')
  await expect(client.usdtBalancesAt(block, [owner])).rejects.toBeInstanceOf(ChainUnavailable)
})

test('a block that the endpoint does not have is an error, not a balance of zero', async () => {
  const client = connect(await startFaultyRpc(chain.url))
  const block = (await chain.client.getBlockNumber()) + 100n

  const error = await client.usdtBalancesAt(block, [makeAccount().address]).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(ChainUnavailable)
  expect((error as ChainUnavailable).cause).toMatchObject({ message: expect.stringMatching(/block/i) })
})
