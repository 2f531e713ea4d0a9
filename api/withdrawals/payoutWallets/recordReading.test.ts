import { expect, test } from 'vitest'
import { parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { parseAmount } from '#shared/amount.ts'
import { DAY, utcDay } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { useRewardChain } from '#api/testing/chains.ts'
import { useDatabase } from '#api/testing/database.ts'
import { startServer } from '#api/testing/server.ts'
import { recordReading } from './recordReading.ts'

const database = useDatabase()
const chain = useRewardChain()

async function setup(env: Record<string, string> = {}) {
  const privateKey = generatePrivateKey()
  const address = privateKeyToAccount(privateKey).address.toLowerCase() as `0x${string}`
  const { services } = await startServer(database, {
    env: { XCR_RPC_URLS: chain.url, XCR_TOKEN_ADDRESS: chain.token, PAYOUT_PRIVATE_KEY: privateKey, ...env },
  })
  const run = (now: Date) => recordReading.run({ ...services, clock: { ...services.clock, now: () => now } })
  const readings = () =>
    sql<{ day: string; at: string; block: string; tokens: string; coins: string }>(
      database.orm.em.fork(),
      `select day::text, at, block_number::text as block, tokens::text, coins::text
       from payout_wallet_readings where wallet = $1 order by day`,
      [address],
    )
  return { address, run, readings }
}

test('the first reading of a day is kept, with its block', async () => {
  const { address, run, readings } = await setup()
  await chain.client.setBalance({ address, value: parseEther('2') })
  await chain.mint(address, parseAmount('10')!)
  const block = await chain.client.getBlockNumber()
  const now = new Date('2026-11-30T23:59:00Z')
  await run(now)
  await chain.mint(address, parseAmount('1')!)
  await run(new Date(now.getTime() + 1))
  const first = { day: '2026-11-30', block: String(block), tokens: String(parseAmount('10')), coins: String(parseEther('2')) }
  expect(await readings()).toMatchObject([first])

  const next = new Date(now.getTime() + DAY)
  await run(next)
  expect(await readings()).toMatchObject([first, { day: utcDay(next), tokens: String(parseAmount('11')) }])
})

test('while no endpoint answers, nothing is recorded', async () => {
  const { run, readings } = await setup({ XCR_RPC_URLS: 'http://127.0.0.1:9' })
  await run(new Date('2026-11-30T00:00:00Z'))
  expect(await readings()).toEqual([])
})
