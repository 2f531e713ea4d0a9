import { act, renderHook, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { adminLoginStatus, adminLogout } from '#shared/contract/admin/login.ts'
import { answerBackOffice } from '#pwa/testing/adminAnswers.ts'
import { answerCommonCalls, someUser } from '#pwa/testing/answers.ts'
import { keepShownSecret, readShownSecret } from '#pwa/lib/shownSecret.ts'
import { isLogoutQueued } from '#pwa/lib/queuedLogout.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'
import { useDraft } from '../useDraft.ts'

const api = useFakeApi()

test('a visitor is told to log in, and redirected', async () => {
  answerCommonCalls(api)
  answerBackOffice(api, { isLoggedIn: false })
  const { location } = renderPage(<AdminArea />, { at: '/admin-panel' })

  expect(await screen.findByText('Admin Login Required')).toBeVisible()
  expect(location()).toBe('/admin1')
  expect(await screen.findByLabelText('Username')).toBeVisible()
})

test('a user who is not an administrator is denied access', async () => {
  answerCommonCalls(api, { user: someUser() })
  answerBackOffice(api, { isLoggedIn: false })
  const { location } = renderPage(<AdminArea />, { at: '/admin-panel' })

  expect(await screen.findByRole('heading', { name: 'Access denied – admin privileges required' })).toBeVisible()
  expect(screen.getByRole('link', { name: 'Administrator login' })).toHaveAttribute('href', '/admin1')
  expect(screen.queryByText('Admin Login Required')).not.toBeInTheDocument()
  expect(location()).toBe('/admin-panel')
})

test("a forbidden IP address is denied access with the server's message", async () => {
  answerCommonCalls(api)
  api.answer(adminLoginStatus, () => {
    throw refusal(403, 'ip_not_allowed', 'The back office does not answer this address.')
  })
  renderPage(<AdminArea />, { at: '/admin-panel' })

  expect(await screen.findByRole('heading', { name: 'Access denied – admin privileges required' })).toBeVisible()
  expect(screen.getByText('The back office does not answer this address.')).toBeVisible()
})

test('if the administrator fails to load it can be retried', async () => {
  answerCommonCalls(api)
  api.answer(adminLoginStatus, () => {
    throw refusal(500, 'internal', 'Something broke.')
  })
  const { person } = renderPage(<AdminArea />, { at: '/admin-panel' })
  expect(await screen.findByText('Failed to check admin login status')).toBeVisible()

  answerBackOffice(api)
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByRole('heading', { name: 'admin dashboard' })).toBeVisible()
})

test('the tab is kept in the address, and an unknown one is the first', async () => {
  answerCommonCalls(api)
  answerBackOffice(api)
  renderPage(<AdminArea />, { at: '/admin-panel?tab=settings' })
  expect(await screen.findByRole('tab', { name: 'System settings' })).toHaveAttribute('aria-selected', 'true')
  expect(screen.getByRole('heading', { name: 'Admin IP access control' })).toBeVisible()
})

test('the audit log and the health have addresses of their own beside the tabs', async () => {
  answerCommonCalls(api)
  answerBackOffice(api)
  const { person, location } = renderPage(<AdminArea />, { at: '/admin-panel?tab=audit&actor=keeper' })
  expect(await screen.findByRole('heading', { name: 'Audit' })).toBeVisible()
  expect(screen.getByRole('link', { name: 'Audit' })).toHaveAttribute('aria-current', 'page')
  expect(screen.getAllByRole('tab', { selected: false })).toHaveLength(screen.getAllByRole('tab').length)

  await person.click(screen.getByRole('link', { name: 'Health' }))
  expect(await screen.findByRole('heading', { name: 'Health' })).toBeVisible()
  expect(location()).toBe('/admin-panel?tab=health')

  await person.click(screen.getByRole('tab', { name: 'System settings' }))
  expect(await screen.findByRole('heading', { name: 'Sales control' })).toBeVisible()
  expect(screen.queryByRole('heading', { name: 'Health' })).not.toBeInTheDocument()
  expect(location()).toBe('/admin-panel?tab=settings')
})

const fail = () => Promise.reject(refusal(500, 'internal', 'Something broke.'))

test.each([
  ['succeeds', 'nobody else', null],
  ['fails', 'nobody else', null],
  ['succeeds', 'a user', someUser()],
  ['fails', 'a user', someUser()],
])('logging out ends at the login when the call %s, and leaves %s behind', async (outcome, _, user) => {
  vi.spyOn(console, 'info').mockImplementation(() => {})
  answerCommonCalls(api, { user })
  answerBackOffice(api)
  if (outcome === 'fails') api.answer(adminLogout, fail)
  const { result: draft } = renderHook(() => useDraft('announcement', ''))
  act(() => draft.current[1]('On Sunday.'))
  keepShownSecret({ secret: 'JBSWY3DP' })
  const { person, location, queryClient } = renderPage(<AdminArea />, { at: '/admin-panel' })
  await person.click(await screen.findByRole('button', { name: 'Admin Logout' }))

  await waitFor(() => expect(location()).toBe('/admin1'))
  expect(await screen.findByLabelText('Username')).toBeVisible()
  expect(screen.queryByText('Admin Login Required')).not.toBeInTheDocument()
  expect(screen.queryAllByText('Logout Not Confirmed')).toHaveLength(outcome === 'fails' ? 1 : 0)
  expect(readShownSecret()).toEqual({})
  expect(isLogoutQueued('admin'), 'a session that was left behind ends later').toBe(outcome === 'fails')
  const kept = queryClient
    .getQueryCache()
    .getAll()
    .map(({ queryKey }) => String(queryKey[0]))
  expect(kept.filter((path) => path.startsWith('/api/admin/'))).toEqual([adminLoginStatus.path])
  expect(draft.current[0]).toBe('')
  expect(sessionStorage.getItem('admin_drafts')).toBeNull()
})
