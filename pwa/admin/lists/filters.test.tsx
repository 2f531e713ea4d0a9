import { act, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type AdminDeposit, listDeposits } from '#shared/contract/admin/deposits.ts'
import { listAdminPurchases } from '#shared/contract/admin/purchases.ts'
import { listUsers } from '#shared/contract/admin/users.ts'
import { ADMIN_EVENTS_PATH } from '#shared/contract/events.ts'
import {
  answerAdminWithdrawals,
  answerBackOffice,
  answerUsers,
  pagingOf,
  someAdminUser,
  someAdminWithdrawal,
} from '#pwa/testing/adminAnswers.ts'
import { amountOf, answerCommonCalls } from '#pwa/testing/answers.ts'
import { useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'
import { chooseZone } from '../zone/officeZone.ts'

const api = useFakeApi()

class FakeStream extends EventTarget {
  static opened: FakeStream[] = []
  onmessage?: (event: { data: string }) => void
  onopen?: () => void
  close = vi.fn()
  readonly path: string
  constructor(path: string) {
    super()
    this.path = path
    FakeStream.opened.push(this)
  }
}

beforeEach(() => vi.stubGlobal('EventSource', FakeStream))
afterEach(() => {
  vi.unstubAllGlobals()
  FakeStream.opened = []
  act(() => chooseZone('lists'))
})

function open(at: string) {
  answerCommonCalls(api)
  answerBackOffice(api)
  return (answer: () => unknown) => {
    answer()
    return renderPage(<AdminArea />, { at })
  }
}

const idOf = (number: number) => `01936b2a-7c00-7000-8000-0000003${String(number).padStart(5, '0')}`
const field = (name: string) => screen.getByLabelText(name)

/** Fakes the list of purchases, which is empty, and returns the queries. */
function answerNoPurchases() {
  const asked: object[] = []
  api.answer(listAdminPurchases, ({ query }) => {
    asked.push(query)
    return { purchases: [], summary: null, ...pagingOf(0, query) }
  })
  return asked
}

test('a status, days, amounts, a kind and an order narrow the purchases, are in the address, and go to the file', async () => {
  let queries: object[] = []
  const { person, location } = open('/admin-panel?tab=purchases')(() => (queries = answerNoPurchases()))
  await person.selectOptions(await screen.findByRole('combobox', { name: 'Status' }), 'confirmed')
  expect(await screen.findByText('No purchases with this status.')).toBeVisible()
  await person.click(screen.getByRole('button', { name: 'Filters and order' }))
  await person.type(field('From (UTC)'), '2026-11-01')
  await person.type(field('To (UTC)'), '2026-11-30')
  await person.type(field('At least (USDT)'), '6.5')
  await person.selectOptions(screen.getByRole('combobox', { name: 'Kind' }), 'Paid')
  await person.selectOptions(screen.getByRole('combobox', { name: 'Order' }), 'Largest amount first')
  await person.click(screen.getByRole('button', { name: 'Apply' }))

  const params = 'status=confirmed&kind=paid&from=2026-11-01&to=2026-11-30&min=6.5&sort=largest'
  expect(location()).toBe(`/admin-panel?tab=purchases&${params}`)
  await expect
    .poll(() => queries.at(-1))
    .toEqual({
      limit: 15,
      offset: 0,
      status: 'confirmed',
      kind: 'paid',
      from: new Date('2026-11-01T00:00:00Z'),
      // The last day is included.
      until: new Date('2026-12-01T00:00:00Z'),
      min: amountOf('6.5'),
      sort: 'largest',
    })
  const wire =
    'status=confirmed&kind=paid&from=2026-11-01T00%3A00%3A00.000Z&until=2026-12-01T00%3A00%3A00.000Z&min=6.5&sort=largest'
  expect(screen.getByRole('link', { name: 'Excel download' })).toHaveAttribute('href', `/api/admin/purchases/download?${wire}`)
  expect(screen.getByRole('link', { name: 'Download as CSV' })).toHaveAttribute(
    'href',
    `/api/admin/purchases/download?${wire}&format=csv`,
  )
  await person.click(screen.getByRole('button', { name: 'Clear filters' }))
  expect(location()).toBe('/admin-panel?tab=purchases&status=confirmed')
})

test('an amount that is none is refused, and the address stays', async () => {
  const { person, location } = open('/admin-panel?tab=users&from=2026-11-01&sort=nonsense&min=x')(() => answerUsers(api, []))
  expect(await screen.findByLabelText('From (UTC)')).toHaveValue('2026-11-01')
  expect(field('At least (XCR)')).toHaveValue('')
  await person.type(field('At least (XCR)'), '1.5 XCR')
  await person.click(screen.getByRole('button', { name: 'Apply' }))
  expect(screen.getByText('Not a valid amount.')).toBeVisible()
  expect(location()).toBe('/admin-panel?tab=users&from=2026-11-01&sort=nonsense&min=x')
})

test('a filtered list shows the sums of all matches', async () => {
  open('/admin-panel?tab=withdrawals&status=failed')(() =>
    answerAdminWithdrawals(api, [someAdminWithdrawal(), someAdminWithdrawal({ id: idOf(1) })]),
  )
  const summary = await screen.findByLabelText('Summary of the filter')
  expect(
    within(summary)
      .getAllByRole('definition')
      .map(({ textContent }) => textContent),
  ).toEqual(['2', '6,000 XCR', '10 XCR'])
})

test('rows that came since are announced and shown on request; the list itself stays', async () => {
  const one = [someAdminUser()]
  const { person } = open('/admin-panel?tab=users')(() => answerUsers(api, one))
  const table = () => screen.findByRole('table', { name: 'Users' })
  expect(within(await table()).getAllByRole('row')).toHaveLength(2)
  const three = [1, 2].map((n) => someAdminUser({ id: idOf(n), email: `new${n}@example.com` })).concat(one)
  answerUsers(api, three)

  const [stream] = FakeStream.opened.filter(({ path }) => path === ADMIN_EVENTS_PATH)
  act(() => stream!.onmessage?.({ data: JSON.stringify({ keys: [] }) }))
  expect(await screen.findByText('2 new')).toBeVisible()
  expect(within(await table()).getAllByRole('row')).toHaveLength(2)
  await person.click(screen.getByRole('button', { name: 'Show' }))
  await waitFor(async () => expect(within(await table()).getAllByRole('row')).toHaveLength(4))
  expect(screen.queryByText('2 new')).not.toBeInTheDocument()
})

test('rows that another administrator has decided are announced, and gone on request', async () => {
  const two = [1, 2].map((n) => someAdminUser({ id: idOf(n), email: `user${n}@example.com` }))
  const { person } = open('/admin-panel?tab=users')(() => answerUsers(api, two))
  const table = () => screen.findByRole('table', { name: 'Users' })
  expect(within(await table()).getAllByRole('row')).toHaveLength(3)
  answerUsers(api, two.slice(1))
  const [stream] = FakeStream.opened.filter(({ path }) => path === ADMIN_EVENTS_PATH)
  act(() => stream!.onmessage?.({ data: JSON.stringify({ keys: [] }) }))
  expect(await screen.findByText('1 is no longer in this list')).toBeVisible()
  await person.click(screen.getByRole('button', { name: 'Refresh the list' }))
  await waitFor(async () => expect(within(await table()).getAllByRole('row')).toHaveLength(2))
  expect(screen.queryByText(/no longer in this list/)).not.toBeInTheDocument()
})

test('a page is reached by its number; one beyond the last is the last', async () => {
  const { person, location } = open('/admin-panel?tab=users')(() =>
    answerUsers(
      api,
      Array.from({ length: 70 }, (_, n) => someAdminUser({ id: idOf(n), email: `user${n}@example.com` })),
    ),
  )
  await person.type(await screen.findByLabelText('Go to page'), '3{Enter}')
  expect(location()).toBe('/admin-panel?tab=users&page=3')
  expect(await screen.findByText('user30@example.com')).toBeVisible()
  await person.type(screen.getByLabelText('Go to page'), '99{Enter}')
  expect(location()).toBe('/admin-panel?tab=users&page=5')
})

test('one zone can be chosen for all lists: times, headings and the days of filters follow it', async () => {
  const asked: { from?: Date | undefined; until?: Date | undefined }[] = []
  const { person } = open('/admin-panel?tab=withdrawals&from=2026-11-22&to=2026-11-22')(() =>
    answerAdminWithdrawals(api, [someAdminWithdrawal({ createdAt: new Date('2026-11-22T12:00:00Z') })]),
  )
  const header = (name: RegExp) => screen.findByRole('columnheader', { name })
  expect(await header(/Requested \(Seoul\)/)).toBeVisible()
  expect(screen.getByText('2026. 11. 22. 오후 9:00:00')).toBeVisible()
  expect(screen.getByLabelText('From (Seoul)')).toBeVisible()

  await person.selectOptions(screen.getByRole('combobox', { name: 'Times' }), 'UTC')
  expect(await header(/Requested \(UTC\)/)).toBeVisible()
  expect(await screen.findByText('2026. 11. 22. 오후 12:00:00')).toBeVisible()
  await person.selectOptions(screen.getByRole('combobox', { name: 'Times' }), 'Seoul')
  api.answer(listUsers, ({ query }) => {
    asked.push(query)
    return { users: [someAdminUser({ createdAt: new Date('2026-11-21T15:30:00Z') })], ...pagingOf(1, query) }
  })
  await person.click(screen.getByRole('tab', { name: 'Users management' }))
  expect(await header(/Signed up \(Seoul\)/)).toBeVisible()
  expect(await screen.findByText('22 Nov 2026')).toBeVisible()
  await person.click(screen.getByRole('button', { name: 'Filters and order' }))
  await person.type(field('From (Seoul)'), '2026-11-22')
  await person.click(screen.getByRole('button', { name: 'Apply' }))
  await expect.poll(() => asked.at(-1)?.from).toEqual(new Date('2026-11-21T15:00:00Z'))
})

const someDeposit = (changes: Partial<AdminDeposit> = {}): AdminDeposit => ({
  id: idOf(7),
  transactionHash: `0x${'ab'.repeat(32)}`,
  sender: '0x8f3a2b1c4d5e6f708192a3b4c5d6e7f8091a2b3c',
  amount: amountOf('6'),
  state: 'refunded',
  reason: 'late',
  userId: '01936b2a-7c00-7000-8000-000000000001',
  userEmail: 'mara@example.com',
  purchaseId: null,
  refundHash: `0x${'cd'.repeat(32)}`,
  refundedAmount: amountOf('5.5'),
  notes: 'Asked by mail.',
  seenAt: new Date('2026-11-22T12:00:00Z'),
  closedAt: new Date('2026-11-23T12:00:00Z'),
  ...changes,
})

test('deposits in every state are listed with their refund, found by the search that other tabs keep', async () => {
  const asked: object[] = []
  const { person, location } = open('/admin-panel?tab=users&email=mara')(() => {
    answerUsers(api, [])
    api.answer(listDeposits, ({ query }) => {
      asked.push(query)
      return {
        deposits: [someDeposit()],
        ...pagingOf(1, query),
        summary: { count: 1, amount: amountOf('6'), refunded: amountOf('5.5') },
      }
    })
  })
  await person.click(await screen.findByRole('link', { name: 'Deposits' }))
  expect(location()).toBe('/admin-panel?tab=deposits&email=mara')
  const [, row] = within(await screen.findByRole('table', { name: 'Deposits' })).getAllByRole('row')
  expect(
    within(row!)
      .getAllByRole('cell')
      .map(({ textContent }) => textContent),
  ).toEqual([
    `mara@example.com…${idOf(7).slice(-8)}`,
    '6 USDT',
    'RefundedLate',
    '0x8f3a...2b3c',
    '0xabab...abab',
    '–',
    '5.5 USDT0xcdcd...cdcd',
    '22 Nov 2026, 12:00',
    'Asked by mail.',
  ])
  expect(asked.at(-1)).toMatchObject({ search: 'mara' })
  await person.selectOptions(screen.getByRole('combobox', { name: 'Status' }), 'Only waiting')
  expect(location()).toBe('/admin-panel?tab=deposits&email=mara&status=waiting')
  await expect.poll(() => asked.at(-1)).toMatchObject({ status: 'waiting' })
})
