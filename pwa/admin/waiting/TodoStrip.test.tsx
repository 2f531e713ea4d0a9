import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { ADMIN_EVENTS_PATH } from '#shared/contract/events.ts'
import { adminLoginStatus } from '#shared/contract/admin/login.ts'
import { getAdminStats } from '#shared/contract/admin/office.ts'
import { getWaiting, type Waiting } from '#shared/contract/admin/waiting.ts'
import { answerBackOffice, someAdminStats, someWaiting } from '#pwa/testing/adminAnswers.ts'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'
import { answerCommonCalls } from '#pwa/testing/answers.ts'
import { proxyAnswer, refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'

const api = useFakeApi()

/** A fake EventSource that the test controls. */
class FakeStream {
  static readonly CLOSED = 2
  static opened: FakeStream[] = []
  onopen?: () => void
  onmessage?: (message: { data: string }) => void
  onerror?: () => void
  readyState = 1
  readonly path: string
  close = vi.fn()

  constructor(path: string) {
    this.path = path
    FakeStream.opened.push(this)
  }
}

beforeEach(() => {
  FakeStream.opened = []
  vi.stubGlobal('EventSource', FakeStream)
})

function open(waiting: Partial<Waiting>, at = '/admin-panel') {
  answerCommonCalls(api)
  answerBackOffice(api, { waiting })
  return renderPage(<AdminArea />, { at })
}

const strip = async () => within(await screen.findByRole('region', { name: 'To do' }))
const links = async () => (await strip()).getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')])
const tabNames = () => screen.getAllByRole('tab').map((tab) => tab.textContent)

test('the strip links each kind of what waits to the list that shows it, alarms first', async () => {
  open({ withdrawals: 3, holds: 1, reviews: 2, stoppedPayouts: 1, lowWallets: 1, differences: 1_000, failingTasks: 1 })
  await (await strip()).findByRole('link', { name: /3 withdrawals/ })
  expect(await links()).toEqual([
    ['1,000 differences in the books', '/admin-panel?tab=health'],
    ['Payouts stopped', '/admin-panel?tab=health'],
    ['Payout wallet low', '/admin-panel?tab=health'],
    ['1 job failing', '/admin-panel?tab=health'],
    ['3 withdrawals to decide', '/admin-panel?tab=withdrawals&status=waiting'],
    ['2 cases to review', '/admin-panel?tab=purchases&status=waiting'],
    ['1 withdrawal on hold', '/admin-panel?tab=withdrawals&status=held'],
  ])
})

test('each tab and the title of the browser tab show how much waits', async () => {
  open({ withdrawals: 3, holds: 1, reviews: 2, lowWallets: 1 })
  expect(await screen.findByRole('tab', { name: 'Reward-token withdrawals, 4 wait' })).toBeVisible()
  expect(screen.getByRole('tab', { name: 'All purchases, 2 wait' })).toBeVisible()
  expect(screen.getByRole('tab', { name: 'System settings' })).toBeVisible()
  expect(screen.getByRole('link', { name: /^Health ?, 1 waits$/ })).toBeVisible()
  await waitFor(() => expect(document.title).toMatch(/^\(7\) Admin dashboard/))
})

test('when nothing waits, the strip says so, and neither tabs nor title count', async () => {
  open({})
  expect(await screen.findByText('Nothing waits')).toBeVisible()
  expect(tabNames()).toEqual(['Users management', 'Reward-token withdrawals', 'All purchases', 'Bonus grants', 'System settings'])
  expect(document.title).toMatch(/^Admin dashboard/)
})

test.each([
  ['viewer', 'Waiting for others', false],
  ['support', 'Waiting for others', false],
  ['finance', 'To do', true],
  ['owner', 'To do', true],
] as const)('of what waits, the panel of a %s says: %s', async (role, name, isCounted) => {
  answerCommonCalls(api)
  answerBackOffice(api, { role, waiting: { withdrawals: 3 } })
  renderPage(<AdminArea />, { at: '/admin-panel' })
  const shown = within(await screen.findByRole('region', { name }))
  expect(await shown.findByRole('link', { name: '3 withdrawals to decide' })).toBeVisible()
  await waitFor(() => expect(document.title.startsWith('(3) ')).toBe(isCounted))
})

test('the figures follow the event stream of the back office, which closes with the panel', async () => {
  const { person } = open({ withdrawals: 1 })
  expect(await screen.findByRole('link', { name: '1 withdrawal to decide' })).toBeVisible()
  const [stream] = FakeStream.opened.filter(({ path }) => path === ADMIN_EVENTS_PATH)
  api.answer(getWaiting, () => someWaiting({ withdrawals: 2 }))
  stream!.onmessage?.({ data: JSON.stringify({ keys: [getWaiting.path] }) })
  expect(await screen.findByRole('link', { name: '2 withdrawals to decide' })).toBeVisible()

  // Changes may have been missed before the stream opened again.
  api.answer(getWaiting, () => someWaiting())
  stream!.onopen?.()
  expect(await screen.findByText('Nothing waits')).toBeVisible()

  await person.click(screen.getByRole('button', { name: 'Admin Logout' }))
  await waitFor(() => expect(stream!.close).toHaveBeenCalled())
})

test('an open panel is closed once its address is no longer allowed, which ends its stream', async () => {
  const { person, location } = open({ withdrawals: 1 })
  expect(await screen.findByRole('heading', { name: 'admin dashboard' })).toBeVisible()
  api.answer(adminLoginStatus, () => {
    throw refusal(403, 'ip_not_allowed', 'The back office does not answer this address.')
  })
  const [stream] = FakeStream.opened.filter(({ path }) => path === ADMIN_EVENTS_PATH)
  stream!.readyState = FakeStream.CLOSED
  act(() => stream!.onerror?.())
  expect(await screen.findByRole('heading', { name: 'Access denied – admin privileges required' })).toBeVisible()
  expect(screen.getByText('The back office does not answer this address.')).toBeVisible()
  expect(screen.queryByRole('heading', { name: 'admin dashboard' })).not.toBeInTheDocument()

  // Nobody answers the next try, which says nothing about the address.
  api.answer(adminLoginStatus, () => {
    throw proxyAnswer(502)
  })
  await person.click(screen.getByRole('link', { name: 'Administrator login' }))
  expect(await screen.findByRole('heading', { name: 'Administrator Login' })).toBeVisible()
  await waitFor(() => expect(screen.queryByText('The back office does not answer this address.')).not.toBeInTheDocument())
  expect(screen.getByText('Failed to check admin login status')).toBeVisible()
  expect(location()).toBe('/admin1')
})

test('the figures above the lists follow what is sold meanwhile, and what was while the stream was closed', async () => {
  open({ reviews: 1 })
  const sold = async (paidNodesSold: number, tell: () => void) => {
    api.answer(getAdminStats, () => someAdminStats({ paidNodesSold }))
    act(tell)
    expect(await screen.findByText(new RegExp(`^${paidNodesSold} sold`))).toBeVisible()
  }
  expect(await screen.findByText(/^300 sold/)).toBeVisible()
  const [stream] = FakeStream.opened.filter(({ path }) => path === ADMIN_EVENTS_PATH)
  await sold(310, () => stream!.onmessage?.({ data: JSON.stringify({ keys: [getWaiting.path] }) }))
  await sold(320, () => stream!.onopen?.())
})

test('a link opens the tab with the filter, and the search by email stays when the tab is changed', async () => {
  const { person, location } = open({ withdrawals: 1 }, '/admin-panel?tab=users&email=mara%40example.com')
  await person.click(await screen.findByRole('link', { name: '1 withdrawal to decide' }))
  expect(await screen.findByRole('combobox', { name: 'Status' })).toHaveDisplayValue('결정 대기 Only waiting')

  await person.type(screen.getByLabelText('Search by email'), 'mara{Enter}')
  await person.click(screen.getByRole('tab', { name: 'Users management' }))
  expect(location()).toBe('/admin-panel?tab=users&email=mara')
  expect(await screen.findByDisplayValue('mara')).toBeVisible()
  await person.click(screen.getByRole('link', { name: 'Health' }))
  expect(location()).toBe('/admin-panel?tab=health&email=mara')
})

test('without permission nothing waits', async () => {
  answerCommonCalls(api)
  answerBackOffice(api)
  api.answer(getWaiting, () => {
    throw refusal(403, 'forbidden', 'Not for you.')
  })
  renderPage(<AdminArea />, { at: '/admin-panel' })
  expect(await screen.findByText('Nothing waits')).toBeVisible()
})

test('a count that fails is not counting for ever', async () => {
  answerCommonCalls(api)
  answerBackOffice(api)
  api.answer(getWaiting, () => {
    throw refusal(500, 'internal', 'Something broke.')
  })
  renderPage(<AdminArea />, { at: '/admin-panel' })
  expect(await (await strip()).findByText("Couldn't count what waits")).toBeVisible()
  expect((await strip()).queryByText('Counting...')).not.toBeInTheDocument()
})
