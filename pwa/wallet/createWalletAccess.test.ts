import { beforeEach, expect, test, vi } from 'vitest'
import { createConnector } from 'wagmi'
import { someConfig, someUser } from '#pwa/testing/answers.ts'
import { announceWallet, makeWallet } from '#pwa/testing/fakeWallet.ts'
import { createWalletAccess } from './createWalletAccess.ts'
import { lastWallet, storeLastWallet, WALLET_CONNECT } from './lastWallet.ts'

const phoneAccount = `0x${'8'.repeat(40)}` as const

/** WalletConnect, whose relay answers when a test says so. */
const relay = vi.hoisted(() => ({ answer: Promise.withResolvers<{ session?: object }>() }))
vi.mock('wagmi/connectors', async (original) => ({
  ...(await original<object>()),
  walletConnect: () =>
    createConnector(() => ({
      id: 'walletConnect',
      name: 'WalletConnect',
      type: 'walletConnect',
      connect: async () => ({ accounts: [phoneAccount] as never, chainId: 56 }),
      disconnect: async () => {},
      getAccounts: async () => [phoneAccount],
      getChainId: async () => 56,
      getProvider: async () => ({ ...makeWallet({}, phoneAccount), ...(await relay.answer.promise) }),
      isAuthorized: async () => true,
      onAccountsChanged: () => {},
      onChainChanged: () => {},
      onDisconnect: () => {},
    })),
}))

beforeEach(() => {
  relay.answer = Promise.withResolvers()
  storeLastWallet(WALLET_CONNECT)
})

/** The access of a page that looks for a wallet in another app and has not heard from it. */
function startRestoring() {
  const access = createWalletAccess({ ...someConfig(), walletConnectProjectId: 'id' })
  return { access, restoring: access.restore() }
}

test('a wallet in another app is restored once the relay answers', async () => {
  const { access, restoring } = startRestoring()
  relay.answer.resolve({ session: { namespaces: {} } })
  expect(await restoring).toBe(phoneAccount)
  expect(await (await access.provider())!.request({ method: 'eth_accounts' })).toEqual([phoneAccount])
})

test('a wallet that was connected while the relay was silent is asked to pay, not the one in another app', async () => {
  const { access, restoring } = startRestoring()
  const wallet = announceWallet(makeWallet())
  const account = someUser().walletAddress
  expect(await access.connect(wallet.id)).toBe(account)
  relay.answer.resolve({ session: { namespaces: {} } })
  expect(await restoring).toBeNull()
  expect(await (await access.provider())!.request({ method: 'eth_accounts' })).toEqual([account])
  expect(lastWallet()).toBe(wallet.id)
})

test('a wallet that was disconnected while the relay was silent is not restored', async () => {
  const { access, restoring } = startRestoring()
  await access.disconnect()
  relay.answer.resolve({ session: { namespaces: {} } })
  expect(await restoring).toBeNull()
  expect(await access.provider()).toBeUndefined()
})

test('a connection that ended while the page was closed is forgotten, and no wallet that was connected since', async () => {
  const first = startRestoring()
  relay.answer.resolve({})
  expect(await first.restoring).toBeNull()
  expect(lastWallet()).toBeNull()

  relay.answer = Promise.withResolvers()
  storeLastWallet(WALLET_CONNECT)
  const second = startRestoring()
  const wallet = announceWallet(makeWallet())
  await second.access.connect(wallet.id)
  relay.answer.resolve({})
  expect(await second.restoring).toBeNull()
  expect(lastWallet()).toBe(wallet.id)
})
