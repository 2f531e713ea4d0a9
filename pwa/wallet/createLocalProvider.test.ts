import { verifyMessage } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { createLocalProvider, type WalletRequest } from './createLocalProvider.ts'

function setUp({ isApproving = true } = {}) {
  const account = privateKeyToAccount(generatePrivateKey())
  const requests: WalletRequest[] = []
  const provider = createLocalProvider({
    account,
    chains: {},
    chainId: 1,
    approve: (request) => {
      requests.push(request)
      return isApproving
    },
  })
  const events: unknown[] = []
  provider.on('accountsChanged', (accounts) => events.push(accounts))
  provider.on('chainChanged', (chainId) => events.push(chainId))
  return { account, provider, requests, events }
}

const add = { chainId: '0x38', chainName: 'BNB Smart Chain', rpcUrls: ['http://127.0.0.1:1'] }

test('it shows its account only after approval, and forgets it on revocation', async () => {
  const { account, provider, requests, events } = setUp()
  expect(await provider.request({ method: 'eth_accounts' })).toEqual([])
  expect(await provider.request({ method: 'eth_requestAccounts' })).toEqual([account.address])
  await provider.request({ method: 'wallet_revokePermissions', params: [{ eth_accounts: {} }] })

  expect(requests).toEqual([{ type: 'connect' }])
  expect(events).toEqual([[account.address], []])
  expect(await provider.request({ method: 'eth_accounts' })).toEqual([])
})

test('an unknown chain is 4902 until it was added', async () => {
  const { provider, requests, events } = setUp()
  const ask = () => provider.request({ method: 'wallet_switchEthereumChain', params: [{ chainId: '0x38' }] })

  await expect(ask()).rejects.toMatchObject({ code: 4902 })
  await provider.request({ method: 'wallet_addEthereumChain', params: [add] })
  await ask()

  expect(await provider.request({ method: 'eth_chainId' })).toBe('0x38')
  expect(requests).toEqual([{ type: 'addChain', chainId: 56, name: 'BNB Smart Chain', rpcUrl: 'http://127.0.0.1:1' }])
  expect(events).toEqual(['0x38'])
})

test('a rejection is 4001 and changes nothing', async () => {
  const { provider } = setUp({ isApproving: false })
  await expect(provider.request({ method: 'eth_requestAccounts' })).rejects.toMatchObject({ code: 4001 })
  await expect(provider.request({ method: 'wallet_addEthereumChain', params: [add] })).rejects.toMatchObject({ code: 4001 })
  expect(provider.state).toEqual({ chains: {}, chainId: 1, isConnected: false })
})

test('it shows the text to sign, and signs exactly that', async () => {
  const { account, provider, requests } = setUp()
  const raw = '0x77616c6c65743a20e29c93'
  await expect(provider.request({ method: 'personal_sign', params: [raw, account.address] })).rejects.toMatchObject({
    code: 4100,
  })

  await provider.request({ method: 'eth_requestAccounts' })
  const signature = (await provider.request({ method: 'personal_sign', params: [raw, account.address] })) as `0x${string}`
  expect(requests.at(-1)).toEqual({ type: 'sign', message: 'wallet: ✓' })
  expect(await verifyMessage({ address: account.address, message: { raw }, signature })).toBe(true)
})

test('a second request during an open prompt is -32002', async () => {
  const account = privateKeyToAccount(generatePrivateKey())
  let answer: (isApproved: boolean) => void = () => {}
  const provider = createLocalProvider({
    account,
    chains: {},
    chainId: 1,
    approve: () => new Promise<boolean>((resolve) => (answer = resolve)),
  })
  const first = provider.request({ method: 'eth_requestAccounts' })
  await expect(provider.request({ method: 'eth_requestAccounts' })).rejects.toMatchObject({ code: -32002 })
  answer(true)
  expect(await first).toEqual([account.address])
})
