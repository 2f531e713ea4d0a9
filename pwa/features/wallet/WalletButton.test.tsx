import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react'
import type { UserEvent } from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { updateWallet } from '#shared/contract/wallet.ts'
import { shorten } from '#shared/address.ts'
import { answerCommonCalls, someUser } from '#pwa/testing/answers.ts'
import { useFakeApi } from '#pwa/testing/fakeApi.ts'
import { announceWallet, connectFakeWallet, makeWallet, walletError } from '#pwa/testing/fakeWallet.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { wasDisconnectedManually } from '#pwa/wallet/manualDisconnect.ts'
import { authUserQuery } from '#pwa/lib/queries.ts'
import { announceProvider } from '#pwa/wallet/announceProvider.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { WalletButton } from './WalletButton.tsx'

const api = useFakeApi()
const account = someUser().walletAddress!

beforeEach(() => {
  vi.spyOn(console, 'info').mockImplementation(() => {})
  api.answer(updateWallet, ({ body }) => ({ ...someUser({ walletAddress: body.walletAddress }), walletProven: true }))
})

async function pressConnect(person: UserEvent): Promise<void> {
  await waitFor(() => expect(screen.getByRole('button', { name: 'Connect Wallet' })).toBeEnabled())
  await person.click(screen.getByRole('button', { name: 'Connect Wallet' }))
}

/** The addresses that the page registers from now on. */
function recordRegistrations(): (string | null)[] {
  const requests: (string | null)[] = []
  api.answer(updateWallet, ({ body }) => {
    requests.push(body.walletAddress)
    return { ...someUser({ walletAddress: body.walletAddress }), walletProven: true }
  })
  return requests
}

test('desktop without a wallet says what to install', async () => {
  answerCommonCalls(api)
  const { person } = renderPage(<WalletButton />)
  await pressConnect(person)

  expect(await screen.findByText('MetaMask 필요')).toBeVisible()
  expect(await screen.findByText(/^No wallet was found in this browser/)).toBeVisible()
  // A QR code opens this page on a device with a wallet.
  expect(await screen.findByRole('img', { name: "QR code of this page's address" })).toBeVisible()
  expect(screen.getByRole('button', { name: 'Copy page address' })).toBeVisible()
  expect(screen.queryByRole('link', { name: 'MetaMask' })).not.toBeInTheDocument()
})

test('a phone without a wallet lists the wallet apps as links', async () => {
  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)')
  answerCommonCalls(api)
  const { person } = renderPage(<WalletButton />)
  await pressConnect(person)

  expect(await screen.findByRole('link', { name: 'MetaMask' })).toHaveAttribute(
    'href',
    expect.stringContaining('link.metamask.io'),
  )
  for (const name of ['Trust Wallet', 'OKX Wallet', 'Coinbase Wallet (Base app)', 'TokenPocket']) {
    expect(screen.getByRole('link', { name })).toBeVisible()
  }
  expect(screen.getByText('Wallet, then Discover', { exact: false })).toHaveTextContent('Binance: Wallet, then Discover')
})

test('a single wallet is asked at once, and after a refusal is listed once', async () => {
  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)')
  answerCommonCalls(api)
  const refuse = vi.fn(() => {
    throw walletError(4001)
  })
  const wallet = makeWallet({ eth_accounts: () => [], eth_requestAccounts: refuse, wallet_requestPermissions: refuse })
  announceProvider(wallet, { name: 'MetaMask', rdns: 'io.metamask', icon: '' })
  const { person } = renderPage(<WalletButton />)
  await pressConnect(person)

  const row = await screen.findByRole('button', { name: 'MetaMask' })
  expect(refuse).toHaveBeenCalled()
  await person.click(screen.getByRole('button', { name: 'Another wallet app' }))
  expect(screen.getByRole('link', { name: 'Trust Wallet' })).toBeVisible()
  expect(screen.queryByRole('link', { name: 'MetaMask' })).not.toBeInTheDocument()
  refuse.mockClear()
  await person.click(row)
  await waitFor(() => expect(refuse).toHaveBeenCalled())
})

test('wallets cannot be connected while sales are off', async () => {
  answerCommonCalls(api, { settings: { sales_enabled: 'false' } })
  const { person } = renderPage(<WalletButton />)
  // The tooltip is lazy-loaded.
  const hoverable = await waitFor(() => {
    const button = screen.getByRole('button', { name: 'Sales Disabled' })
    expect(button).toBeDisabled()
    expect(button.parentElement).toHaveAttribute('tabindex')
    return button.parentElement!
  })

  await person.hover(hoverable)
  expect((await screen.findAllByText('Sales are stopped, so wallet connection is impossible.'))[0]).toBeVisible()
})

test('an announced name with markup is shown as text, and an icon URL is not requested', async () => {
  answerCommonCalls(api)
  const name = '<img src=x onerror=alert(1)>'
  const evil = ['https://evil.example/icon.svg', 'javascript:alert(1)', '" onerror="alert(1)']
  for (const icon of evil)
    announceProvider(makeWallet({ eth_accounts: () => [] }), { name, rdns: `evil.${evil.indexOf(icon)}`, icon })
  const { person } = renderPage(<WalletButton />)
  await pressConnect(person)

  expect(await screen.findAllByRole('button', { name })).toHaveLength(evil.length)
  for (const image of document.querySelectorAll('img')) expect(image.src).toMatch(/^(data:image\/|http:\/\/localhost)/)
})

test('a wallet with a broken icon gets the generic one', async () => {
  answerCommonCalls(api)
  const icon = 'data:image/png;base64,bm90aGluZw=='
  announceProvider(makeWallet({ eth_accounts: () => [] }), { name: 'Sketchy', rdns: 'wallet.sketchy', icon })
  // A single wallet would be asked at once.
  announceWallet(makeWallet({ eth_accounts: () => [] }))
  const { person } = renderPage(<WalletButton />)
  await pressConnect(person)
  const row = await screen.findByRole('button', { name: 'Sketchy' })
  const icons = row.querySelectorAll('svg').length
  fireEvent.error(row.querySelector('img')!)
  expect(row.querySelector('img')).toBeNull()
  expect(row.querySelectorAll('svg')).toHaveLength(icons + 1)
})

test('a listed wallet is connected, and its address appears in the top bar', async () => {
  answerCommonCalls(api, { user: someUser({ walletAddress: null }) })
  const wallet = announceWallet(makeWallet())
  // A single wallet would be asked at once.
  announceWallet(makeWallet({ eth_accounts: () => [] }))
  const { person } = renderPage(<WalletButton />)
  // It was approved before, so it reconnects immediately.
  expect(await screen.findByRole('button', { name: `Wallet ${shorten(account)}` })).toBeVisible()
  expect(wallet.asked).not.toContain('eth_requestAccounts')

  await person.click(screen.getByRole('button', { name: `Wallet ${shorten(account)}` }))
  await person.click(await screen.findByRole('button', { name: 'Disconnect' }))
  expect(await screen.findByText('지갑 연결 해제')).toBeVisible()

  await person.click(screen.getByRole('button', { name: 'Connect Wallet' }))
  const { name } = useWallet.getState().wallets.find(({ id }) => id === wallet.id)!
  await person.click(await screen.findByRole('button', { name }))
  expect(await screen.findByText('지갑 연결 성공')).toBeVisible()
  expect(wallet.asked).toContain('eth_requestAccounts')
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
})

test('an address removed on another device is not registered again by this page', async () => {
  const user = someUser()
  answerCommonCalls(api, { user })
  const requests = recordRegistrations()
  const { queryClient } = renderPage(<WalletButton />)
  await waitFor(() => expect(queryClient.getQueryData(authUserQuery.queryKey)).toEqual(user))
  // Connected as on an earlier visit: this page has registered nothing.
  await connectFakeWallet(queryClient, makeWallet())
  await waitFor(() => expect(requests).toEqual([account]))
  act(() => void queryClient.setQueryData(authUserQuery.queryKey, someUser({ walletAddress: null })))

  await waitFor(() => expect(useWallet.getState().address).toBeNull())
  expect(wasDisconnectedManually()).toBe(true)
  expect(requests).toEqual([account])
})

test('a wallet that another tab has disconnected is not registered again by this one', async () => {
  answerCommonCalls(api, { user: someUser() })
  const requests = recordRegistrations()
  const { queryClient } = renderPage(<WalletButton />)
  await waitFor(() => expect(queryClient.getQueryData(authUserQuery.queryKey)).toBeTruthy())
  await connectFakeWallet(queryClient, makeWallet())
  await waitFor(() => expect(requests).toEqual([account]))
  // As the other tab leaves it.
  localStorage.setItem('wallet_manually_disconnected', 'true')
  localStorage.removeItem('wallet_owner')
  act(() => void queryClient.setQueryData(authUserQuery.queryKey, someUser({ walletAddress: null })))

  await waitFor(() => expect(useWallet.getState().address).toBeNull())
  expect(requests).toEqual([account])
})

test('an address removed elsewhere while the page was closed is not registered again on the next visit', async () => {
  answerCommonCalls(api, { user: someUser() })
  const wallet = announceWallet(makeWallet())
  localStorage.setItem('wallet_last_used', wallet.id)
  renderPage(<WalletButton />)
  await screen.findByRole('button', { name: `Wallet ${shorten(account)}` })
  cleanup()
  useWallet.setState({ address: null })

  answerCommonCalls(api, { user: someUser({ walletAddress: null }) })
  const update = vi.fn()
  api.answer(updateWallet, ({ body }) => {
    update(body)
    return { ...someUser(), walletProven: true }
  })
  renderPage(<WalletButton />)
  await waitFor(() => expect(wasDisconnectedManually()).toBe(true))
  expect(useWallet.getState().address).toBeNull()
  expect(await screen.findByRole('button', { name: 'Connect Wallet' })).toBeEnabled()
  expect(update).not.toHaveBeenCalled()
})

test('a wallet that is unlocked in this page is registered again', async () => {
  answerCommonCalls(api, { user: someUser({ walletAddress: null }) })
  const requests = recordRegistrations()
  const { queryClient } = renderPage(<WalletButton />)
  await waitFor(() => expect(queryClient.getQueryData(authUserQuery.queryKey)).toBeDefined())
  const wallet = makeWallet()
  await act(() => connectFakeWallet(queryClient, wallet))
  await waitFor(() => expect(requests).toEqual([account]))

  act(() => wallet.emit('accountsChanged', []))
  await waitFor(() => expect(requests).toEqual([account, null]))
  act(() => wallet.emit('accountsChanged', [account]))
  await waitFor(() => expect(requests).toEqual([account, null, account]))
  expect(useWallet.getState().address).toBe(account)
  expect(wasDisconnectedManually()).toBe(false)
})

/** A page with a wallet that signs when the test says so, of a visitor until somebody logs in. */
async function renderWithSlowWallet() {
  answerCommonCalls(api, { user: null })
  const { queryClient } = renderPage(<WalletButton />)
  await waitFor(() => expect(queryClient.getQueryData(authUserQuery.queryKey)).toBeNull())
  const signatures: ((signature: string) => void)[] = []
  const wallet = makeWallet({ personal_sign: () => new Promise((resolve) => signatures.push(resolve)) })
  await act(() => connectFakeWallet(queryClient, wallet))
  return {
    wallet,
    logIn: (walletAddress: `0x${string}` | null) => {
      // One whose wallet this page has not registered in an earlier test.
      const user = someUser({ id: crypto.randomUUID(), walletAddress })
      act(() => void queryClient.setQueryData(authUserQuery.queryKey, user))
    },
    /** Answers the oldest open request. */
    sign: async () => {
      await waitFor(() => expect(signatures).not.toEqual([]))
      await act(async () => signatures.shift()!('0x1234'))
    },
  }
}

const waitingSheet = () => screen.findByRole('dialog', { name: 'Confirm your wallet' })
const noSheet = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())

test('a login with a connected wallet shows that its signature is awaited', async () => {
  const { logIn, sign } = await renderWithSlowWallet()
  await noSheet()
  logIn(null)
  expect(await waitingSheet()).toBeVisible()
  await sign()
  await noSheet()
})

test('a switch of account in the wallet shows that its signature is awaited, until the last account has signed', async () => {
  const { wallet, logIn, sign } = await renderWithSlowWallet()
  logIn(account)
  await noSheet()
  act(() => wallet.emit('accountsChanged', [`0x${'7'.repeat(40)}`]))
  expect(await waitingSheet()).toBeVisible()
  act(() => wallet.emit('accountsChanged', [`0x${'8'.repeat(40)}`]))
  await waitFor(() => expect(wallet.asked.filter((method) => method === 'personal_sign')).toHaveLength(2))

  await sign()
  expect(await waitingSheet()).toBeVisible()
  await sign()
  await noSheet()
})

test('before another wallet replaces the one of the account, the list and the wait for its signature say so', async () => {
  answerCommonCalls(api, { user: someUser() })
  const other = { eth_accounts: () => [], wallet_requestPermissions: () => [], personal_sign: () => new Promise(() => {}) }
  const wallet = announceWallet(makeWallet(other, `0x${'1'.repeat(40)}`))
  announceWallet(makeWallet({ eth_accounts: () => [] }))
  const { person } = renderPage(<WalletButton />)
  await pressConnect(person)
  const notice = `Your account's wallet is ${shorten(account)}`
  expect(await screen.findByText(notice)).toBeVisible()

  const { name } = useWallet.getState().wallets.find(({ id }) => id === wallet.id)!
  await person.click(await screen.findByRole('button', { name }))
  expect(await screen.findByRole('dialog', { name: 'Confirm your wallet' })).toHaveTextContent(notice)
})
