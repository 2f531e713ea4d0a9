import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { getAuthUser } from '#shared/contract/identity.ts'
import { otpStatus } from '#shared/contract/otp.ts'
import { getNodeStats, getUserNodes } from '#shared/contract/nodes.ts'
import { getReservation, listPurchases } from '#shared/contract/purchases.ts'
import { getConfig, getNodeSettings, listSystemSettings } from '#shared/contract/settings.ts'
import { DAY } from '#shared/dates.ts'
import { amountOf, answerCommonCalls, somePurchase, someReservation, someUser } from '#pwa/testing/answers.ts'
import { refusal, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { DashboardPage } from './DashboardPage.tsx'

const api = useFakeApi()
const card = (title: string) => within(screen.getByRole('heading', { name: title }).closest('section')!)

test('a visitor sees the sale, the field as text and a buy button, and nothing personal', async () => {
  answerCommonCalls(api, {
    stats: { total: 20_000, totalSold: 6_412, paid: 5_900, bonus: 500, reserved: 12, remaining: 13_588, progress: 32.06 },
  })
  renderPage(<DashboardPage />)

  expect(await screen.findByRole('img', { name: 'Nodes 5,801 to 6,800: 612 sold, 388 available.' })).toBeVisible()
  expect(card('Total Available Nodes').getByText('20,000')).toBeVisible()
  expect(card('Total Available Nodes').getByText('Limited Edition')).toBeVisible()
  expect(card('Node Sales Status').getByText('6,412')).toBeVisible()
  expect(card('Node Sales Status').getByText('13,588')).toBeVisible()
  expect(card('Node Sales Status').getByText('Sold: 5,900 paid, 500 bonus, 12 reserved')).toBeVisible()
  expect(screen.getByText('Sales Started!')).toBeVisible()
  expect(screen.getByRole('link', { name: 'Buy nodes' })).toHaveAttribute('href', '/purchase')
  expect(screen.queryByText('Owned Nodes')).not.toBeInTheDocument()
})

test('with an open reservation the dashboard links to its payment only', async () => {
  for (const totalNodes of [0, 10]) {
    answerCommonCalls(api, { user: someUser({ totalNodes }) })
    api.answer(otpStatus, () => ({ otpEnabled: true, recoveryCodesLeft: 10 }))
    api.answer(getReservation, () => someReservation())
    renderPage(<DashboardPage />)
    await waitFor(() => expect(screen.queryByRole('link', { name: 'Buy nodes' })).not.toBeInTheDocument())
    for (const link of await screen.findAllByRole('link', { name: 'Continue with the payment' }))
      expect(link).toHaveAttribute('href', '/purchase')
    cleanup()
  }
})

test("each figure of the sale appears once on a visitor's page", async () => {
  answerCommonCalls(api, { stats: { total: 20_000, totalSold: 6_412, remaining: 13_588, progress: 32.06 } })
  renderPage(<DashboardPage />)
  await screen.findByRole('img')

  // The FAQ repeats figures in its answers.
  const faq = await screen.findByRole('region', { name: 'Frequently asked questions' })
  const text = screen.getByRole('main').textContent.replace(faq.textContent, '')
  for (const figure of ['20,000', '6,412', '13,588']) expect(text.split(figure)).toHaveLength(2)
})

test('before the start a countdown replaces the buy button', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  answerCommonCalls(api, { settings: { sales_start_date: new Date(Date.now() + 3 * DAY).toISOString() } })
  renderPage(<DashboardPage />)

  expect(await screen.findByRole('timer')).toHaveTextContent('03Days00Hours00Minutes00Seconds')
  expect(screen.getByText('Prepare your wallet and USDT before launch.')).toBeVisible()
  expect(screen.queryByText('Sales Started!')).not.toBeInTheDocument()
})

test('a holder first sees own nodes, their income, and what becomes active tomorrow', async () => {
  answerCommonCalls(api, {
    user: someUser({ totalNodes: 33, balance: { availableXcr: amountOf('4182.509'), totalEarnedXcr: amountOf('7182.5') } }),
    purchases: [
      somePurchase(),
      somePurchase({ id: '01936b2a-7c00-7000-8000-000000000102', purchaseAmountUsdt: 0n, nodeNumbers: [11] }),
    ],
  })
  renderPage(<DashboardPage />)

  expect(await screen.findByText('10 pending nodes (active tomorrow)')).toBeVisible()
  expect(card('Owned Nodes').getByText('33')).toBeVisible()
  expect(card('Owned Nodes').getByText('ACTIVE')).toBeVisible()
  // Cut off, not rounded, so that the user never sees more than they have.
  expect(card('XCR Balance').getByText('4,182.50')).toBeVisible()
  expect(card('Total Investment').getByText('99')).toBeVisible()
  expect(card('Daily XCR Income').getByText('230')).toBeVisible()
  expect(card('Purchase Additional Nodes').getByRole('link')).toHaveAttribute('href', '/purchase')
  expect(
    await screen.findByRole('img', { name: 'Nodes 1 to 1,000: 0 sold, 1,000 available, 11 yours, 1 of them a bonus.' }),
  ).toBeVisible()
  expect(screen.queryByText('Total Available Nodes')).not.toBeInTheDocument()
})

test('a holder whose purchases are not loaded is not told that their nodes are still to come', async () => {
  answerCommonCalls(api, { user: someUser({ totalNodes: 33 }) })
  api.answer(listPurchases, () => {
    throw refusal(503, 'busy', 'Please try again.')
  })
  renderPage(<DashboardPage />)
  expect(await screen.findByRole('region', { name: 'Your nodes' })).toHaveTextContent('YoursOthers')
})

test('a new account sees four steps to its first reward instead of zeros', async () => {
  answerCommonCalls(api, { user: someUser() })
  api.answer(otpStatus, () => ({ otpEnabled: false, recoveryCodesLeft: 0 }))
  renderPage(<DashboardPage />)
  expect(await screen.findByText('Four steps to your first reward')).toBeVisible()
  expect(await screen.findByRole('link', { name: 'Set up' })).toHaveAttribute('href', '/security')
  expect(screen.queryByText('Owned Nodes')).not.toBeInTheDocument()
  expect(screen.queryByRole('button', { name: 'Withdraw' })).not.toBeInTheDocument()
})

test.each(['pending', 'manual_review'] as const)(
  'a newcomer whose payment is %s is not asked to pay again',
  async (paymentStatus) => {
    answerCommonCalls(api, {
      user: someUser({ walletAddress: '0x00000000000000000000000000000000000000aa' }),
      purchases: [somePurchase({ paymentStatus, nodeNumbers: [] })],
    })
    api.answer(otpStatus, () => ({ otpEnabled: true, recoveryCodesLeft: 10 }))
    renderPage(<DashboardPage />)
    const step = (await screen.findByText('Buy your first node')).closest('li')!
    expect(await within(step).findByText('You have sent a payment. Its state is at the top of the page.')).toBeVisible()
    await waitFor(() => expect(step).toHaveAttribute('aria-current', 'step'))
    expect(within(step).queryByRole('link')).not.toBeInTheDocument()
  },
)

test('an account without active nodes sees the time of its first reward and what it has paid', async () => {
  answerCommonCalls(api, {
    user: someUser({ totalNodes: 11 }),
    purchases: [somePurchase(), somePurchase({ id: '01936b2a-7c00-7000-8000-000000000102', paymentStatus: 'pending' })],
  })
  api.answer(getUserNodes, () => ({
    totalDailyXcr: 0n,
    activeNodes: 0,
    pendingNodes: 11,
    currentXcrPerNode: amountOf('10'),
    firstRewardAt: new Date('2026-11-25T09:00:00Z'),
  }))
  renderPage(<DashboardPage />)
  expect(await screen.findByText('First reward: 25 Nov 2026, 09:00 UTC')).toBeVisible()
  expect(screen.queryByText(/Next reward in/)).not.toBeInTheDocument()
  expect(card('Total Investment').getByText('USDT paid', { exact: false })).toHaveTextContent('30 USDT paid')
})

test("the countdown to the next reward uses product time, not the device's clock", async () => {
  answerCommonCalls(api, {
    user: someUser({ totalNodes: 10 }),
    config: { productTime: new Date('2031-03-04T06:54:30Z'), serverTime: new Date('2026-11-20T22:00:00Z') },
  })
  renderPage(<DashboardPage />)

  expect(await screen.findByText('Next reward in 2h 05m')).toBeVisible()
})

test('after the daily run the open page shows the payment and the new income', async () => {
  answerCommonCalls(api, { user: someUser({ totalNodes: 10 }) })
  api.answer(getUserNodes, () => ({
    totalDailyXcr: 0n,
    activeNodes: 0,
    pendingNodes: 10,
    currentXcrPerNode: amountOf('10'),
  }))
  const { queryClient } = renderPage(<DashboardPage />)
  expect(await screen.findByText('10 pending nodes (active tomorrow)')).toBeVisible()
  expect(card('XCR Balance').getByText('0.00', { selector: 'p span' })).toBeVisible()

  answerCommonCalls(api, {
    user: someUser({ totalNodes: 10, balance: { availableXcr: amountOf('100'), totalEarnedXcr: amountOf('100') } }),
    config: { productTime: new Date('2026-11-22T09:00:00Z') },
  })
  api.answer(getUserNodes, () => ({
    totalDailyXcr: amountOf('100'),
    activeNodes: 10,
    pendingNodes: 0,
    currentXcrPerNode: amountOf('10'),
  }))
  for (const { path } of [getAuthUser, getUserNodes, getConfig]) void queryClient.invalidateQueries({ queryKey: [path] })

  expect(await card('Daily XCR Income').findByText('100')).toBeVisible()
  expect(await card('XCR Balance').findByText('100.00', { selector: '.text-28 *' })).toBeVisible()
  expect(screen.queryByText(/pending nodes/)).not.toBeInTheDocument()
  expect(await card('Daily XCR Income').findByText('Next reward in 23h 59m')).toBeVisible()
})

test('the FAQ answers nine questions, the bonus with a table, the authenticator in steps', async () => {
  answerCommonCalls(api)
  const { person } = renderPage(<DashboardPage />)
  const faq = await screen.findByRole('region', { name: 'Frequently asked questions' })
  const questions = within(faq).getAllByRole('heading', { level: 3 })
  expect(questions).toHaveLength(9)
  for (const question of questions) await person.click(question)

  for (const statement of [
    'One of 20,000 limited-edition places',
    'Payment is confirmed and then admin-approved.',
    'Rewards are paid daily at 09:00 UTC, starting 24 hours after payment.',
    'Nodes are assigned within about 10 minutes, and a confirmation e-mail is sent.',
    'Any time your balance is at least 3,000 XCR',
    'One free node for every 10 bought. Bonus nodes do not count toward the next bonus. The administrator sends them weekly.',
    'There is no per-person purchase limit. Sales are first come, first served.',
    'An authenticator code is required for all node purchases and all XCR withdrawals.',
    'switch back to English before buying.',
    'A purchase needs USDT plus about 0.00001 BNB for fees. Sending XCR needs at least 1 XP for fees.',
    'By email at support@example.com',
  ])
    expect(faq).toHaveTextContent(statement)
  expect(within(faq).getByRole('row', { name: '10 +1 11' })).toBeVisible()
  expect(within(faq).getByRole('row', { name: '20 +2 22' })).toBeVisible()
  expect(within(faq).getByText('Press Setup OTP, then Enable OTP Authentication.')).toBeVisible()
  expect(within(faq).getByText('Enter the 6-digit code shown in the app and press Verify & Enable.')).toBeVisible()
})

test('the FAQ names the supply of this installation', async () => {
  answerCommonCalls(api)
  api.answer(getNodeSettings, () => ({ nodePrice: amountOf('3'), totalLimit: 5_000 }))
  const { person } = renderPage(<DashboardPage />)
  const faq = await screen.findByRole('region', { name: 'Frequently asked questions' })
  await person.click(within(faq).getByText('What is an XCR node?'))
  await waitFor(() => expect(faq).toHaveTextContent('One of 5,000 limited-edition places'))
  expect(faq).toHaveTextContent('count within the 5,000')
})

test('without figures a visitor sees a sale without sold nodes', async () => {
  answerCommonCalls(api)
  for (const endpoint of [getNodeStats, getNodeSettings, listSystemSettings])
    api.answer(endpoint, () => {
      throw refusal(503, 'busy', 'Try again.')
    })
  renderPage(<DashboardPage />)

  expect(await screen.findByText('Total Available Nodes')).toBeVisible()
  expect(card('Total Available Nodes').getByText('20,000')).toBeVisible()
  const fact = (name: string) => card('Node Sales Status').getByText(name).parentElement
  expect(fact('Total Sold')).toHaveTextContent(/^Total Sold0$/)
  expect(fact('Remaining')).toHaveTextContent(/^Remaining20,000$/)
})

test("a holder's investment assumes 3 USDT per node if the price cannot be loaded", async () => {
  answerCommonCalls(api, { user: someUser({ totalNodes: 4 }) })
  api.answer(getNodeSettings, () => {
    throw refusal(503, 'busy', 'Try again.')
  })
  renderPage(<DashboardPage />)

  expect(await screen.findByText('Total Investment')).toBeVisible()
  expect(card('Total Investment').getByText('12')).toBeVisible()
  expect(card('Total Investment').getByText('USD')).toBeVisible()
  expect(card('XCR Balance').getByText('XCR')).toBeVisible()
})

test.each([
  { who: 'a visitor', user: null },
  { who: 'a holder', user: someUser({ totalNodes: 10 }) },
])('$who who waits for the start sees it, and the sale is refetched once', async ({ user }) => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const start = new Date(Date.now() + DAY)
  answerCommonCalls(api, { user, settings: { sales_start_date: start.toISOString() } })
  renderPage(<DashboardPage />)
  await screen.findByRole('timer')
  expect(screen.queryByRole('link', { name: 'Buy nodes' })).not.toBeInTheDocument()
  let reads = 0
  api.answer(getNodeStats, () => {
    reads++
    return { total: 20_000, totalSold: 0, remaining: 20_000, progress: 0 }
  })

  vi.setSystemTime(start)
  expect(await screen.findByText('Sales Started!')).toBeVisible()
  expect(screen.getByText(/Node sales are available\./)).toBeVisible()
  expect(screen.getByRole('link', { name: 'Buy nodes' })).toHaveAttribute('href', '/purchase')
  await waitFor(() => expect(reads).toBe(1))
})

test('a sold-out or paused sale has no buy button', async () => {
  answerCommonCalls(api, {
    user: someUser({ totalNodes: 10 }),
    stats: { total: 20_000, totalSold: 20_000, remaining: 0, progress: 100 },
  })
  renderPage(<DashboardPage />)

  expect(await screen.findByText('Sold out')).toBeVisible()
  expect(card('Purchase Additional Nodes').getByText('Sold out')).toBeVisible()
  expect(screen.getByRole('link', { name: 'See the purchase page' })).toHaveAttribute('href', '/purchase')
  expect(screen.queryByText('Sales Started!')).not.toBeInTheDocument()
})

test('a visitor redirected by the server to log in is sent to /auth', async () => {
  answerCommonCalls(api)
  const { location } = renderPage(<DashboardPage />, { at: '/?login=required' })

  await expect.poll(location).toBe('/auth')
})
