import type { Address } from 'viem'
import { expect, onTestFinished, test, vi } from 'vitest'
import { DAY, HOUR, MINUTE, SECOND } from '#shared/dates.ts'
import { bep20Usdt } from '#api/dev/contracts/generated/bep20Usdt.ts'
import {
  makeAccount,
  startPaymentChain,
  startRewardChain,
  type TestChain,
  USDT_ADDRESS,
  usePaymentChain,
  useRewardChain,
} from './chains.ts'

const payments = usePaymentChain()
const slowPayments = usePaymentChain({ mining: 'manual' })
const rewards = useRewardChain()

const read = (functionName: 'name' | 'symbol' | 'decimals') =>
  payments.client.readContract({ address: USDT_ADDRESS, abi: bep20Usdt.abi, functionName })

test('the payment chain has the id 56 and a USDT with 18 decimals at its mainnet address', async () => {
  expect(await payments.client.getChainId()).toBe(56)
  expect([await read('name'), await read('symbol'), await read('decimals')]).toEqual(['Tether USD', 'USDT', 18])
})

test('the reward chain has the id 20250217 and its own token', async () => {
  expect(await rewards.client.getChainId()).toBe(20_250_217)
  const owner = makeAccount()
  await rewards.mint(owner.address, 7n)
  expect(await rewards.balanceOf(owner.address)).toBe(7n)
})

test('a transfer moves tokens and emits a log, and a transfer above the balance is refused', async () => {
  const [from, to] = [makeAccount(), makeAccount()]
  await payments.mintUsdt(from.address, 10n)
  const hash = await payments.transferUsdt({ from, to: to.address, amount: 4n })
  expect(await payments.balanceOf(to.address)).toBe(4n)
  expect((await payments.receipt(hash)).logs).toHaveLength(1)
  await expect(payments.transferUsdt({ from, to: to.address, amount: 7n })).rejects.toThrow('exceeds balance')
})

test('a reorganization removes a transfer, and can mine it again in another block', async () => {
  const [from, to] = [makeAccount(), makeAccount()]
  await payments.mintUsdt(from.address, 10n)
  const hash = await payments.transferUsdt({ from, to: to.address, amount: 4n })
  const before = await payments.receipt(hash)
  const signed = await payments.signedBytes(hash)
  await payments.mine(2)

  await payments.reorganize(3)
  await expect(payments.receipt(hash)).rejects.toThrow('could not be found')
  expect(await payments.balanceOf(to.address)).toBe(0n)

  await payments.reorganize(2, [[signed, 1]])
  const after = await payments.receipt(hash)
  expect(after.blockHash).not.toBe(before.blockHash)
  expect(await payments.balanceOf(to.address)).toBe(4n)
})

test('with manual mining a transfer waits for its block, which can have any later time', async () => {
  const [from, to] = [makeAccount(), makeAccount()]
  await slowPayments.mintUsdt(from.address, 10n)
  const hash = await slowPayments.transferUsdt({ from, to: to.address, amount: 4n })
  expect(await slowPayments.balanceOf(to.address)).toBe(0n)
  const time = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 3_600_000)
  await slowPayments.mineAt(time)
  const { blockNumber } = await slowPayments.receipt(hash)
  const block = await slowPayments.client.getBlock({ blockNumber })
  expect(Number(block.timestamp) * 1_000).toBe(time.getTime())
})

test('a transaction has its block once its sending is answered, unless it waits for an earlier one', async () => {
  const account = makeAccount()
  const { client } = payments
  await client.setBalance({ address: account.address, value: 10n ** 18n })
  const send = (nonce: number) => client.sendTransaction({ account, to: account.address, value: 0n, nonce, gas: 21_000n })
  for (let nonce = 0; nonce < 10; nonce += 1) expect((await payments.receipt(await send(nonce))).status).toBe('success')
  await expect(payments.receipt(await send(11))).rejects.toThrow('could not be found')
  await send(10)
  expect(await client.getTransactionCount({ address: account.address })).toBe(12)
})

test('reverting to a snapshot restores the chain', async () => {
  const owner = makeAccount()
  const snapshot = await payments.snapshot()
  await payments.mintUsdt(owner.address, 10n)
  await payments.revert(snapshot)
  expect(await payments.balanceOf(owner.address)).toBe(0n)
})

/** What a test can see of a chain before it has done anything. */
const describeChain = async (chain: TestChain, owner: Address) => {
  const blocks = [await chain.client.getBlock(), await chain.client.getBlock({ blockNumber: 0n })]
  return {
    head: blocks.map(({ number, hash }) => [number, hash]),
    pool: await chain.client.getTxpoolStatus(),
    isMiningEach: await chain.client.getAutomine(),
    coins: await chain.client.getBalance({ address: owner }),
    tokens: await chain.balanceOf(owner),
    code: await chain.client.getCode({ address: owner }),
  }
}

test.each([
  ['payment', startPaymentChain],
  ['reward', startRewardChain],
])('a released %s chain serves again, as if it were new', async (_name, start) => {
  const [owner, to] = [makeAccount(), makeAccount()]
  const first = await start()
  const before = await describeChain(first, owner.address)
  await first.mint(owner.address, 10n)
  const { baseFeePerGas } = await first.client.getBlock()
  const hash = await first.transfer({ from: owner, to: to.address, amount: 4n })
  await first.placeToken(owner.address)
  await first.reorganize(1)
  await first.mine(300)
  await first.mineAt(new Date(Date.now() + 365 * DAY))
  await first.client.setAutomine(false)
  // Left pending.
  await first.client.sendTransaction({ account: owner, to: to.address, value: 0n })
  await first.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 12n })
  await first.release()

  const second = await start()
  expect(second.url).toBe(first.url)
  expect(await describeChain(second, owner.address)).toEqual(before)
  await expect(second.receipt(hash)).rejects.toThrow('could not be found')
  const [earliest, latest] = [Math.floor(Date.now() / SECOND), Math.ceil(Date.now() / SECOND) + 60]
  await second.mint(owner.address, 10n)
  const block = await second.client.getBlock()
  expect(block.baseFeePerGas).toBe(baseFeePerGas)
  expect(Number(block.timestamp)).toBeGreaterThanOrEqual(earliest)
  expect(Number(block.timestamp)).toBeLessThan(latest)
  await second.release()
})

test('a chain that is released while the time is a fake one serves again at the real time', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const first = await startPaymentChain()
  vi.setSystemTime(Date.now() + 2 * HOUR)
  await first.release()
  vi.useRealTimers()
  const second = await startPaymentChain()
  expect(second.url).toBe(first.url)
  await second.mine()
  const { timestamp } = await second.client.getBlock()
  expect(Math.abs(Date.now() - Number(timestamp) * SECOND)).toBeLessThan(MINUTE)
  await second.release()
})

test('a chain whose first blocks are old, which a watcher without newer ones tells of, does not serve again', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const first = await startPaymentChain()
  await first.release()
  vi.setSystemTime(Date.now() + 6 * MINUTE)
  const second = await startPaymentChain()
  expect(second.url).not.toBe(first.url)
  await second.stop()
})

test('a stopped chain does not serve again', async () => {
  const first = await startPaymentChain()
  await first.stop()
  await first.release()
  const second = await startPaymentChain()
  expect(second.url).not.toBe(first.url)
  await second.release()
})
