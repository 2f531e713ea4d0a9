import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { logout } from '#shared/contract/identity.ts'
import { answerCommonCalls, someUser } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { useWithdrawalStore } from '#pwa/features/withdrawal/withdrawalStore.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { authUserQuery } from '#pwa/lib/queries.ts'
import { isLogoutQueued } from '#pwa/lib/queuedLogout.ts'
import { keepShownSecret, readShownSecret } from '#pwa/lib/shownSecret.ts'
import { TopBar } from './TopBar.tsx'

vi.mock('altcha/external', () => import('#pwa/testing/fakeAltcha.ts'))
vi.mock('altcha/workers/pbkdf2?worker', () => ({ default: class {} }))

const api = useFakeApi()
const navigation = () => within(screen.getAllByRole('navigation', { name: 'Main' })[0]!)

test('a visitor can log in, but not open a history', async () => {
  answerCommonCalls(api)
  renderPage(<TopBar />)

  expect(await screen.findByRole('button', { name: 'Log in' })).toBeVisible()
  const history = navigation().getByText('History')
  expect(history).toHaveAttribute('aria-disabled', 'true')
  expect(history).toHaveAttribute('title', 'Log in to see it')
  expect(navigation().getByRole('link', { name: 'Purchase' })).toHaveAttribute('href', '/purchase')
})

test('Log in opens the Human Verification without leaving the page', async () => {
  answerCommonCalls(api)
  const { person, location } = renderPage(<TopBar />, { at: '/purchase' })
  await person.click(await screen.findByRole('button', { name: 'Log in' }))

  expect(await screen.findByRole('dialog', { name: 'Human Verification' })).toBeVisible()
  expect(location()).toBe('/purchase')
  await person.keyboard('{Escape}')
})

test("the menu has the email address, and logging out clears the user's data even if the request fails", async () => {
  vi.spyOn(console, 'info').mockImplementation(() => {})
  answerCommonCalls(api, { user: someUser({ email: 'mara@example.com' }) })
  api.answer(logout, () => {
    throw refusal(500, 'internal', 'Something broke.')
  })
  const { person, location, queryClient } = renderPage(<TopBar />, { at: '/history' })
  const personal = ['/api/node-purchases', '/api/user/nodes', '/api/admin/auth/user']
  for (const path of personal) queryClient.setQueryData([path], [])

  expect(await screen.findByRole('link', { name: 'History' })).toHaveAttribute('href', '/history')
  await person.click(await screen.findByRole('button', { name: 'Account of mara' }))
  expect(await screen.findByRole('menuitem', { name: 'Security Settings' })).toHaveAttribute('href', '/security')
  await person.click(screen.getByRole('menuitem', { name: 'Log out' }))

  await waitFor(() => expect(location()).toBe('/'))
  await waitFor(() => expect(queryClient.getQueryData(authUserQuery.queryKey)).toBeNull())
  for (const path of personal) expect(queryClient.getQueryData([path])).toBeUndefined()
})

test('a logout that the server never answers clears the page all the same, and is queued', async () => {
  vi.spyOn(console, 'info').mockImplementation(() => {})
  const patience = new AbortController()
  answerCommonCalls(api, { user: someUser() })
  api.answer(logout, () => new Promise(() => {}))
  const { person, queryClient } = renderPage(<TopBar />)
  await person.click(await screen.findByRole('button', { name: 'Account of mara' }))
  const logOut = await screen.findByRole('menuitem', { name: 'Log out' })
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(patience.signal)
  await person.click(logOut)
  await waitFor(() => expect(timeout).toHaveBeenCalledWith(8_000))

  act(() => patience.abort())

  await waitFor(() => expect(queryClient.getQueryData(authUserQuery.queryKey)).toBeNull())
  expect(isLogoutQueued()).toBe(true)
})

test('after a logout the tab keeps no secret of an authenticator that was being set up', async () => {
  answerCommonCalls(api, { user: someUser() })
  api.answer(logout, () => ({ message: 'ok' }))
  keepShownSecret({ secret: 'JBSWY3DP' })
  const { person, queryClient } = renderPage(<TopBar />)
  await person.click(await screen.findByRole('button', { name: 'Account of mara' }))
  await person.click(await screen.findByRole('menuitem', { name: 'Log out' }))
  await waitFor(() => expect(queryClient.getQueryData(authUserQuery.queryKey)).toBeNull())
  expect(readShownSecret()).toEqual({})
})

test('after a logout no menu opens by itself', async () => {
  answerCommonCalls(api, { user: someUser() })
  api.answer(logout, () => ({ message: 'ok' }))
  const { person } = renderPage(<TopBar />)
  await person.click(await screen.findByRole('button', { name: 'Account of mara' }))
  await person.click(await screen.findByRole('menuitem', { name: 'Log out' }))
  await screen.findByRole('button', { name: 'Language: English' })
  await screen.findByRole('button', { name: 'Log in' })
  expect(screen.queryByRole('menu')).not.toBeInTheDocument()
})

test('XCR Withdraw requires a wallet, says so, and opens the withdrawal', async () => {
  answerCommonCalls(api, { user: someUser() })
  const { person } = renderPage(<TopBar />)
  await person.click(await screen.findByRole('button', { name: 'Account of mara' }))
  const item = await screen.findByRole('menuitem', { name: /^XCR Withdraw.*Connect your wallet first$/ })
  expect(item).toHaveAttribute('aria-disabled', 'true')

  act(() => useWallet.setState({ address: someUser().walletAddress }))
  await person.click(await screen.findByRole('menuitem', { name: 'XCR Withdraw' }))
  expect(useWithdrawalStore.getState().isOpen).toBe(true)
})

test('the phone menu has XCR Withdraw as well', async () => {
  answerCommonCalls(api, { user: someUser() })
  const { person } = renderPage(<TopBar />)
  await person.click(await screen.findByRole('button', { name: 'Open menu' }))
  expect(await screen.findByRole('button', { name: /^XCR Withdraw.*Connect your wallet first$/ })).toBeDisabled()

  act(() => useWallet.setState({ address: someUser().walletAddress }))
  await person.click(screen.getByRole('button', { name: 'XCR Withdraw' }))
  expect(useWithdrawalStore.getState().isOpen).toBe(true)
})

test.each([
  { email: 'mara.lind@example.com', initials: 'ml' },
  { email: 'jo@example.com', initials: 'j' },
  { email: '__@example.com', initials: 'U' },
])('who has no picture is shown by initials: $email', async ({ email, initials }) => {
  answerCommonCalls(api, { user: someUser({ email }) })
  renderPage(<TopBar />)

  const button = await screen.findByRole('button', { name: /^Account of/ })
  expect(button.querySelector('[data-initials]')).toHaveAttribute('data-initials', initials)
  expect(button.querySelector('img')).toBeNull()
})

test('a picture replaces the initials unless it fails to load', async () => {
  answerCommonCalls(api, { user: someUser({ profileImageUrl: '/picture.png' }) })
  renderPage(<TopBar />)

  const button = await screen.findByRole('button', { name: 'Account of mara' })
  const picture = button.querySelector('img')!
  expect(picture).toHaveAttribute('src', '/picture.png')
  fireEvent.error(picture)
  expect(button.querySelector('[data-initials]')).toHaveAttribute('data-initials', 'm')
})

test('the account menu has its items, and a theme submenu that opens 100 ms after hover', async () => {
  answerCommonCalls(api, { user: someUser() })
  const { person } = renderPage(<TopBar />)
  await person.click(await screen.findByRole('button', { name: 'Account of mara' }))
  act(() => useWallet.setState({ address: someUser().walletAddress }))
  await screen.findByRole('menuitem', { name: 'Disconnect' })
  const names = screen.getAllByRole('menuitem').map((item) => item.textContent)
  expect(names).toEqual(['Security Settings', 'XCR Withdraw', 'Disconnect', 'ThemeSystem', 'LanguageEnglish', 'Log out'])

  const setTimer = vi.spyOn(globalThis, 'setTimeout')
  fireEvent.pointerMove(screen.getByRole('menuitem', { name: /^Theme/ }), { pointerType: 'mouse' })
  expect(setTimer.mock.calls.map(([, delay]) => delay)).toContain(100)
  expect(await screen.findByRole('menuitemradio', { name: 'Dark' })).toBeVisible()
})

test('the theme is switched and stored', async () => {
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => {} }))
  answerCommonCalls(api)
  const { person } = renderPage(<TopBar />)

  await person.click(await screen.findByRole('button', { name: 'Theme: System' }))
  await person.click(await screen.findByRole('menuitemradio', { name: 'Dark' }))

  expect(document.documentElement.dataset.theme).toBe('dark')
  expect(localStorage.getItem('theme')).toBe('dark')
})
