import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { getMonth, type Month } from '#shared/contract/admin/books.ts'
import { answerBackOffice } from '#pwa/testing/adminAnswers.ts'
import { amountOf, answerCommonCalls } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { AdminArea } from '#pwa/testing/AdminArea.tsx'

const api = useFakeApi()

const someMonth = (changes: Partial<Month> = {}): Month => ({
  month: '2026-10',
  isFinal: true,
  openWithdrawals: 0,
  sold: { count: 4, nodes: 40, usdt: amountOf('120') },
  bonusNodes: 4,
  received: {
    count: 6,
    usdt: amountOf('132.5'),
    used: amountOf('120'),
    inReview: amountOf('7'),
    ignored: amountOf('0.5'),
    returned: amountOf('5'),
  },
  refunded: { count: 1, usdt: amountOf('4.5') },
  owed: {
    opening: amountOf('1000'),
    rewarded: amountOf('400.000000000000000001'),
    requested: amountOf('3000'),
    refunded: amountOf('3000'),
    debts: 0n,
    debtsPaid: 0n,
    closing: amountOf('1400.000000000000000001'),
  },
  paid: { count: 1, xcr: amountOf('2995') },
  fees: amountOf('5'),
  hotWallet: { withdrawals: { count: 1, xcr: amountOf('2995') }, sweeps: { count: 1, xcr: amountOf('20') }, balances: [] },
  audit: { at: new Date('2026-11-20T04:00:00Z'), differences: [], unchecked: [] },
  ...changes,
})

function open(month: Partial<Month> = {}, at = '/admin-panel?tab=books&month=2026-10') {
  answerCommonCalls(api, { config: { productTime: new Date('2027-02-03T12:00:00Z') } })
  answerBackOffice(api)
  const asked: string[] = []
  api.answer(getMonth, ({ query }) => {
    asked.push(query.month)
    return someMonth({ month: query.month, ...month })
  })
  return { ...renderPage(<AdminArea />, { at }), asked }
}

const part = async (title: string) => (await screen.findByRole('heading', { name: title })).parentElement!
const figuresOf = async (title: string) =>
  within(await part(title))
    .getAllByRole('term')
    .map((term) => `${term.textContent}: ${term.nextElementSibling!.textContent}`)

test('a month shows what was sold, received, owed, paid and sent, exactly, and that the audit agrees', async () => {
  open()
  expect(await figuresOf('Sold')).toEqual(['Purchases: 4', 'Paid nodes: 40', 'Bonus nodes: 4', 'Revenue: 120 USDT'])
  expect(await figuresOf('Payments received')).toEqual([
    'Used for nodes: 120 USDT',
    'In review: 7 USDT',
    'Ignored: 0.5 USDT',
    'Refunded, now or later: 5 USDT',
    '6 deposits: 132.5 USDT',
    'Refunds made this month (1): −4.5 USDT',
  ])
  expect(await figuresOf('Owed to holders')).toEqual([
    'At the beginning: 1,000 XCR',
    'Rewards: 400.000000000000000001 XCR',
    'Withdrawals requested: −3,000 XCR',
    'Withdrawals refunded: 3,000 XCR',
    'At the end: 1,400.000000000000000001 XCR',
  ])
  expect(await figuresOf('Paid out')).toEqual(['Withdrawals completed: 1', 'Paid to wallets: 2,995 XCR', 'Fees kept: 5 XCR'])
  expect(await figuresOf('Hot wallet')).toEqual([
    'Sent for withdrawals (1): 2,995 XCR',
    'Fees swept out (1): 20 XCR',
    'Sent in total: 3,015 XCR',
    'Balance on the chain: not read in this month',
  ])
  expect(screen.getByText('The audit found none')).toBeVisible()
  expect(screen.getByText('Last audit: 20 Nov 2026, 04:00 UTC')).toBeVisible()
  expect(screen.getByText('This month is final')).toBeVisible()
})

test('the balances of the payout wallet are those that were read, with their time and block', async () => {
  const wallet = '0x8f3a2b1c4d5e6f708192a3b4c5d6e7f8091a2b3c'
  const closing = {
    at: new Date('2026-11-01T00:00:31Z'),
    blockNumber: 1234,
    tokens: amountOf('10000.5'),
    coins: amountOf('2'),
  }
  open({ hotWallet: { ...someMonth().hotWallet, balances: [{ wallet, opening: null, closing }] } })
  expect((await figuresOf('Hot wallet')).slice(3)).toEqual([
    'First balance read, 0x8f3a...2b3c: not read',
    'Last balance read, 0x8f3a...2b3c: 10,000.5 XCR2 XP01 Nov 2026, 00:00 UTC, block 1,234',
  ])
})

test('a month that was over before the installation is not called final', async () => {
  open({ isBeforeSetup: true })
  expect(await screen.findByText('This month was before the installation')).toBeVisible()
  expect(screen.queryByText('This month is final')).not.toBeInTheDocument()
})

test('differences and open withdrawals are said', async () => {
  open({
    isFinal: false,
    openWithdrawals: 2,
    audit: { at: new Date('2026-11-20T04:00:00Z'), differences: ['the account payouts holds 1 XCR'], unchecked: [] },
  })
  expect(await screen.findByText('These figures may still change')).toBeVisible()
  expect(screen.getByText('2 withdrawals are still open')).toBeVisible()
  expect(within(await part('Differences')).getByText('1 difference in the books')).toBeVisible()
  expect(screen.getByText('the account payouts holds 1 XCR')).toBeVisible()
})

test('the files are those of the month', async () => {
  open()
  const file = async (name: string) =>
    within(await screen.findByRole('group', { name }))
      .getAllByRole('link')
      .map((link) => link.getAttribute('href'))
  const span = 'from=2026-10-01T00%3A00%3A00.000Z&until=2026-11-01T00%3A00%3A00.000Z'
  expect(await file('Purchases')).toEqual([
    `/api/admin/purchases/download?${span}`,
    `/api/admin/purchases/download?${span}&format=csv`,
  ])
  expect(await file('Ledger')).toEqual([
    '/api/admin/books/ledger?month=2026-10',
    '/api/admin/books/ledger?month=2026-10&format=csv',
  ])
  expect((await file('Deposits'))[0]).toBe(`/api/admin/deposits/export?${span}`)
  expect((await file('Rewards'))[0]).toBe('/api/admin/books/rewards?month=2026-10')
  expect((await file('Payouts'))[0]).toBe('/api/admin/books/payouts?month=2026-10')
  expect((await file('Withdrawals'))[0]).toBe(`/api/admin/withdrawals/export?${span}`)
  expect((await file('Users'))[0]).toBe('/api/admin/users/export')
})

test('an address without a valid month shows the current one', async () => {
  const { asked } = open({}, '/admin-panel?tab=books&month=2026-13')
  await part('Sold')
  await expect.poll(() => asked.at(-1)).toBe('2027-02')
})

test('a report that failed to load says so', async () => {
  open()
  api.answer(getMonth, () => {
    throw refusal(500, 'internal', 'Something broke.')
  })
  expect(await screen.findByText('Failed to fetch the report')).toBeVisible()
})
