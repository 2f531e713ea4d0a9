import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { getAdminStats } from '#shared/contract/admin/office.ts'
import { type AdminUserRow, getXcrDetails, listUsers, resetUserPassword } from '#shared/contract/admin/users.ts'
import { answerBackOffice, answerUsers, pagingOf, someAdminStats, someAdminUser } from '#pwa/testing/adminAnswers.ts'
import { amountOf, answerCommonCalls } from '#pwa/testing/answers.ts'
import { refusal, unauthorized, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'

const api = useFakeApi()
const button = (name: string | RegExp) => screen.getByRole('button', { name })
const idOf = (number: number) => `01936b2a-7c00-7000-8000-0000000${String(number).padStart(5, '0')}`

/** Renders the tab and returns the requests it makes. */
function open(users: readonly AdminUserRow[] = [someAdminUser()], at = '/admin-panel') {
  answerCommonCalls(api)
  answerBackOffice(api)
  const asked = answerUsers(api, users)
  return { ...renderPage(<AdminArea />, { at }), asked }
}

const people = (count: number) =>
  Array.from({ length: count }, (_, at) => someAdminUser({ id: idOf(at), email: `user${at}@example.com` }))

const table = () => screen.findByRole('table', { name: 'Users' })
const rows = async () =>
  within(await table())
    .getAllByRole('row')
    .slice(1)
const cells = (row: HTMLElement) =>
  within(row)
    .getAllByRole('cell')
    .map(({ textContent }) => textContent)
const emails = async () => (await rows()).map((row) => cells(row)[0])

test("it is the first tab, and a row shows a user's nodes and sign-up date", async () => {
  open([someAdminUser(), someAdminUser({ id: idOf(2), email: 'root@example.com', walletAddress: null, isAdmin: true })])
  expect(await screen.findByText('Loading users')).toBeInTheDocument()
  const [first, second] = await rows()

  expect(screen.getByRole('tab', { name: 'Users management' })).toHaveAttribute('aria-selected', 'true')
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'Email',
    'Wallet address',
    'Nodes',
    'Available XCR',
    'Total earned XCR',
    'Role',
    'Signed up (UTC)',
    'Actions',
  ])
  expect(cells(first!).slice(0, 7)).toEqual([
    'mara@example.com',
    '0x8f3a...2b3c',
    '10',
    '1,100.50',
    '4,100.50',
    'GENERAL',
    '20 Nov 2026',
  ])
  expect(cells(second!)[1]).toBe('not registered')
  expect(cells(second!)[5]).toBe('ADMIN')
})

test('a frozen account keeps the badge of its role', async () => {
  open([someAdminUser({ frozen: { thawsAt: null } }), someAdminUser({ id: idOf(2), isAdmin: true, frozen: { thawsAt: null } })])
  expect((await rows()).map((row) => cells(row)[5])).toEqual(['GENERALFROZEN', 'ADMINFROZEN'])
})

test('a search requires a text, filters the users, and can be cleared', async () => {
  const { person, asked, location } = open(people(3))
  await rows()
  expect(button('Search')).toBeDisabled()
  await person.type(screen.getByLabelText('Search by email'), '   ')
  expect(button('Search')).toBeDisabled()

  await person.type(screen.getByLabelText('Search by email'), 'user2 ')
  await person.click(button('Search'))
  await expect.poll(emails).toEqual(['user2@example.com'])
  expect(asked.at(-1)).toEqual({ email: 'user2', limit: 15, offset: 0 })
  expect(location()).toContain('email=user2')

  await person.click(button('Clear search'))
  await expect.poll(emails).toHaveLength(3)
  expect(asked.at(-1)).toEqual({ limit: 15, offset: 0 })
  expect(screen.getByLabelText('Search by email')).toHaveValue('')
  expect(screen.queryByRole('button', { name: 'Clear search' })).not.toBeInTheDocument()
})

test('fifteen users fit on one page, sixteen need two', async () => {
  open(people(15))
  expect(await rows()).toHaveLength(15)
  expect(screen.queryByRole('navigation', { name: 'Pages of users' })).not.toBeInTheDocument()
})

test('Next and Previous change the page, and a search starts at page 1', async () => {
  const { person, asked } = open(people(31))
  expect(await rows()).toHaveLength(15)
  expect(screen.getByText('Total 31 users · Page 1 of 3')).toBeVisible()
  expect(button('Previous')).toBeDisabled()

  await person.click(button('Next'))
  await person.click(await screen.findByRole('button', { name: 'Next' }))
  await expect.poll(emails).toEqual(['user30@example.com'])
  expect(asked.at(-1)).toEqual({ limit: 15, offset: 30 })
  expect(button('Next')).toBeDisabled()
  await person.click(button('Previous'))
  expect(await screen.findByText('Total 31 users · Page 2 of 3')).toBeVisible()

  await person.type(screen.getByLabelText('Search by email'), 'user{Enter}')
  expect(await screen.findByText('Total 31 users · Page 1 of 3')).toBeVisible()
  await expect.poll(() => asked.at(-1)).toEqual({ email: 'user', limit: 15, offset: 0 })
})

test('page and search are kept in the address', async () => {
  const { asked } = open(people(40), '/admin-panel?tab=users&email=user&page=2')
  await rows()
  expect(screen.getByLabelText('Search by email')).toHaveValue('user')
  expect(asked).toEqual([{ email: 'user', limit: 15, offset: 15 }])
})

test('no match, no users, and a page beyond the last each have their text', async () => {
  open([], '/admin-panel?email=nobody')
  expect(await screen.findByText('No user’s email contains “nobody”.')).toBeVisible()
})

test('an installation without users says so', async () => {
  open([])
  expect(await screen.findByText('No users yet.')).toBeVisible()
})

test('Previous on a page beyond the last leads to the last', async () => {
  const { person, asked } = open(people(31), '/admin-panel?page=9')
  expect(await screen.findByText('This page is empty.')).toBeVisible()
  await person.click(button('Previous'))
  await expect.poll(() => asked.at(-1)).toEqual({ limit: 15, offset: 30 })
})

test('a search with too many matches says that it was truncated', async () => {
  answerCommonCalls(api)
  answerBackOffice(api)
  api.answer(listUsers, ({ query }) => ({ users: people(1), ...pagingOf(1, query), isCut: true }))
  renderPage(<AdminArea />, { at: '/admin-panel' })
  expect(await screen.findByText(/^Too many accounts match/)).toBeVisible()
})

test('a list that failed to load can be retried', async () => {
  answerCommonCalls(api)
  answerBackOffice(api)
  api.answer(listUsers, () => {
    throw refusal(500, 'internal', 'Something broke.')
  })
  const { person } = renderPage(<AdminArea />, { at: '/admin-panel' })
  expect(await screen.findByText('Failed to fetch users')).toBeVisible()
  expect(screen.getByText(/Something broke\./)).toBeVisible()

  answerUsers(api, people(2))
  await person.click(button('Try again'))
  expect(await rows()).toHaveLength(2)
})

test('the list is refetched by its button and on every return to it', async () => {
  const { person, asked } = open()
  await rows()
  await person.click(button('Refresh users'))
  await expect.poll(() => asked).toHaveLength(2)

  await person.click(screen.getByRole('tab', { name: 'System settings' }))
  await person.click(screen.getByRole('tab', { name: 'Users management' }))
  await rows()
  expect(asked).toHaveLength(3)
})

test('arrows move from the search through the rows', async () => {
  const { person } = open(people(3))
  await rows()
  await person.click(screen.getByLabelText('Search by email'))
  await person.keyboard('{ArrowDown}')
  expect(button('Reset password of user0@example.com')).toHaveFocus()
  await person.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}')
  expect(button('Reset password of user2@example.com')).toHaveFocus()
  await person.keyboard('{ArrowUp}')
  expect(button('Reset password of user1@example.com')).toHaveFocus()
  await person.keyboard('{Enter}')
  expect(await screen.findByRole('dialog', { name: 'Reset the password of user1@example.com?' })).toBeVisible()
})

test('a password is reset after a confirmation, shown once, and copied', async () => {
  const { person } = open()
  const reset: string[] = []
  let statsRead = 0
  api.answer(getAdminStats, () => {
    statsRead += 1
    return someAdminStats()
  })
  api.answer(resetUserPassword, ({ params }) => {
    reset.push(params.id)
    return { userEmail: 'mara@example.com', temporaryPassword: 'Tmp-9k$Q!x7', message: 'A temporary password is set.' }
  })
  await person.click(await screen.findByRole('button', { name: 'Reset password of mara@example.com' }))
  const question = screen.getByRole('dialog', { name: 'Reset the password of mara@example.com?' })
  await person.click(within(question).getByRole('button', { name: 'Cancel' }))
  expect(reset).toEqual([])

  const before = statsRead
  await person.click(button('Reset password of mara@example.com'))
  await person.click(button('Reset password'))
  const result = await screen.findByRole('dialog', { name: 'Password reset' })
  expect(reset).toEqual([someAdminUser().id])
  expect(result).toHaveTextContent('mara@example.com')
  expect(within(result).getByText('Tmp-9k$Q!x7')).toBeVisible()
  await expect.poll(() => statsRead).toBeGreaterThan(before)

  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  await person.click(within(result).getByRole('button', { name: 'Copy' }))
  expect(await navigator.clipboard.readText()).toBe('Tmp-9k$Q!x7')
  expect(within(result).getByRole('button', { name: 'Copied' })).toBeVisible()
  vi.advanceTimersByTime(2_000)
  expect(await within(result).findByRole('button', { name: 'Copy' })).toBeVisible()
  vi.useRealTimers()

  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('Denied'))
  await person.click(within(result).getByRole('button', { name: 'Copy' }))
  expect(await screen.findByText('Copy to clipboard failed.')).toBeVisible()

  await person.keyboard('{Escape}')
  expect(screen.getByText('Tmp-9k$Q!x7')).toBeVisible()
  await person.click(within(result).getByRole('button', { name: 'Done' }))
  expect(screen.queryByText('Tmp-9k$Q!x7')).not.toBeInTheDocument()
  expect(button('Reset password of mara@example.com')).toHaveFocus()
})

test('the question stays while the password is reset, since nobody could read it otherwise', async () => {
  const { person } = open()
  const isReset = Promise.withResolvers<void>()
  api.answer(resetUserPassword, async () => {
    await isReset.promise
    return { userEmail: 'mara@example.com', temporaryPassword: 'Tmp-9k$Q!x7', message: 'A temporary password is set.' }
  })
  await person.click(await screen.findByRole('button', { name: 'Reset password of mara@example.com' }))
  await person.click(button('Reset password'))
  expect(await screen.findByRole('button', { name: 'Resetting...' })).toBeDisabled()
  await person.keyboard('{Escape}')
  expect(screen.getByRole('dialog', { name: 'Reset the password of mara@example.com?' })).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Close' })).not.toBeInTheDocument()

  isReset.resolve()
  expect(await screen.findByText('Tmp-9k$Q!x7')).toBeVisible()
})

test('a refused reset shows the reason', async () => {
  const { person } = open()
  api.answer(resetUserPassword, () => {
    throw refusal(404, 'not_found', 'There is no such user.')
  })
  await person.click(await screen.findByRole('button', { name: 'Reset password of mara@example.com' }))
  await person.click(button('Reset password'))
  expect(await screen.findByText('Password reset failed')).toBeVisible()
  expect(screen.getByText('There is no such user.')).toBeVisible()
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
})

test('a lost session shows one toast and redirects to the login', async () => {
  const { person } = open()
  window.history.replaceState(null, '', '/admin-panel')
  vi.useFakeTimers({ toFake: ['setTimeout'], shouldAdvanceTime: true })
  api.answer(resetUserPassword, () => {
    throw unauthorized()
  })
  await person.click(await screen.findByRole('button', { name: 'Reset password of mara@example.com' }))
  await person.click(button('Reset password'))
  expect(await screen.findByText('Unauthorized – you are logged out, logging in again')).toBeVisible()
  expect(screen.queryByText('Password reset failed')).not.toBeInTheDocument()
})

const details = {
  withdrawals: [],
  totalNodes: 12,
  availableXcr: amountOf('100.25'),
  totalEarnedXcr: amountOf('9100.123456789'),
  completed: { totalAmount: amountOf('9000'), count: 3 },
  addresses: ['0x8f3a2b1c4d5e6f708192a3b4c5d6e7f8091a2b3c', `0x${'a'.repeat(40)}`] as `0x${string}`[],
}

test('the XCR details show four figures and the full addresses', async () => {
  const { person } = open()
  api.answer(getXcrDetails, () => details)
  await person.click(await screen.findByRole('button', { name: 'XCR details of mara@example.com' }))
  const dialog = await screen.findByRole('dialog', { name: 'XCR details' })

  expect(
    within(dialog)
      .getAllByRole('term')
      .map(({ textContent }) => textContent),
  ).toEqual(['Node count', 'Available XCR', 'Total earned XCR', 'Completed withdrawals'])
  expect(
    within(dialog)
      .getAllByRole('definition')
      .map(({ textContent }) => textContent),
  ).toEqual(['12', '100.25 XCR', '9,100.12345678 XCR', '9,000.00 XCRin 3 withdrawals'])
  expect(
    within(dialog)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(details.addresses)
})

test('a user without withdrawals has no addresses', async () => {
  const { person } = open()
  api.answer(getXcrDetails, () => ({ ...details, completed: { totalAmount: 0n, count: 0 }, addresses: [] }))
  await person.click(await screen.findByRole('button', { name: 'XCR details of mara@example.com' }))
  expect(await screen.findByText('No completed withdrawals.')).toBeVisible()
})

test('XCR details that fail to load show a toast and no dialog', async () => {
  const { person } = open()
  api.answer(getXcrDetails, () => {
    throw refusal(500, 'internal', 'Something broke.')
  })
  await person.click(await screen.findByRole('button', { name: 'XCR details of mara@example.com' }))
  expect(await screen.findByText('failed to fetch XCR information')).toBeVisible()
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
})
