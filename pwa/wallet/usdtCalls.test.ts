import { encodeFunctionData, erc20Abi, parseEther } from 'viem'
import { expect, test } from 'vitest'
import { makeWallet, someHash } from '#pwa/testing/fakeWallet.ts'
import { decodeTransfer, encodeTransfer, readTokenBalance, sendToken } from './usdtCalls.ts'

const token = '0x55d398326f99059ff775485246999027b3197955'
const owner = '0x8f3a2b1c4d5e6f708192a3b4c5d6e7f8091a2b3c'
const to = '0x00000000000000000000000000000000000000f1'
const amount = parseEther('30.000000000000000001')

test('a transfer is encoded exactly as the library does, and decoded again', () => {
  const data = encodeTransfer(to, amount)
  expect(data).toBe(encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] }))
  expect(decodeTransfer(data)).toEqual({ to, amount })
  expect(decodeTransfer(data.replace('a9059cbb', '095ea7b3'))).toBeUndefined()
})

test('a balance is requested as the library does', async () => {
  const asked: unknown[] = []
  const wallet = makeWallet({
    eth_call: ([call]) => {
      asked.push(call)
      return `0x${amount.toString(16).padStart(64, '0')}`
    },
  })
  expect(await readTokenBalance(wallet, { token, owner })).toBe(amount)
  expect(asked).toEqual([{ to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [owner] }) }])
})

test('a chain without the token has no balance rather than zero', async () => {
  const wallet = makeWallet({ eth_call: () => '0x' })
  await expect(readTokenBalance(wallet, { token, owner })).rejects.toThrow('did not answer with a balance')
})

test('the exact amount is sent, on the given chain', async () => {
  const sent: unknown[] = []
  const wallet = makeWallet({
    eth_sendTransaction: ([transaction]) => {
      sent.push(transaction)
      return someHash.toUpperCase().replace('0X', '0x')
    },
  })
  expect(await sendToken(wallet, { chainId: 56, token, from: owner, to, amount })).toBe(someHash)
  expect(sent).toEqual([{ from: owner, to: token, value: '0x0', data: encodeTransfer(to, amount), chainId: '0x38' }])
})

test("no await precedes the wallet's request, so that the tap's user activation is valid", () => {
  const wallet = makeWallet()
  void sendToken(wallet, { chainId: 56, token, from: owner, to, amount })
  expect(wallet.asked).toEqual(['eth_sendTransaction'])
})
