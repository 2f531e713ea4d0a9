import { screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { ApiError } from '#shared/contract/client.ts'
import { type AuthUser, getAuthUser } from '#shared/contract/identity.ts'
import { listPayments, listPurchases, type Payment, type Purchase } from '#shared/contract/purchases.ts'
import { getNotifications, updateNotifications } from '#shared/contract/notifications.ts'
import { type Distribution, listDistributions } from '#shared/contract/rewards.ts'
import { listWithdrawals, type Withdrawal } from '#shared/contract/withdrawals.ts'
import { messageChoicesQuery } from '#pwa/lib/queries.ts'
import { amountOf, answerCommonCalls, someDistribution, somePurchase, someUser, someWithdrawal } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { HistoryPage } from './HistoryPage.tsx'

const api = useFakeApi()
const cells = (row: HTMLElement) =>
  within(row)
    .getAllByRole('cell')
    .map((cell) => cell.textContent)

function open(
  purchases: Purchase[],
  distributions: Distribution[] = [],
  balance: Partial<AuthUser['balance']> = {},
  withdrawals: Withdrawal[] = [],
) {
  answerCommonCalls(api, { user: holder(balance), purchases, distributions, withdrawals })
  return renderPage(<HistoryPage />)
}

const holder = (balance: Partial<AuthUser['balance']> = {}) =>
  someUser({ balance: { availableXcr: 0n, totalEarnedXcr: 0n, ...balance } })

/** A reward of 100 XCR on each of these days of November, newest first, as the server lists them. */
const rewardsOn = (...days: number[]) =>
  days.map((day) =>
    someDistribution({ id: `01936b2a-7c00-7000-8000-0000000002${String(day).padStart(2, '0')}`, createdAt: rewardTime(day) }),
  )
const rewardTime = (day: number) => new Date(Date.UTC(2026, 10, day, 9))

/** The value of a summary card, found by its title. */
const card = (title: string) => screen.getByRole('heading', { name: title }).closest('section')!

/** The rows below the header. Both the table and the cards are in the page; the style sheet hides one. */
const rows = async () =>
  within(await screen.findByRole('table'))
    .getAllByRole('row')
    .slice(1)

test('a visitor is asked to log in, and no personal data is requested', async () => {
  answerCommonCalls(api)
  const asked = vi.fn<() => never[]>(() => [])
  api.answer(listPurchases, asked)
  api.answer(listDistributions, asked)
  api.answer(listWithdrawals, asked)
  renderPage(<HistoryPage />)

  expect(await screen.findByText('Login Required')).toBeVisible()
  expect(asked).not.toHaveBeenCalled()
})

test('a purchase is shown with its state, date and transaction', async () => {
  open([somePurchase()])
  expect(screen.getByText('Loading your history')).toBeInTheDocument()

  const [row] = await rows()
  expect(cells(row!)).toEqual([
    '01936b2a',
    'Node Purchase',
    '10 nodes · 30 USDT',
    'Completed',
    '20 Nov 2026, 07:31 UTC',
    '0xcccc...cccc',
    '–',
  ])
  expect(await within(row!).findByRole('link')).toHaveAttribute('href', `https://bscscan.com/tx/0x${'c'.repeat(64)}`)
  expect(screen.getAllByRole('columnheader').map((head) => head.textContent)).toEqual([
    'Transaction ID',
    'Type',
    'Amount/Quantity',
    'Status',
    'Transaction Date (UTC)',
    'Tx Hash',
    'XCR Balance',
  ])
})

test.each([
  ['confirmed', 'Completed'],
  ['pending', 'Pending'],
  ['manual_review', 'Under Review'],
  ['failed', 'Failed'],
  ['cancelled', 'cancelled'],
] as const)('%s reads %s', async (paymentStatus, word) => {
  open([somePurchase({ paymentStatus, transactionHash: null })])
  const [row] = await rows()
  expect(cells(row!)[3]).toBe(word)
  expect(cells(row!)[5]).toBe('–')
})

test('an unknown status from a newer server is shown unchanged, for withdrawals too', async () => {
  open([somePurchase({ paymentStatus: 'in_transit' })], [], {}, [withdrawnOn(22, 'on_hold')])
  const found = await rows()
  expect(new Set(found.map((row) => cells(row)[3]))).toEqual(new Set(['in_transit', 'on_hold']))
})

test('a tap shows the full transaction id, which can be copied', async () => {
  const { person } = open([somePurchase()])
  const [row] = await rows()
  await person.click(within(row!).getByRole('button', { name: '01936b2a, show the full ID' }))
  await person.click(within(row!).getByRole('button', { name: 'Copy transaction ID' }))
  expect(await navigator.clipboard.readText()).toBe(somePurchase().id)
})

test('a bonus is labeled', async () => {
  open([somePurchase({ purchaseAmountUsdt: 0n, finalQuantity: 1, transactionHash: null })])
  const [row] = await rows()
  expect(cells(row!).slice(1, 3)).toEqual(['Bonus Nodes', '1 node'])
})

test('the twenty newest entries are shown, newest first', async () => {
  open(
    Array.from({ length: 25 }, (_, minute) =>
      somePurchase({
        id: `01936b2a-7c00-7000-8000-0000000000${String(minute).padStart(2, '0')}`,
        createdAt: new Date(Date.UTC(2026, 10, 20, 7, minute)),
      }),
    ),
  )
  const shown = await rows()
  expect(shown).toHaveLength(20)
  expect(cells(shown[0]!)[4]).toBe('20 Nov 2026, 07:24 UTC')
  expect(cells(shown[19]!)[4]).toBe('20 Nov 2026, 07:05 UTC')
})

test('a hash is copied in full, and a refusal by the browser is shown', async () => {
  const { person } = open([somePurchase()])
  const [row] = await rows()
  await person.click(within(row!).getByRole('button', { name: 'Copy transaction hash' }))
  expect(await screen.findByText('Copy Complete')).toBeVisible()
  expect(await navigator.clipboard.readText()).toBe(`0x${'c'.repeat(64)}`)

  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('Denied'))
  await person.click(within(row!).getByRole('button', { name: 'Copy transaction hash' }))
  expect((await screen.findByText('Copy Failed')).parentElement).toHaveTextContent('Failed to copy transaction hash.')
})

test('a daily reward is shown as received, with the resulting balance', async () => {
  open([somePurchase()], rewardsOn(22, 21), { availableXcr: amountOf('200'), totalEarnedXcr: amountOf('200') })
  const shown = await rows()
  expect(shown.map(cells)).toEqual([
    ['01936b2a', 'XCR Distribution', '100 XCR', 'Completed', '22 Nov 2026, 09:00 UTC', '–', '200.00 XCR'],
    ['01936b2a', 'XCR Distribution', '100 XCR', 'Completed', '21 Nov 2026, 09:00 UTC', '–', '100.00 XCR'],
    ['01936b2a', 'Node Purchase', '10 nodes · 30 USDT', 'Completed', '20 Nov 2026, 07:31 UTC', '0xcccc...cccc', '–'],
  ])
})

test('three cards show the available, earned and withdrawn amounts', async () => {
  open([], rewardsOn(21), { availableXcr: amountOf('1100.5'), totalEarnedXcr: amountOf('4100.5') })
  await rows()
  expect(card('Current XCR Balance')).toHaveTextContent(/1,100\.50 XCR.*Withdrawable/)
  expect(card('Total XCR Earned')).toHaveTextContent('4,100.50 XCR')
  expect(card('Total Withdrawal History')).toHaveTextContent(/0\.00 XCR.*0 completed withdrawals/)
})

test('the sum of withdrawals is that of all, not only of those in the list', async () => {
  const user = someUser({ withdrawn: { totalAmount: amountOf('1203000'), count: 401 } })
  answerCommonCalls(api, { user, withdrawals: [withdrawnOn(21, 'completed')] })
  renderPage(<HistoryPage />)
  await rows()
  expect(card('Total Withdrawal History')).toHaveTextContent(/1,203,000\.00 XCR.*401 completed withdrawals/)
})

test('purchases and rewards are limited to twenty together, after balances are calculated', async () => {
  const purchases = [1, 2, 3].map((day) =>
    somePurchase({ id: `01936b2a-7c00-7000-8000-00000000010${day}`, createdAt: new Date(Date.UTC(2026, 10, day + 7, 12)) }),
  )
  const days = Array.from({ length: 25 }, (_, index) => 25 - index)
  open(purchases, rewardsOn(...days), { availableXcr: amountOf('2500') })

  const shown = (await rows()).map(cells)
  expect(shown).toHaveLength(20)
  expect(shown[0]!.slice(1)).toEqual(['XCR Distribution', '100 XCR', 'Completed', '25 Nov 2026, 09:00 UTC', '–', '2,500.00 XCR'])
  expect(shown[15]!.slice(4)).toEqual(['10 Nov 2026, 12:00 UTC', '0xcccc...cccc', '–'])
  // Nine rewards up to the 9th; the sixteen after it are listed above it.
  expect(shown[19]!.slice(4)).toEqual(['08 Nov 2026, 12:00 UTC', '0xcccc...cccc', '–'])
  expect(shown[18]!.slice(4)).toEqual(['09 Nov 2026, 09:00 UTC', '–', '900.00 XCR'])
})

test('an amount with eighteen decimals is shortened without rounding, and a tap shows all of it', async () => {
  const amount = amountOf('1000000.123456789012345678')
  const { person } = open([], [someDistribution({ amount })], { availableXcr: amount, totalEarnedXcr: amount })
  const [row] = await rows()
  expect(cells(row!)[2]).toBe('1,000,000.12345678 XCR')

  for (const figure of within(row!).getAllByRole('button', { name: /show all decimals/ })) await person.click(figure)
  expect(cells(row!)[2]).toBe('1,000,000.123456789012345678 XCR')
  expect(cells(row!)[6]).toBe('1,000,000.123456789012345678 XCR')

  expect(card('Current XCR Balance')).toHaveTextContent('1,000,000.12 XCR')
  await person.click(within(card('Current XCR Balance')).getByRole('button'))
  expect(card('Current XCR Balance')).toHaveTextContent('1,000,000.123456789012345678 XCR')
})

test('on a phone every entry is a card with the same text', async () => {
  open([], rewardsOn(21), { availableXcr: amountOf('100') })
  await rows()
  const [entry] = screen.getAllByRole('listitem')
  expect(entry).toHaveTextContent(/XCR Distribution.*Completed.*21 Nov 2026, 09:00 UTC.*100 XCR.*XCR Balance.*100\.00 XCR/)
})

test('a new reward appears with its balance at once, never with an old one', async () => {
  const { queryClient } = open([], rewardsOn(21), { availableXcr: amountOf('100') })
  await rows()

  let answer = () => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  answerCommonCalls(api, { user: holder({ availableXcr: amountOf('200') }), distributions: rewardsOn(22, 21) })
  api.answer(getAuthUser, async () => {
    await held
    return holder({ availableXcr: amountOf('200') })
  })
  void queryClient.invalidateQueries({ queryKey: [getAuthUser.path] })
  await queryClient.invalidateQueries({ queryKey: [listDistributions.path] })
  expect((await rows()).map((row) => cells(row)[6])).toEqual(['100.00 XCR'])

  answer()
  await expect.poll(async () => (await rows()).map((row) => cells(row)[6])).toEqual(['200.00 XCR', '100.00 XCR'])
})

const withdrawnOn = (day: number, status: Withdrawal['status'], changes: Partial<Withdrawal> = {}) =>
  someWithdrawal({
    id: `01936b2a-7c00-7000-8000-0000000003${String(day).padStart(2, '0')}`,
    createdAt: new Date(Date.UTC(2026, 10, day, 12)),
    status,
    ...changes,
  })

test('withdrawals are listed with state, transaction and resulting balance', async () => {
  const hash = `0x${'d'.repeat(64)}` as const
  open([], rewardsOn(20), { availableXcr: amountOf('100') }, [
    withdrawnOn(25, 'failed'),
    withdrawnOn(24, 'manual_review'),
    withdrawnOn(23, 'processing', { transactionHash: hash }),
    withdrawnOn(22, 'pending'),
    withdrawnOn(21, 'completed', { transactionHash: hash }),
  ])
  const shown = await rows()
  expect(shown.map((row) => cells(row).toSpliced(4, 1).slice(1))).toEqual([
    ['XCR Withdrawal', '3,000 XCR', 'Failed', '–', 'Withdrawal Failed'],
    ['XCR Withdrawal', '3,000 XCR', 'Under Review', '–', '–'],
    ['XCR Withdrawal', '3,000 XCR', 'Processing', '0xdddd...dddd', 'Processing'],
    ['XCR Withdrawal', '3,000 XCR', 'Pending', '–', 'Processing'],
    ['XCR Withdrawal', '3,000 XCR', 'Completed', '0xdddd...dddd', '9,100.00 XCR'],
    ['XCR Distribution', '100 XCR', 'Completed', '–', '12,100.00 XCR'],
  ])
  expect(await within(shown[4]!).findByRole('link')).toHaveAttribute('href', `https://explorer.example.com/tx/${hash}`)
  expect(card('Total Withdrawal History')).toHaveTextContent(/3,000\.00 XCR.*1 completed withdrawal$/)
})

test('a payout updates its row and the sum of withdrawals on the open page', async () => {
  const { queryClient } = open([], [], { availableXcr: amountOf('1000') }, [withdrawnOn(21, 'processing')])
  expect(cells((await rows())[0]!)[3]).toBe('Processing')

  api.answer(listWithdrawals, () => [withdrawnOn(21, 'completed', { transactionHash: `0x${'d'.repeat(64)}` })])
  await queryClient.invalidateQueries({ queryKey: [listWithdrawals.path] })
  expect(cells((await rows())[0]!).slice(3)).toEqual(['Completed', '21 Nov 2026, 12:00 UTC', '0xdddd...dddd', '1,000.00 XCR'])
  expect(card('Total Withdrawal History')).toHaveTextContent('3,000.00 XCR')
})

test('the statement is a plain link to a file on the server', async () => {
  open([])
  const link = await screen.findByRole('link', { name: 'Download statement' })
  expect(link).toHaveAttribute('href', '/api/history/statement')
  expect(link).toHaveAttribute('download')
})

test('the daily summary is a switch, which stays unchanged if the server refuses', async () => {
  const { person } = open([])
  const asked: object[] = []
  api.answer(updateNotifications, ({ body }) => {
    asked.push(body)
    const saved = { rewardDigest: body.rewardDigest ?? false, language: 'en' as const }
    api.answer(getNotifications, () => saved)
    return saved
  })
  const toggle = await screen.findByRole('switch', { name: 'Email me a daily summary' })
  expect(toggle).not.toBeChecked()
  await person.click(toggle)
  await expect.poll(() => asked).toEqual([{ rewardDigest: true }])
  expect(toggle).toBeChecked()

  api.answer(updateNotifications, () => {
    throw refusal(500, 'internal', 'Something went wrong.')
  })
  await person.click(toggle)
  expect(await screen.findByText('Not Changed')).toBeVisible()
  expect(toggle).toBeChecked()
})

test('a daily summary whose answer was lost is not called unchanged, and is read again', async () => {
  const { person } = open([])
  api.answer(updateNotifications, () => {
    api.answer(getNotifications, () => ({ rewardDigest: true, language: 'en' as const }))
    // Without a code it is a proxy's answer.
    throw new ApiError(502, '{}')
  })
  const toggle = await screen.findByRole('switch', { name: 'Email me a daily summary' })
  await person.click(toggle)
  expect((await screen.findByText('Outcome Unknown')).parentElement).toHaveTextContent('It may have been done.')
  expect(screen.queryByText('Not Changed')).toBeNull()
  await waitFor(() => expect(toggle).toBeChecked())
})

test.each([
  ['answered', undefined],
  // Without a code it is a proxy's answer.
  ['lost', new ApiError(502, '{}')],
])('a daily summary whose answer was %s is read again for the messages page, which switches the same', async (_, lost) => {
  const { person, queryClient } = open([])
  const { queryKey } = messageChoicesQuery
  queryClient.setQueryData<unknown>(queryKey, {})
  api.answer(updateNotifications, ({ body }) => {
    if (lost) throw lost
    return { rewardDigest: body.rewardDigest ?? false, language: 'en' as const }
  })
  await person.click(await screen.findByRole('switch', { name: 'Email me a daily summary' }))
  await waitFor(() => expect(queryClient.getQueryState(queryKey)?.isInvalidated).toBe(true))
})

test('a summary that was enabled before is on', async () => {
  open([])
  api.answer(getNotifications, () => ({ rewardDigest: true, language: 'en' as const }))
  expect(await screen.findByRole('switch', { name: 'Email me a daily summary' })).toBeChecked()
})

test('an empty history says so, below the balance', async () => {
  open([])
  expect(await screen.findByText('No transaction history available.')).toBeVisible()
  expect(card('Current XCR Balance')).toHaveTextContent('0.00 XCR')
})

test.each([
  ['purchases', listPurchases],
  ['rewards', listDistributions],
  ['withdrawals', listWithdrawals],
])('a history whose %s failed to load can be retried', async (_, endpoint) => {
  answerCommonCalls(api, { user: someUser(), purchases: [somePurchase()] })
  api.answer(endpoint, () => {
    throw refusal(500, 'internal', 'Something went wrong.')
  })
  const { person } = renderPage(<HistoryPage />)
  expect(await screen.findByText("Couldn't load your history")).toBeVisible()
  expect(screen.queryByRole('table')).not.toBeInTheDocument()

  answerCommonCalls(api, { user: someUser(), purchases: [somePurchase()] })
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await rows()).toHaveLength(1)
})

test('an account that fails to load shows an error', async () => {
  answerCommonCalls(api)
  api.answer(getAuthUser, () => {
    throw refusal(500, 'internal', 'Something went wrong.')
  })
  renderPage(<HistoryPage />)
  expect(await screen.findByText("Couldn't load your account")).toBeVisible()
  expect(screen.queryByText('Loading your history')).not.toBeInTheDocument()
})

const somePayment = (changes: Partial<Payment> = {}): Payment => ({
  id: crypto.randomUUID(),
  transactionHash: `0x${'a'.repeat(64)}`,
  sender: `0x${'1'.repeat(40)}`,
  amount: amountOf('6'),
  state: 'credited',
  purchaseId: null,
  refund: null,
  seenAt: new Date('2026-11-20T07:31:00Z'),
  ...changes,
})

test('every received payment is listed with its outcome', async () => {
  answerCommonCalls(api, { user: holder() })
  const back = `0x${'b'.repeat(64)}` as const
  api.answer(listPayments, () => [
    somePayment(),
    somePayment({ state: 'ignored', amount: 1n }),
    somePayment({ state: 'waiting' }),
    somePayment({
      state: 'refunded',
      refund: { transactionHash: back, amount: amountOf('5.5'), reason: 'The fee of the exchange.' },
    }),
    somePayment({ isForAnother: true }),
  ])
  renderPage(<HistoryPage />)
  const section = (await screen.findByRole('heading', { name: 'Payments received' })).closest('section')!
  const shown = within(section).getAllByRole('listitem')
  expect(shown).toHaveLength(5)
  expect(shown[0]).toHaveTextContent('6 USDT20 Nov 2026, 07:31 UTCCreditedIt paid for your nodes.')
  expect(shown[1]).toHaveTextContent('0.000000000000000001 USDT')
  expect(shown[1]).toHaveTextContent('Not creditedIt was too small for a node')
  expect(shown[2]).toHaveTextContent('Waiting for review')
  expect(shown[3]).toHaveTextContent(
    'Refunded5.5 USDT of it was sent back to the wallet it came from. Reason: The fee of the exchange.',
  )
  expect(shown[4]).toHaveTextContent('Used for another accountIt paid for a purchase of another account.')
  expect(within(shown[3]!).getByRole('link')).toHaveAttribute('href', `https://bscscan.com/tx/${back}`)
})

test('without payments there is no such list', async () => {
  open([somePurchase()])
  await rows()
  expect(screen.queryByText('Payments received')).not.toBeInTheDocument()
})
