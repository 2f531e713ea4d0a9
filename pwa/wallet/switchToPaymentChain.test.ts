import { expect, test } from 'vitest'
import { someConfig } from '#pwa/testing/answers.ts'
import { type FakeWallet, makeWallet, walletError } from '#pwa/testing/fakeWallet.ts'
import { switchToPaymentChain } from './switchToPaymentChain.ts'

const chain = someConfig().paymentChain
const never = () => new Promise(() => {})

/** A wallet on another chain that answers with `onSwitch` until the payment chain was added. */
function makeUnrelatedWallet({
  onSwitch,
  onAdd = 'switches',
}: {
  onSwitch: () => unknown
  onAdd?: 'switches' | 'stays' | (() => unknown)
}) {
  let chainId = '0x1'
  let isAdded = false
  const added: unknown[] = []
  const wallet = makeWallet({
    eth_chainId: () => chainId,
    wallet_switchEthereumChain: () => {
      if (!isAdded) return onSwitch()
      chainId = '0x38'
      return null
    },
    wallet_addEthereumChain: ([parameters]) => {
      if (typeof onAdd === 'function') return onAdd()
      added.push(parameters)
      isAdded = true
      if (onAdd === 'switches') chainId = '0x38'
      return null
    },
  })
  return { wallet, added }
}

const refuse = (error: Error) => () => {
  throw error
}
const attempt = (wallet: FakeWallet) => switchToPaymentChain(wallet, chain, { switch: 20, add: 20 })

test("no await precedes the wallet's request, so that the tap's user activation is valid", async () => {
  const wallet = makeWallet()
  const answer = attempt(wallet)
  expect(wallet.asked).toEqual(['wallet_switchEthereumChain'])
  expect(await answer).toBe('ready')
  expect(wallet.asked).toEqual(['wallet_switchEthereumChain', 'eth_chainId'])
})

test('a wallet that switches without answering has switched', async () => {
  let chainId = '0x1'
  const wallet = makeWallet({
    eth_chainId: () => chainId,
    wallet_switchEthereumChain: () => {
      chainId = '0x38'
      return never()
    },
  })
  expect(await attempt(wallet)).toBe('ready')
})

test.each([
  ['4902', walletError(4902, 'Unrecognized chain ID "0x38".')],
  ['4902 inside of a -32603', walletError(-32603, 'Internal JSON-RPC error.', { data: { originalError: { code: 4902 } } })],
  ['a message alone', new Error('Unrecognized chain ID "0x38". Try adding the chain using wallet_addEthereumChain first.')],
  ['-32600', walletError(-32600, 'Chain Id not supported')],
  ['-32601', walletError(-32601, 'the method wallet_switchEthereumChain does not exist')],
])('a wallet that says it does not know the chain by %s is given it', async (_, error) => {
  const { wallet, added } = makeUnrelatedWallet({ onSwitch: refuse(error) })

  expect(await attempt(wallet)).toBe('ready')
  expect(added).toEqual([
    {
      chainId: '0x38',
      chainName: 'BNB Smart Chain',
      nativeCurrency: { name: 'BNB', symbol: 'BNB', decimals: 18 },
      rpcUrls: chain.rpcUrls,
      blockExplorerUrls: [chain.explorerUrl],
    },
  ])
})

test('a wallet that adds the chain without switching is asked to switch again', async () => {
  const { wallet } = makeUnrelatedWallet({ onSwitch: refuse(walletError(4902)), onAdd: 'stays' })
  expect(await attempt(wallet)).toBe('ready')
  expect(wallet.asked.filter((method) => method === 'wallet_switchEthereumChain')).toHaveLength(2)
})

test('a wallet that claims to have switched is verified', async () => {
  const { wallet, added } = makeUnrelatedWallet({ onSwitch: () => null, onAdd: () => null })
  expect(await attempt(wallet)).toBe('failed')
  expect(added).toEqual([])
})

test("a user's rejection is final", async () => {
  const atSwitch = makeUnrelatedWallet({ onSwitch: refuse(walletError(4001)) })
  expect(await attempt(atSwitch.wallet)).toBe('rejected')
  expect(atSwitch.wallet.asked).not.toContain('wallet_addEthereumChain')

  const atAdding = makeUnrelatedWallet({ onSwitch: refuse(walletError(4902)), onAdd: refuse(walletError(4001)) })
  expect(await attempt(atAdding.wallet)).toBe('rejected')
})

test('a wallet with an open prompt gets no second request', async () => {
  const { wallet } = makeUnrelatedWallet({ onSwitch: refuse(walletError(-32002)) })
  expect(await attempt(wallet)).toBe('pending')
  expect(wallet.asked).not.toContain('wallet_addEthereumChain')
})

test('a wallet that never answers times out', async () => {
  const { wallet } = makeUnrelatedWallet({ onSwitch: never })
  expect(await attempt(wallet)).toBe('silent')
})
