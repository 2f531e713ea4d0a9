import { waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { type AuthUser, getAuthUser } from '#shared/contract/identity.ts'
import { updateWallet } from '#shared/contract/wallet.ts'
import { shorten } from '#shared/address.ts'
import { parseWalletProofMessage } from '#shared/walletProofMessage.ts'
import { createQueryClient } from '#pwa/lib/createQueryClient.ts'
import { authUserQuery } from '#pwa/lib/queries.ts'
import { answerCommonCalls, someConfig, someUser } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { announceWallet, connectFakeWallet, makeWallet, walletError } from '#pwa/testing/fakeWallet.ts'
import { useToasts } from '#pwa/ui/toast.ts'
import { disconnectWallet, restoreWallet } from './connectWallet.ts'
import { wasDisconnectedManually } from './manualDisconnect.ts'
import { registerFirstWallet, registerWallet } from './registerWallet.ts'
import { openWalletSheet, useWallet } from './walletStore.ts'

const api = useFakeApi()
beforeEach(() => {
  vi.spyOn(console, 'info').mockImplementation(() => {})
})

const config = someConfig()
const account = someUser().walletAddress!
const another = `0x${'7'.repeat(40)}` as const
const shown = () => useToasts.getState().toasts[0]

/** Fakes the account (null: a visitor) and records the wallet calls to the server. */
function setUp({ user = someUser({ walletAddress: null }) as AuthUser | null } = {}) {
  answerCommonCalls(api, { user })
  const queryClient = createQueryClient()
  queryClient.setQueryData(authUserQuery.queryKey, user)
  const requests: { walletAddress: string | null; message?: string | undefined; signature?: string | undefined }[] = []
  api.answer(updateWallet, ({ body }) => {
    requests.push(body)
    return { ...someUser({ walletAddress: body.walletAddress }), walletProven: Boolean(body.signature) }
  })
  return { queryClient, requests }
}

test('connecting registers the address with a signed message', async () => {
  const { queryClient, requests } = setUp()
  await connectFakeWallet(queryClient, makeWallet())

  expect(useWallet.getState().address).toBe(account)
  expect(shown()).toMatchObject({ title: '지갑 연결 성공', description: `Wallet connected: ${shorten(account)}` })
  expect(wasDisconnectedManually()).toBe(false)
  await waitFor(() => expect(requests).toHaveLength(1))
  expect(requests[0]).toMatchObject({ walletAddress: account, signature: '0x1234' })
  expect(parseWalletProofMessage(requests[0]!.message!)).toMatchObject({ email: 'mara@example.com', address: account })
  await waitFor(() => expect(queryClient.getQueryData(authUserQuery.queryKey)?.walletAddress).toBe(account))
})

test('an answer about the account that was requested before its wallet was registered does not remove the wallet', async () => {
  const { queryClient } = setUp()
  const answer = Promise.withResolvers<AuthUser>()
  api.answer(getAuthUser, () => answer.promise)
  const earlier = queryClient.fetchQuery({ ...authUserQuery, staleTime: 0 }).catch(() => undefined)
  await connectFakeWallet(queryClient, makeWallet())
  await waitFor(() => expect(queryClient.getQueryData(authUserQuery.queryKey)?.walletAddress).toBe(account))

  answer.resolve(someUser({ walletAddress: null }))
  await earlier
  expect(queryClient.getQueryData(authUserQuery.queryKey)?.walletAddress).toBe(account)
})

test('connecting from the payment dialog shows the text printed for it', async () => {
  const { queryClient, requests } = setUp()
  openWalletSheet({ for: 'payment' })
  await connectFakeWallet(queryClient, makeWallet())
  expect(shown()).toMatchObject({ title: 'Wallet Connected', description: shorten(account) })
  await waitFor(() => expect(requests).toHaveLength(1))
  await waitFor(() => expect(queryClient.getQueryData(authUserQuery.queryKey)?.walletAddress).toBe(account))
})

test('without a signature the address is registered anyway, and the toast says so', async () => {
  const { queryClient, requests } = setUp()
  const refuse = () => {
    throw walletError(4001)
  }
  await connectFakeWallet(queryClient, makeWallet({ personal_sign: refuse }))

  await waitFor(() => expect(shown()?.title).toBe('Wallet Address Registration Completed'))
  expect(shown()?.description).toContain('without a signature')
  expect(requests).toEqual([{ walletAddress: account }])
})

const otto = someUser({ id: '018f0000-0000-7000-8000-000000000099', email: 'otto@example.com', walletAddress: another })

test('a signature that arrives after a change of account registers nothing', async () => {
  const { queryClient, requests } = setUp()
  let signature: string | Promise<string> = '0x1234'
  await connectFakeWallet(queryClient, makeWallet({ personal_sign: () => signature }))
  await waitFor(() => expect(requests).toHaveLength(1))
  await waitFor(() => expect(queryClient.getQueryData(authUserQuery.queryKey)?.walletAddress).toBe(account))
  const late = Promise.withResolvers<string>()
  signature = late.promise
  const registered = registerWallet({ config, queryClient, address: account })
  queryClient.setQueryData(authUserQuery.queryKey, otto)
  late.resolve('0x5678')

  expect(await registered).toBe(false)
  expect(requests).toHaveLength(1)
  expect(queryClient.getQueryData(authUserQuery.queryKey)?.walletAddress).toBe(another)
})

test('a proof that is refused because another tab changed the account is not followed by an address without one', async () => {
  const { queryClient, requests } = setUp()
  await connectFakeWallet(queryClient, makeWallet())
  await waitFor(() => expect(queryClient.getQueryData(authUserQuery.queryKey)?.walletAddress).toBe(account))
  answerCommonCalls(api, { user: otto })
  api.answer(updateWallet, ({ body }) => {
    requests.push(body)
    if (body.signature) throw refusal(400, 'wallet_proof_invalid', 'The signature is of another account.')
    return { ...otto, walletProven: false }
  })

  expect(await registerWallet({ config, queryClient, address: account })).toBe(false)
  expect(requests.map(({ signature }) => signature)).toEqual(['0x1234', '0x1234'])
})

test("a wallet of another account is refused with the server's message", async () => {
  const { queryClient } = setUp()
  api.answer(updateWallet, () => {
    throw refusal(409, 'wallet_taken', 'This wallet belongs to another account.')
  })
  await connectFakeWallet(queryClient, makeWallet())

  await waitFor(() => expect(shown()?.title).toBe('Wallet Address Registration Failed'))
  expect(shown()?.description).toBe('This wallet belongs to another account.')
})

test.each([
  { says: 'nothing when the person refuses', error: walletError(4001), toast: undefined },
  { says: 'that a request waits already', error: walletError(-32002), toast: /pending connection request/ },
  {
    says: 'what else went wrong',
    error: walletError(-32603, 'The extension is locked out.'),
    toast: /The extension is locked out/,
  },
])('a failed connection says $says', async ({ error, toast }) => {
  const { queryClient, requests } = setUp()
  const fail = () => {
    throw error
  }
  await connectFakeWallet(queryClient, makeWallet({ eth_requestAccounts: fail }))

  expect(useWallet.getState()).toMatchObject({ address: null, isConnecting: false })
  if (toast) expect(shown()?.description).toMatch(toast)
  else expect(shown()).toBeUndefined()
  expect(requests).toEqual([])
})

test('any other failure has its printed title', async () => {
  const { queryClient } = setUp()
  const fail = () => {
    throw new Error('Broken.\n\nVersion: viem@2')
  }
  await connectFakeWallet(queryClient, makeWallet({ eth_requestAccounts: fail }))
  expect(shown()).toMatchObject({ title: '지갑 연결 실패', description: 'Broken.' })
})

test('disconnecting by hand removes the address here and on the server, and persists', async () => {
  const { queryClient, requests } = setUp()
  const wallet = await connectFakeWallet(queryClient, makeWallet())
  await waitFor(() => expect(requests).toHaveLength(1))
  await disconnectWallet({ config, queryClient })

  expect(requests.at(-1)).toEqual({ walletAddress: null })
  expect(useWallet.getState().address).toBeNull()
  expect(localStorage.getItem('wallet_manually_disconnected')).toBe('true')
  expect(shown()).toMatchObject({ title: '지갑 연결 해제', description: 'Wallet disconnected' })

  // Neither the next visit nor an event of the wallet reconnects it.
  await restoreWallet({ config, queryClient })
  wallet.emit('accountsChanged', [another])
  expect(useWallet.getState().address).toBeNull()
})

test('if the server refuses to remove the address, its message is shown and the user can retry', async () => {
  const { queryClient, requests } = setUp()
  await connectFakeWallet(queryClient, makeWallet())
  await waitFor(() => expect(requests).toHaveLength(1))
  api.answer(updateWallet, () => {
    throw refusal(409, 'wallet_in_use', 'A purchase is open.')
  })
  await disconnectWallet({ config, queryClient })
  expect(shown()).toMatchObject({ title: '지갑 연결 해제 실패', description: 'Disconnecting failed: A purchase is open.' })
  expect(useWallet.getState().address).toBe(account)

  api.answer(updateWallet, ({ body }) => ({ ...someUser({ walletAddress: body.walletAddress }), walletProven: false }))
  await disconnectWallet({ config, queryClient })
  expect(shown()?.title).toBe('지갑 연결 해제')
  expect(useWallet.getState().address).toBeNull()
  expect(queryClient.getQueryData(authUserQuery.queryKey)?.walletAddress).toBeNull()
})

test('a wallet that revokes access is removed from the account', async () => {
  const { queryClient, requests } = setUp()
  const wallet = await connectFakeWallet(queryClient, makeWallet())
  await waitFor(() => expect(requests).toHaveLength(1))
  wallet.emit('accountsChanged', [])

  expect(useWallet.getState().address).toBeNull()
  await waitFor(() => expect(requests.at(-1)).toEqual({ walletAddress: null }))
  expect(wasDisconnectedManually()).toBe(false)
})

test('a session that was ended in the wallet app disconnects only this page', async () => {
  const { queryClient, requests } = setUp()
  const wallet = await connectFakeWallet(queryClient, makeWallet())
  await waitFor(() => expect(requests).toHaveLength(1))
  await waitFor(() => expect(useWallet.getState().isProving).toBe(false))
  wallet.emit('session_delete', { topic: 'a' })
  expect(useWallet.getState().address).toBeNull()

  // What the ended session still reports is no decision of the user.
  wallet.emit('accountsChanged', [another])
  wallet.emit('accountsChanged', [])
  await connectFakeWallet(queryClient, makeWallet())
  await waitFor(() => expect(requests).toHaveLength(2))
  await waitFor(() => expect(useWallet.getState().isProving).toBe(false))
  expect(requests).not.toContainEqual({ walletAddress: null })
  wallet.emit('session_delete', { topic: 'a' })
  expect(useWallet.getState().address).toBe(account)
})

test('another account of the wallet is a new connection', async () => {
  const { queryClient, requests } = setUp()
  const wallet = await connectFakeWallet(queryClient, makeWallet())
  await waitFor(() => expect(requests).toHaveLength(1))
  wallet.emit('accountsChanged', [another.toUpperCase().replace('0X', '0x')])

  await waitFor(() => expect(requests.at(-1)).toMatchObject({ walletAddress: another, signature: '0x1234' }))
  expect(useWallet.getState().address).toBe(another)
})

test('an earlier connection is restored without a prompt or a request to the server', async () => {
  const { queryClient, requests } = setUp({ user: someUser() })
  const wallet = announceWallet(makeWallet())
  localStorage.setItem('wallet_last_used', wallet.id)
  await restoreWallet({ config, queryClient })

  expect(useWallet.getState().address).toBe(account)
  expect(wallet.asked).not.toContain('eth_requestAccounts')
  expect(wallet.asked).not.toContain('personal_sign')
  expect(requests).toEqual([])
})

test('a visitor connects without a request, and the address is registered once after the login', async () => {
  const { queryClient, requests } = setUp({ user: null })
  await connectFakeWallet(queryClient, makeWallet())
  expect(useWallet.getState().address).toBe(account)
  expect(requests).toEqual([])

  queryClient.setQueryData(authUserQuery.queryKey, someUser({ id: crypto.randomUUID(), walletAddress: null }))
  const save = () => registerFirstWallet({ config, queryClient, address: account })
  await Promise.all([save(), save()])
  expect(requests).toHaveLength(1)
  expect(requests[0]).toMatchObject({ walletAddress: account, signature: '0x1234' })
})

test('an address that was removed on another device is not registered again', async () => {
  const user = someUser({ id: crypto.randomUUID(), walletAddress: null })
  const { queryClient, requests } = setUp({ user })
  localStorage.setItem('wallet_owner', user.id)
  await registerFirstWallet({ config, queryClient, address: account })
  expect(requests).toEqual([])
})
