import { expect, test } from 'vitest'
import { someUser } from '#pwa/testing/answers.ts'
import { makeWallet } from '#pwa/testing/fakeWallet.ts'
import { signMessage } from './signMessage.ts'

const address = someUser().walletAddress!
const session = { namespaces: { eip155: { accounts: [`eip155:56:${address}`] } } }

test('a wallet in another app signs on a chain of its session, not on one that was added later', async () => {
  const wallet = Object.assign(makeWallet(), { session, chainId: 20_250_217 })
  expect(await signMessage(wallet, { address, message: 'Hello' })).toBe('0x1234')
  expect(wallet.asked).toEqual(['wallet_switchEthereumChain', 'personal_sign'])
})

test.each([
  ['a wallet in another app that is on a chain of its session', { session, chainId: 56 }],
  ['a wallet of this browser', { chainId: 20_250_217 }],
])('%s is asked within the tap', (_, properties) => {
  const wallet = Object.assign(makeWallet(), properties)
  void signMessage(wallet, { address, message: 'Hello' })
  expect(wallet.asked).toEqual(['personal_sign'])
})
