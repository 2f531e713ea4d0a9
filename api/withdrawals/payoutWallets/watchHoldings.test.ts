import { expect, test } from 'vitest'
import { parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { parseAmount } from '#shared/amount.ts'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { sql } from '#api/platform/db/sql.ts'
import { useRewardChain } from '#api/testing/chains.ts'
import { useDatabase } from '#api/testing/database.ts'
import { startServer } from '#api/testing/server.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'
import { watchHoldings } from './watchHoldings.ts'

const database = useDatabase()
const chain = useRewardChain()
const run = <Row>(text: string, parameters: unknown[] = []) => sql<Row>(database.orm.em.fork(), text, parameters)

/** A payout wallet with its row, and another one whose key was replaced while it was low. */
async function setup({ env = {} }: { env?: Record<string, string> } = {}) {
  const privateKey = generatePrivateKey()
  const address = privateKeyToAccount(privateKey).address.toLowerCase() as `0x${string}`
  await run('delete from payout_wallets')
  await run('delete from change_events')
  await run(`insert into payout_wallets (address, next_nonce, low_since) values ($1, 0, null), ('0xformer', 0, now())`, [address])
  const { services } = await startServer(database, {
    env: { XCR_RPC_URLS: chain.url, XCR_TOKEN_ADDRESS: chain.token, PAYOUT_PRIVATE_KEY: privateKey, ...env },
  })
  return {
    address,
    services,
    watch: () => watchHoldings.run(services),
    low: async () =>
      (await run<{ address: string }>('select address from payout_wallets where low_since is not null')).map(
        (row) => row.address,
      ),
    /** What open pages are told since the last call. */
    told: async () => (await run<{ keys: string[] }>('delete from change_events returning keys')).flatMap(({ keys }) => keys),
  }
}

test('a wallet is low without XCR, with less XCR than is requested, or without coins, and no longer after a top-up', async () => {
  const { address, services, watch, low, told } = await setup()
  await watch()
  expect([await low(), await told()]).toEqual([[address], [getWaiting.path]])
  await watch()
  expect([await low(), await told()]).toEqual([[address], []])

  await chain.client.setBalance({ address, value: parseEther('1') })
  await chain.mint(address, parseAmount('2994')!)
  await watch()
  expect([await low(), await told()]).toEqual([[], [getWaiting.path]])

  await insertWithdrawal(services.orm, { amount: '3000', fee: '5' })
  await told()
  await watch()
  expect([await low(), await told()]).toEqual([[address], [getWaiting.path]])

  await chain.mint(address, parseAmount('1')!)
  await watch()
  expect(await low()).toEqual([])
  await chain.client.setBalance({ address, value: parseEther('1') - 1n })
  await watch()
  expect(await low()).toEqual([address])
})

test('while no endpoint answers, the last finding stays', async () => {
  const { watch, low, told } = await setup({ env: { XCR_RPC_URLS: 'http://127.0.0.1:9' } })
  await watch()
  expect([await low(), await told()]).toEqual([['0xformer'], []])
})
