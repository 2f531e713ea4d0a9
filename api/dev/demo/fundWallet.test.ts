import { parseEther } from 'viem'
import { expect, test } from 'vitest'
import { makeAccount, usePaymentChain, useRewardChain } from '#api/testing/chains.ts'
import { fundWallet } from './fundWallet.ts'

const payment = usePaymentChain()
const reward = useRewardChain()

const chains = () => ({ payment: payment.client, reward: reward.client, usdtAddress: payment.token })

test('a funded wallet has USDT and coins on both chains', async () => {
  const { address } = makeAccount()
  await fundWallet(chains(), address)
  expect(await payment.balanceOf(address)).toBe(parseEther('1000'))
  expect(await payment.client.getBalance({ address })).toBe(parseEther('1'))
  expect(await reward.client.getBalance({ address })).toBe(parseEther('10'))
})

test('concurrent funding adds USDT each time and never reduces the coins', async () => {
  const { address } = makeAccount()
  await payment.client.setBalance({ address, value: parseEther('5') })
  await Promise.all(Array.from({ length: 10 }, () => fundWallet(chains(), address)))
  expect(await payment.balanceOf(address)).toBe(parseEther('10000'))
  expect(await payment.client.getBalance({ address })).toBe(parseEther('5'))
})
