import { expect, test } from 'vitest'
import { bep20Usdt } from '#api/dev/contracts/generated/bep20Usdt.ts'
import { makeAccount, USDT_ADDRESS, usePaymentChain, useRewardChain } from './chains.ts'

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

test('reverting to a snapshot restores the chain', async () => {
  const owner = makeAccount()
  const snapshot = await payments.snapshot()
  await payments.mintUsdt(owner.address, 10n)
  await payments.revert(snapshot)
  expect(await payments.balanceOf(owner.address)).toBe(0n)
})
