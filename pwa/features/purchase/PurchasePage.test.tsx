import { act, cleanup, screen, waitFor, waitForElementToBeRemoved, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { ErrorCode } from '#shared/errors.ts'
import { ApiError } from '#shared/contract/client.ts'
import { getAuthUser } from '#shared/contract/identity.ts'
import { getNodeStats } from '#shared/contract/nodes.ts'
import { enableOtp, otpStatus, setupOtp, verifyOtp } from '#shared/contract/otp.ts'
import {
  createPurchase,
  createReservation,
  getReservation,
  listPurchases,
  releaseReservation,
} from '#shared/contract/purchases.ts'
import { updateWallet } from '#shared/contract/wallet.ts'
import { shorten } from '#shared/address.ts'
import { HOUR, MINUTE, SECOND } from '#shared/dates.ts'
import { authUserQuery, purchasesQuery, reservationQuery } from '#pwa/lib/queries.ts'
import { amountOf, answerCommonCalls, someConfig, somePurchase, someReservation, someUser } from '#pwa/testing/answers.ts'
import { refusal, unauthorized, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { announceWallet, connectFakeWallet, makeWallet, someHash, walletError } from '#pwa/testing/fakeWallet.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { restoreQuantity, useChosenQuantity } from './chosenQuantity.ts'
import { storeReport } from './paymentOutbox.ts'
import { leaveLine, showPlace, usePlaceInLine } from './placeInLine.ts'
import { PaymentHost } from './PaymentHost.tsx'
import { dispatch, usePurchaseFlowStore } from './purchaseFlowStore.ts'
import { abandonTransfer } from './payReservation.ts'
import { PurchasePage } from './PurchasePage.tsx'

const api = useFakeApi()
beforeEach(() => {
  vi.spyOn(console, 'info').mockImplementation(() => {})
  // The clock stands still unless a test advances it, so that countdowns do not depend on the machine's speed.
  vi.useFakeTimers({ toFake: ['Date'] })
})

type ServerState = NonNullable<Parameters<typeof answerCommonCalls>[1]>
type Wallet = Parameters<typeof makeWallet>[0]

/** Renders the page for a logged-in user, with or without a connected wallet, and records the calls that move money. */
async function open(options: { serverState?: ServerState; hasOtp?: boolean; wallet?: Wallet | null; refuse?: Error } = {}) {
  const { serverState = {}, hasOtp = true, wallet = {}, refuse } = options
  const user = serverState.user ?? someUser()
  answerCommonCalls(api, { user, ...serverState })
  api.answer(otpStatus, () => ({ otpEnabled: hasOtp, recoveryCodesLeft: 0 }))
  api.answer(setupOtp, () => ({ qrCode: 'data:image/png;base64,', manualEntryKey: 'JBSW Y3DP', secret: 'JBSWY3DP' }))
  api.answer(verifyOtp, () => ({ message: 'ok' }))
  api.answer(updateWallet, ({ body }) => ({ ...user, walletAddress: body.walletAddress, walletProven: true }))
  const calls: string[] = []
  api.answer(createReservation, ({ body }) => {
    calls.push(`reserve ${body.requestedQuantity}`)
    if (refuse) throw refuse
    const reservation = someReservation({
      requestedQuantity: body.requestedQuantity,
      purchaseAmountUsdt: amountOf('3') * BigInt(body.requestedQuantity),
    })
    api.answer(getReservation, () => reservation)
    return reservation
  })
  api.answer(releaseReservation, () => {
    calls.push('release')
    api.answer(getReservation, () => null)
    return { message: 'ok' }
  })
  api.answer(createPurchase, ({ body }) => {
    calls.push(`purchase ${body.requestedQuantity} ${body.transactionHash}`)
    const purchase = somePurchase({
      id: someReservation().id,
      paymentStatus: 'pending',
      finalQuantity: null,
      nodeNumbers: [],
      transactionHash: someHash,
    })
    api.answer(listPurchases, () => [purchase])
    api.answer(getReservation, () => null)
    return purchase
  })
  const page = renderPage(
    <>
      <PaymentHost />
      <PurchasePage />
    </>,
    { at: '/purchase' },
  )
  page.queryClient.setQueryData(authUserQuery.queryKey, user)
  const connected = wallet && (await connectFakeWallet(page.queryClient, makeWallet(wallet)))
  if (connected) await waitFor(() => expect(connected.asked).toContain('personal_sign'))
  const payButton = () => screen.findByRole('button', { name: /^Pay .* to purchase/ })
  return { ...page, calls, wallet: connected, press: async () => page.person.click(await payButton()), payButton }
}

async function verifyCode(person: Awaited<ReturnType<typeof open>>['person']) {
  // The dialog sets the focus after a delay.
  await waitFor(() => expect(screen.getByLabelText('Digit 1 of 6')).toHaveFocus())
  await person.keyboard('123456')
}

const progress = () => screen.findByRole('dialog', { name: 'Payment Progress' })
const pressInDialog = async (person: Awaited<ReturnType<typeof open>>['person'], name: string) =>
  person.click(await within(await progress()).findByRole('button', { name }))

test('a visitor sees the sale and a login button', async () => {
  answerCommonCalls(api, {
    stats: { total: 20_000, totalSold: 6_412, paid: 5_900, bonus: 500, reserved: 12, remaining: 13_588, progress: 32.06 },
  })
  renderPage(<PurchasePage />)

  expect(await screen.findByText('Login Required')).toBeVisible()
  expect(screen.getByRole('link', { name: 'Login' })).toHaveAttribute('href', '/auth')
  expect(await screen.findByText('13,588')).toBeVisible()
  expect(screen.getByText('6,412')).toBeVisible()
  expect(screen.getByText('32.06%')).toBeVisible()
  expect(screen.getByText('Sold: 5,900 paid, 500 bonus, 12 reserved')).toBeVisible()
  expect(screen.getByRole('progressbar', { name: 'Sales rate' })).toHaveAttribute('aria-valuenow', '32.06')
  expect(screen.queryByRole('button', { name: /^Pay/ })).not.toBeInTheDocument()
})

test('missing figures of the sale are marked as defaults until they load', async () => {
  answerCommonCalls(api)
  api.answer(getNodeStats, () => {
    throw refusal(500, 'internal', 'Something went wrong.')
  })
  const { person } = renderPage(<PurchasePage />)
  expect(await screen.findByText("Couldn't load the sale figures")).toBeVisible()
  api.answer(getNodeStats, () => ({ total: 20_000, totalSold: 6_412, remaining: 13_588, progress: 32.06 }))
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('6,412')).toBeVisible()
  expect(screen.queryByText("Couldn't load the sale figures")).toBeNull()
})

test('a quantity is picked or typed, and the receipt adds up', async () => {
  const { person, payButton } = await open({ wallet: null })
  const field = await screen.findByRole('spinbutton', { name: 'Quantity' })
  const receipt = within(screen.getByRole('region', { name: 'Receipt' }))

  await person.click(await screen.findByRole('radio', { name: '20' }))
  expect(field).toHaveValue(20)
  expect(receipt.getByText('60')).toBeVisible()
  expect(receipt.getByText('+2 free nodes, added within a week')).toBeVisible()

  await person.clear(field)
  await person.type(field, '7')
  expect(await payButton()).toHaveTextContent('Pay 21 USDT')
  expect(receipt.getByText('Buy 3 more, get 1 free')).toBeVisible()

  await person.clear(field)
  await person.tab()
  expect(field).toHaveValue(1)
  await person.clear(field)
  await person.type(field, '0')
  await person.tab()
  expect(field).toHaveValue(1)
  await person.click(screen.getByRole('button', { name: 'Add one node' }))
  expect(field).toHaveValue(2)
})

test('a preset above the remaining supply is disabled; a typed quantity stays and is refused on press', async () => {
  const { person, press, calls } = await open({
    serverState: { stats: { total: 20_000, totalSold: 19_993, remaining: 7, progress: 99.96 } },
  })
  await waitFor(() => expect(screen.getByRole('radio', { name: '10' })).toBeDisabled())
  expect(screen.getByRole('radio', { name: '5' })).toBeEnabled()

  const field = screen.getByRole('spinbutton', { name: 'Quantity' })
  await person.clear(field)
  await person.type(field, '8')
  await press()
  expect(field).toHaveValue(8)
  expect(await screen.findByText('Purchase Unavailable')).toBeVisible()
  expect(screen.getByText('Insufficient remaining node quantity.')).toBeVisible()
  expect(calls).toEqual([])
})

test.each([
  { why: 'nothing is left', serverState: { stats: { total: 20_000, totalSold: 20_000, remaining: 0, progress: 100 } } },
  { why: 'sales are off', serverState: { settings: { sales_enabled: 'false' } } },
  { why: 'sales have not started', serverState: { settings: { sales_start_date: new Date(Date.now() + HOUR).toISOString() } } },
  { why: 'no deposit address is configured', serverState: { config: { depositAddress: null } } },
])('purchases are disabled while $why', async ({ serverState }) => {
  const { payButton } = await open({ serverState, wallet: null })
  const button = await payButton()
  await waitFor(() => expect(button).toBeDisabled())
})

test('a sold-out sale says so and has no quantity field', async () => {
  await open({ serverState: { stats: { total: 20_000, totalSold: 20_000, remaining: 0, progress: 100 } }, wallet: null })
  expect(await screen.findByText('All nodes are sold.')).toBeVisible()
  expect(screen.queryByRole('spinbutton', { name: 'Quantity' })).toBeNull()
})

test.each([
  [true, 'From 1 to 20,000. No limit per person.'],
  [false, 'From 1 to 20,000. At most 100 unpaid at once until you connect your wallet again and sign.'],
])('the picker names the limit of a wallet without a signature (signed: %s)', async (walletProven, hint) => {
  answerCommonCalls(api, { user: someUser({ walletProven }) })
  renderPage(<PurchasePage />, { at: '/purchase' })
  const field = await screen.findByRole('spinbutton', { name: 'Quantity' })
  await waitFor(() => expect(field).toHaveAccessibleDescription(hint))
})

test('the page counts down to the start', async () => {
  await open({ serverState: { settings: { sales_start_date: new Date(Date.now() + HOUR).toISOString() } }, wallet: null })
  expect(await screen.findByRole('timer')).toHaveTextContent('00Days01Hours00Minutes00Seconds')
  expect(screen.getByText('Prepare your wallet and USDT before launch.')).toBeVisible()
})

test('at the end of the countdown of a paused sale nothing says that it has started', async () => {
  const start = new Date(Date.now() + HOUR)
  await open({
    serverState: { settings: { sales_start_date: start.toISOString(), sales_enabled: 'false' } },
    wallet: null,
  })
  await screen.findByRole('timer')

  vi.setSystemTime(start)
  await waitForElementToBeRemoved(() => screen.queryByRole('timer'))
  expect(screen.getAllByText('Sales are stopped at the moment.')[0]).toBeVisible()
  for (const title of ['Sales Started!', 'Sales are paused']) expect(screen.queryByText(title)).not.toBeInTheDocument()
})

test('at the end of the countdown sales have started, and the button is enabled', async () => {
  const start = new Date(Date.now() + HOUR)
  const { payButton } = await open({ serverState: { settings: { sales_start_date: start.toISOString() } }, wallet: null })
  await screen.findByRole('timer')
  expect(await payButton()).toBeDisabled()

  vi.setSystemTime(start)
  expect(await screen.findByText('Sales Started!')).toBeVisible()
  expect(screen.getByText('Node sales are available.')).toBeVisible()
  expect(screen.queryByRole('timer')).not.toBeInTheDocument()
  await waitFor(async () => expect(await payButton()).toBeEnabled())
})

test('benefits, payment and risks are listed below', async () => {
  answerCommonCalls(api)
  renderPage(<PurchasePage />)
  const page = await screen.findByRole('main')

  for (const statement of [
    'Daily XCR incomeEvery day at 09:00 UTC',
    'One node costs 3 USDT and earns 10 XCR a day at the present rate.',
    'One node takes 300 days to earn 3,000 XCR, the minimum withdrawal.',
    'Each withdrawal costs a fee of 5 XCR.',
    'Vesting is a 5-year period',
    'Governance is enabled for nodes.',
    'Your nodes usually arrive within minutes of payment.',
    'Vesting period5 years',
    'GovernanceEnabled for every node',
    'BEP20 USDT only',
    'Transfer only from your registered wallet.',
    'Purchase only in units of the node price, 3 USDT.',
    'Nodes are distributed within 30 minutes after confirmation. Chain confirmation usually takes 5–30 minutes.',
    'Investment risk',
    'Pay only what you can afford to lose.',
  ])
    expect(page).toHaveTextContent(statement)
})

test('without a wallet the press explains how to connect one', async () => {
  const { press, calls } = await open({ wallet: null })
  await press()
  expect(await screen.findByText('Wallet Connection Required')).toBeVisible()
  expect(screen.getByText('Please connect your wallet from the top right corner.')).toBeVisible()
  expect(calls).toEqual([])
})

test('a wallet other than the registered one cannot pay', async () => {
  const { press, queryClient, calls } = await open()
  await waitFor(() => expect(useWallet.getState().isProving).toBe(false))
  api.answer(getAuthUser, () => someUser({ walletAddress: `0x${'9'.repeat(40)}` }))
  await act(() => queryClient.invalidateQueries({ queryKey: authUserQuery.queryKey }))
  expect(await screen.findByRole('button', { name: 'Register this wallet' })).toBeVisible()
  await press()
  expect(await screen.findByText('Registered Wallet Required')).toBeVisible()
  expect(calls).toEqual([])
})

test.each([
  ['is being registered', `0x${'1'.repeat(40)}`, { isLoggedIn: true }],
  ['is about to be registered', `0x${'2'.repeat(40)}`, { isLoggedIn: false }],
])('a press while the connected wallet %s waits for that, and asks for one signature', async (_, account, { isLoggedIn }) => {
  const user = someUser({ walletAddress: null })
  const { queryClient, press } = await open({ wallet: null, serverState: { user } })
  const registered = Promise.withResolvers<void>()
  api.answer(updateWallet, async ({ body }) => {
    await registered.promise
    return { ...user, walletAddress: body.walletAddress, walletProven: true }
  })
  if (!isLoggedIn) queryClient.setQueryData(authUserQuery.queryKey, null)
  const wallet = await connectFakeWallet(queryClient, makeWallet({}, account))
  queryClient.setQueryData(authUserQuery.queryKey, user)
  await waitFor(() => expect(useWallet.getState().isProving).toBe(false))

  await press()
  // A second press for another quantity would be forgotten.
  expect(screen.getByRole('button', { name: /^Pay .* to purchase/ })).toBeDisabled()
  registered.resolve()
  expect(await screen.findByRole('dialog', { name: 'OTP Verification' })).toBeVisible()
  expect(screen.queryByText('Registered Wallet Required')).not.toBeInTheDocument()
  expect(wallet.asked.filter((method) => method === 'personal_sign')).toHaveLength(1)
})

test('without an authenticator the press says so and opens its setup', async () => {
  const { press, calls } = await open({ hasOtp: false })
  await press()
  expect(await screen.findByText('OTP Authentication Required')).toBeVisible()
  expect(screen.getByText('You must set up Google Authenticator before making a purchase.')).toBeVisible()
  expect(await screen.findByRole('button', { name: 'Enable OTP Authentication' })).toBeVisible()
  expect(calls).toEqual([])
})

test('an authenticator set up on the way is used once its recovery codes are saved', async () => {
  const { person, press, calls } = await open({ hasOtp: false })
  api.answer(enableOtp, () => ({ message: 'ok', recoveryCodes: ['ABCDE-FGHJK'] }))
  await press()
  await person.click(await screen.findByRole('button', { name: 'Enable OTP Authentication' }))
  await person.type(await screen.findByLabelText('6-digit code'), '123456{Enter}')
  expect(await screen.findByText('ABCDE-FGHJK')).toBeVisible()
  await person.click(screen.getByRole('checkbox', { name: 'I have saved these codes in a safe place.' }))
  await person.click(screen.getByRole('button', { name: 'Continue' }))

  expect(await screen.findByRole('dialog', { name: 'OTP Verification' })).toBeVisible()
  expect(screen.getByText('OTP Setup Complete')).toBeVisible()
  await verifyCode(person)
  await progress()
  expect(calls).toEqual(['reserve 1'])
})

test('code, reservation, network, balance, transfer and report follow each other without further presses', async () => {
  const { person, press, calls, wallet, queryClient } = await open()
  await person.click(await screen.findByRole('radio', { name: '10' }))
  await press()
  expect(calls).toEqual([])
  await verifyCode(person)
  await progress()
  expect(calls).toEqual(['reserve 10'])
  expect(wallet!.asked).not.toContain('eth_sendTransaction')

  const pay = await within(await progress()).findByRole('button', { name: 'Pay 30 USDT' })
  wallet!.asked.length = 0
  await person.click(pay)
  // The tap requests the transfer immediately: account, network and balance were read before it.
  expect(wallet!.asked[0]).toBe('eth_sendTransaction')
  expect(await screen.findByText('Transaction Submitted')).toBeVisible()
  await waitFor(() => expect(calls).toEqual(['reserve 10', `purchase 10 ${someHash}`]))
  expect(localStorage.getItem('payment_outbox')).toBe('[]')
  expect(within(await progress()).getByText(/You can close this/)).toBeVisible()

  const seen = somePurchase({
    id: someReservation().id,
    paymentStatus: 'pending',
    finalQuantity: null,
    transactionHash: someHash,
    payment: { confirmations: 4, confirmationsNeeded: 15, received: amountOf('30') },
  })
  queryClient.setQueryData(purchasesQuery.queryKey, [seen])
  expect(await screen.findByText('4 of 15 confirmations')).toBeVisible()
  queryClient.setQueryData(purchasesQuery.queryKey, [
    somePurchase({ id: seen.id, nodeNumbers: [1042, 1043, 1044], transactionHash: someHash }),
  ])
  expect(await screen.findByText('Nodes 1,042–1,044 are yours.')).toBeVisible()
  expect(screen.getByRole('link', { name: 'See your history' })).toHaveAttribute('href', '/history')
})

test('a reservation ended early by the server cannot be paid any more', async () => {
  const { person, press, queryClient } = await open()
  await press()
  await verifyCode(person)
  await progress()
  queryClient.setQueryData(reservationQuery.queryKey, null)

  expect(await screen.findByText('The reservation has expired')).toBeVisible()
  expect(screen.queryByRole('button', { name: /^Pay / })).not.toBeInTheDocument()
})

test('a reservation that another one has replaced cannot be paid any more', async () => {
  const { person, press, queryClient } = await open()
  await press()
  await verifyCode(person)
  await progress()
  queryClient.setQueryData(reservationQuery.queryKey, someReservation({ id: crypto.randomUUID(), requestedQuantity: 5 }))

  expect(await screen.findByText('The reservation has expired')).toBeVisible()
  expect(screen.queryByRole('button', { name: /^Pay / })).not.toBeInTheDocument()
})

/** With a reading of the wallet that is too old, and a wallet that answers when the test says so. */
async function openWithOldReading(wallet: Wallet = {}) {
  let isSilent = false
  const answers: (() => void)[] = []
  const page = await open({
    wallet: {
      ...wallet,
      eth_call: async () => {
        if (isSilent) await new Promise<void>((resolve) => answers.push(resolve))
        return balanceAnswer('100')
      },
    },
  })
  await page.press()
  await verifyCode(page.person)
  const pay = await within(await progress()).findByRole('button', { name: /^Pay / })
  isSilent = true
  vi.setSystemTime(Date.now() + 6_000)
  return {
    ...page,
    pay,
    /** Lets the wallet answer all that it was asked. */
    answer: async () => {
      isSilent = false
      for (const go of answers.splice(0)) await act(async () => go())
    },
    transfers: () => page.wallet!.asked.filter((method) => method === 'eth_sendTransaction').length,
  }
}

test('two taps on Pay while the wallet is read again send one transfer', async () => {
  const { pay, answer, transfers } = await openWithOldReading()
  // In one turn, before the page is drawn again.
  act(() => {
    pay.click()
    pay.click()
  })
  await waitFor(() => expect(pay).toHaveAttribute('aria-busy', 'true'))
  await answer()
  await waitFor(() => expect(transfers()).toBe(1))
  await screen.findByText('Transaction Submitted')
  expect(transfers()).toBe(1)
})

test('a second tap while the wallet is read again is ignored, even if the wallet refuses the first', async () => {
  const { pay, answer, transfers } = await openWithOldReading({
    eth_sendTransaction: () => {
      throw walletError(4001)
    },
  })
  act(() => {
    pay.click()
    pay.click()
  })
  await waitFor(() => expect(pay).toHaveAttribute('aria-busy', 'true'))
  await answer()
  await waitFor(() => expect(pay).not.toHaveAttribute('aria-busy'))
  expect(transfers()).toBe(1)
})

type Page = Awaited<ReturnType<typeof open>>
const meanwhile: [what: string, happens: (page: Page) => void][] = [
  ['the nodes are released', () => usePurchaseFlowStore.setState({ flow: { at: 'idle' } })],
  ['the server ends the reservation', ({ queryClient }) => queryClient.setQueryData(reservationQuery.queryKey, null)],
  [
    'another account is logged in',
    ({ queryClient }) => queryClient.setQueryData(authUserQuery.queryKey, someUser({ id: crypto.randomUUID() })),
  ],
]
test.each(meanwhile)('nothing is paid if %s while the wallet is read again', async (_, happens) => {
  const page = await openWithOldReading()
  act(() => page.pay.click())
  await act(async () => happens(page))
  await page.answer()
  await act(async () => {})
  expect(page.transfers()).toBe(0)
  expect(page.calls).toEqual(['reserve 1'])
})

test('nothing is paid after the button that was tapped is gone', async () => {
  const { person, pay, answer, transfers } = await openWithOldReading()
  act(() => pay.click())
  await person.click(within(await progress()).getAllByRole('button', { name: 'Close' })[0]!)
  await screen.findByRole('button', { name: 'Release the nodes' })
  await answer()
  await act(async () => {})
  expect(transfers()).toBe(0)
})

test('a transfer that another tab has sent is followed instead of sent again', async () => {
  const { person, press } = await open()
  await press()
  await verifyCode(person)
  await within(await progress()).findByRole('button', { name: /^Pay / })
  const report = { idempotencyKey: 'other', userId: someUser().id, requestedQuantity: 1, purchaseAmountUsdt: '3' }
  localStorage.setItem(
    'payment_outbox',
    JSON.stringify([{ ...report, transactionHash: someHash, sentAt: new Date().toISOString() }]),
  )
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'payment_outbox' })))

  expect(await within(await progress()).findByText(shorten(someHash))).toBeVisible()
  expect(screen.queryByRole('button', { name: /^Pay / })).not.toBeInTheDocument()
})

const ANOTHER = 'You have a payment in progress. This is another purchase.'

test('a payment that the server does not know yet stays on the page after its dialog is closed', async () => {
  const { person, press, wallet } = await open()
  api.answer(createPurchase, () => {
    throw refusal(503, 'chain_unavailable', 'Please try again.')
  })
  await press()
  await verifyCode(person)
  await pressInDialog(person, 'Pay 3 USDT')
  await within(await progress()).findByText("Notifying the server. We'll retry until it responds.")
  expect(screen.queryByText('1 node: sent')).toBeNull()

  await person.keyboard('{Escape}')
  expect(await screen.findByText('1 node: sent')).toBeVisible()
  expect(screen.getByText(shorten(someHash))).toBeVisible()
  expect(screen.getByRole('button', { name: /^Pay .* to purchase/ })).toHaveAccessibleDescription(ANOTHER)
  expect(wallet!.asked.filter((method) => method === 'eth_sendTransaction')).toHaveLength(1)
})

test('a transfer that the server does not know yet is not asked for again after a reload', async () => {
  const reservation = someReservation()
  const { queryClient } = await open()
  await waitFor(() => expect(queryClient.getQueryData(purchasesQuery.queryKey)).toBeDefined())
  for (const call of [createPurchase, listPurchases] as const)
    api.answer(call, () => {
      throw refusal(503, 'chain_unavailable', 'Please try again.')
    })
  api.answer(getReservation, () => reservation)
  act(() => void queryClient.setQueryData(reservationQuery.queryKey, reservation))
  expect(await screen.findByText(/Nothing is paid yet/)).toBeVisible()
  act(() =>
    storeReport({
      idempotencyKey: crypto.randomUUID(),
      userId: someUser().id,
      requestedQuantity: reservation.requestedQuantity,
      purchaseAmountUsdt: reservation.purchaseAmountUsdt,
      transactionHash: someHash,
      sentAt: new Date(),
    }),
  )

  expect(await screen.findByText('10 nodes: sent')).toBeVisible()
  expect(screen.getByText(shorten(someHash))).toBeVisible()
  expect(screen.getByRole('button', { name: 'Copy transaction hash' })).toBeVisible()
  expect(screen.queryByText(/Nothing is paid yet/)).not.toBeInTheDocument()
  expect(screen.queryByRole('button', { name: 'Continue with the payment' })).not.toBeInTheDocument()
})

const balanceAnswer = (amount: string) => `0x${amountOf(amount).toString(16).padStart(64, '0')}`
const SWITCH = 'Switch to BNB Smart Chain'
/** The wallet may have broadcast the transfer. */
const OUTCOME_UNKNOWN =
  "Look at your wallet's activity first. If it shows the transfer, don't pay again. We'll find it on the chain."
const brokenPayments: { what: string; wallet: Wallet; press?: string; toast: [string, string]; step?: string }[] = [
  {
    what: 'the user rejects the transfer',
    wallet: { eth_sendTransaction: () => Promise.reject(walletError(4001)) },
    toast: ['Transaction Failed', 'Transaction was rejected by user.'],
  },
  {
    what: 'there are no coins for gas',
    wallet: { eth_sendTransaction: () => Promise.reject(walletError(-32000, 'insufficient funds for gas * price + value')) },
    toast: ['Transaction Failed', 'Insufficient funds for transaction.'],
    step: 'The network fee is paid in BNB. Send a little BNB to this wallet, or the USDT that it lacks, then pay again.',
  },
  {
    what: 'the transfer fails for another reason',
    wallet: { eth_sendTransaction: () => Promise.reject(walletError(-32603)) },
    toast: ['Transaction Failed', 'Transaction failed. Please try again.'],
    step: OUTCOME_UNKNOWN,
  },
  {
    what: 'the wallet shows an earlier request',
    wallet: { eth_sendTransaction: () => Promise.reject(walletError(-32002)) },
    toast: [
      'Wallet Request Waiting',
      "Your wallet still shows an earlier request. Respond to it there. If that is the transfer, don't pay again.",
    ],
  },
  {
    what: 'the wallet answers without a hash',
    wallet: { eth_sendTransaction: () => null },
    toast: ['Transaction Failed', 'Transaction failed. Please try again.'],
    step: OUTCOME_UNKNOWN,
  },
  {
    what: 'the USDT balance is too low',
    wallet: {
      eth_call: () => balanceAnswer(usePurchaseFlowStore.getState().flow.at === 'payment' ? '29.999999999999999999' : '30'),
    },
    press: 'Check the balance again',
    toast: ['Insufficient USDT Balance', 'You need 30 USDT to complete this purchase.'],
  },
  {
    what: 'the balance cannot be read',
    wallet: { eth_call: () => '0x' },
    press: 'Check the balance again',
    toast: ['Transaction Failed', 'Transaction failed. Please try again.'],
  },
  {
    what: 'the wallet has an open prompt',
    wallet: { eth_chainId: () => '0x1', wallet_switchEthereumChain: () => Promise.reject(walletError(-32002)) },
    press: SWITCH,
    toast: ['Wallet Request Waiting', 'Your wallet has a pending connection request. Respond to it, then continue.'],
  },
  {
    what: 'the network is refused',
    press: SWITCH,
    wallet: { eth_chainId: () => '0x1', wallet_switchEthereumChain: () => Promise.reject(walletError(4001)) },
    toast: ['Network Addition Cancelled', 'Your wallet must be on BNB Smart Chain to pay.'],
  },
  {
    what: 'the network cannot be added',
    press: SWITCH,
    wallet: {
      eth_chainId: () => '0x1',
      wallet_switchEthereumChain: () => Promise.reject(walletError(4902)),
      wallet_addEthereumChain: () => Promise.reject(walletError(-32603)),
    },
    toast: ['Network Addition Failed', 'Switch to BNB Smart Chain in your wallet, then continue.'],
  },
]
test.each(brokenPayments)('the payment stops if $what, and says so', async ({ wallet: answers, press: label, toast, step }) => {
  const { person, press, calls } = await open({ wallet: answers })
  await person.click(await screen.findByRole('radio', { name: '10' }))
  await press()
  await verifyCode(person)
  await pressInDialog(person, label ?? 'Pay 30 USDT')

  const alert = await screen.findByText(toast[0])
  expect(alert.parentElement).toHaveTextContent(toast[1])
  expect(within(await progress()).getByText(step ?? toast[1])).toBeVisible()
  expect(calls).toEqual(['reserve 10'])
  // The reservation stays, so the user can retry.
  await waitFor(() => expect(screen.getByRole('button', { name: label ?? 'Pay 30 USDT' })).toBeEnabled())
})

test('a wallet that refuses to reconnect differs from a missing one', async () => {
  let isLocked = false
  const refuse = () => Promise.reject(walletError(-32603))
  const { person, press } = await open({
    wallet: {
      eth_accounts: () => (isLocked ? [] : [someUser().walletAddress]),
      eth_requestAccounts: () => (isLocked ? refuse() : [someUser().walletAddress]),
    },
  })
  await person.click(await screen.findByRole('radio', { name: '10' }))
  await press()
  await verifyCode(person)
  await progress()
  isLocked = true
  await pressInDialog(person, 'Unlock the wallet')
  expect((await screen.findByText('Connection Failed')).parentElement).toHaveTextContent(
    'Failed to connect to MetaMask. Please try again.',
  )
})

test('an installed but unconnected wallet is connected rather than reported missing', async () => {
  const { person } = await openHolding({ wallet: null })
  announceWallet(makeWallet())
  await person.click(screen.getByRole('button', { name: 'Continue with the payment' }))
  expect(within(await progress()).getByText('Connect your wallet.')).toBeVisible()
  await pressInDialog(person, 'Connect your wallet')
  expect(useWallet.getState().isSheetOpen).toBe(true)
  expect(screen.queryByText('MetaMask not found')).toBeNull()
})

test('a wallet error disappears once the wallet is ready, and a refused transfer is not red above the pay button', async () => {
  let chainId = '0x1'
  const { person, press } = await open({
    wallet: {
      eth_chainId: () => chainId,
      wallet_switchEthereumChain: () => Promise.reject(walletError(4001)),
      eth_sendTransaction: () => Promise.reject(walletError(4001)),
    },
  })
  await person.click(await screen.findByRole('radio', { name: '10' }))
  await press()
  await verifyCode(person)
  await pressInDialog(person, 'Switch to BNB Smart Chain')
  const refused = 'Your wallet must be on BNB Smart Chain to pay.'
  expect(await within(await progress()).findByText(refused)).toBeVisible()
  const goOn = await within(await progress()).findByRole('button', { name: 'I switched, continue' })
  // The page may notice it before the press.
  chainId = '0x38'
  await person.click(goOn)
  const pay = await within(await progress()).findByRole('button', { name: 'Pay 30 USDT' })
  expect(within(await progress()).queryByText(refused)).toBeNull()
  await person.click(pay)
  const rejected = await within(await progress()).findByText('Transaction was rejected by user.')
  expect(pay).toBeEnabled()
  expect(within(await progress()).queryByText(', stopped')).toBeNull()
  expect(rejected).not.toHaveClass('text-red')
})

test('without any wallet in this browser the missing one is named', async () => {
  const { person, press } = await open()
  await person.click(await screen.findByRole('radio', { name: '10' }))
  await press()
  await verifyCode(person)
  await progress()
  const { loadWalletAccess } = await import('#pwa/wallet/loadWalletAccess.ts')
  await (await loadWalletAccess(someConfig())).disconnect()
  useWallet.setState({ wallets: [], hasProvider: false })
  await pressInDialog(person, 'Connect your wallet')
  expect((await screen.findByText('MetaMask not found')).parentElement).toHaveTextContent(
    'Please install MetaMask to continue with payment.',
  )
})

const refusals: { code: ErrorCode; status: number; says: string; details?: Record<string, string>; toast: [string, string] }[] = [
  {
    code: 'sales_off',
    status: 409,
    says: 'Sales are stopped at the moment.',
    toast: ['Purchase Failed', 'Sales are stopped at the moment.'],
  },
  {
    code: 'insufficient_usdt',
    status: 409,
    says: 'x',
    toast: ['Insufficient USDT Balance', 'You need 3 USDT to complete this purchase.'],
  },
  {
    code: 'insufficient_usdt',
    status: 409,
    details: { needed: '33', available: '30', missing: '3', held: '30' },
    says: 'Including your unpaid purchases, you need 33 USDT. Your wallet has 30 USDT, so 3 USDT is missing.',
    toast: ['Insufficient USDT Balance', '3 USDT is missing.'],
  },
  {
    code: 'insufficient_supply',
    status: 409,
    says: 'x',
    toast: ['Purchase Unavailable', 'Insufficient remaining node quantity.'],
  },
  {
    code: 'wallet_required',
    status: 409,
    says: 'x',
    toast: ['Wallet Connection Required', 'Please connect your wallet from the top right corner.'],
  },
  { code: 'too_many_reservations', status: 429, says: 'Please wait.', toast: ['Purchase Failed', 'Please wait.'] },
]
test.each(refusals)('a reservation refused with $code shows its text', async ({ code, status, says, details, toast }) => {
  const { person, press } = await open({ refuse: refusal(status, code, says, details) })
  await press()
  await verifyCode(person)
  expect((await screen.findByText(toast[0])).parentElement).toHaveTextContent(toast[1])
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
})

test('while the reservation waits in line, its place is shown and nothing else can be purchased', async () => {
  await open()
  act(() => showPlace(312))

  expect(screen.getByText('About 300 before you')).toBeVisible()
  expect(screen.getByText('Your place is kept, even if you reload this page.')).toBeVisible()
  expect(screen.getByRole('button', { name: /to purchase 1 node/ })).toBeDisabled()

  act(() => showPlace(3))
  expect(screen.getByText('3 before you')).toBeVisible()
  act(() => showPlace(0))
  expect(screen.getByText('You are next.')).toBeVisible()
  act(() => leaveLine())
  await waitFor(() => expect(screen.queryByText('You are next.')).toBeNull())
})

test('a lost session shows a toast and redirects to the login', async () => {
  const assign = vi.fn<(path: string) => void>()
  vi.stubGlobal('location', { origin: location.origin, host: location.host, pathname: '/purchase', href: location.href, assign })
  const { person, press } = await open({ refuse: unauthorized() })
  await press()
  await verifyCode(person)

  expect((await screen.findByText('Unauthorized')).parentElement).toHaveTextContent('You are logged out. Logging in again...')
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/api/login'))
})

test('closing before the payment offers to keep or release the reservation', async () => {
  const { person, press, calls } = await open()
  await person.click(await screen.findByRole('radio', { name: '10' }))
  await press()
  await verifyCode(person)
  await person.click(within(await progress()).getAllByRole('button', { name: 'Close' })[0]!)
  await person.click(await screen.findByRole('button', { name: 'Keep them and close' }))

  expect(await screen.findByText('10 nodes reserved for you')).toBeVisible()
  await person.click(screen.getByRole('button', { name: 'Continue with the payment' }))
  await progress()
  await person.keyboard('{Escape}')
  await person.click(await screen.findByRole('button', { name: 'Release the nodes' }))
  await waitFor(() => expect(calls).toContain('release'))
  await waitFor(() => expect(screen.queryByText('10 nodes reserved for you')).not.toBeInTheDocument())
})

/** Renders the page for a user who reserved 10 nodes on an earlier visit or another device. */
async function openHolding(options: Parameters<typeof open>[0] = {}) {
  const page = await open(options)
  api.answer(getReservation, () => someReservation())
  await act(() => page.queryClient.invalidateQueries({ queryKey: reservationQuery.queryKey }))
  await screen.findByText('10 nodes reserved for you')
  return page
}

test('with an open reservation, whose nodes count as sold, the field shows no others as about to be bought', async () => {
  await openHolding()
  expect(screen.getByRole('img', { name: /^Field of/ })).not.toHaveAccessibleName(/about to be yours/)
})

test('with an open reservation the only primary action continues its payment', async () => {
  const { person, calls } = await openHolding()
  expect(screen.queryByRole('button', { name: /^Pay .* to purchase/ })).toBeNull()
  expect(screen.queryByRole('spinbutton', { name: 'Quantity' })).toBeNull()
  const next = screen.getByRole('button', { name: 'Continue with the payment' })
  expect(next.compareDocumentPosition(screen.getByRole('button', { name: 'Buy more' }))).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  await person.click(next)
  expect(await within(await progress()).findByRole('button', { name: 'Pay 30 USDT' })).toBeVisible()
  expect(calls).toEqual([])
})

test.each([
  ['paused', { settings: { sales_enabled: 'false' } }, /^You can still pay for the nodes reserved for you/],
  [
    'put off',
    { settings: { sales_start_date: new Date(Date.now() + HOUR).toISOString() } },
    /^You can still pay for the nodes reserved for you/,
  ],
  [
    'sold out',
    { stats: { total: 20_000, totalSold: 20_000, remaining: 0, progress: 100 } },
    /^All other nodes are sold. You can still pay/,
  ],
])('whoever has an open reservation reads that it can be paid while the sale is %s', async (_, serverState, says) => {
  await openHolding({ serverState })
  expect(await screen.findByText(says)).toBeVisible()
  expect(screen.queryByText(/^You can't buy nodes right now/)).not.toBeInTheDocument()
  expect(screen.queryByText('All nodes are sold.')).not.toBeInTheDocument()
  expect(screen.getByText('Open for the nodes reserved for you.')).toBeVisible()
})

test("the late answer to the checklist's network switch leaves a transfer in the wallet alone", async () => {
  let chainId = '0x1'
  let refuseSwitch = () => {}
  const { person } = await openHolding({
    wallet: {
      eth_chainId: () => chainId,
      wallet_switchEthereumChain: () => {
        chainId = '0x38'
        return new Promise((_, reject) => (refuseSwitch = () => reject(walletError(4001))))
      },
      eth_sendTransaction: () => new Promise(() => {}),
    },
  })
  await person.click(await screen.findByRole('button', { name: SWITCH }))
  await waitFor(() => expect(chainId).toBe('0x38'))
  await person.click(screen.getByRole('button', { name: 'Continue with the payment' }))
  await pressInDialog(person, 'Pay 30 USDT')
  await within(await progress()).findByRole('button', { name: 'Waiting for your wallet' })

  await act(async () => refuseSwitch())
  expect(within(await progress()).getByRole('button', { name: 'Waiting for your wallet' })).toBeDisabled()
  expect(within(await progress()).queryByRole('button', { name: 'Pay 30 USDT' })).toBeNull()
})

test('the late hash of an abandoned order is a payment of its own, and the next order stays unpaid', async () => {
  let send = () => {}
  const { person, queryClient, calls } = await openHolding({
    wallet: { eth_sendTransaction: () => new Promise((resolve) => (send = () => resolve(someHash))) },
  })
  api.answer(createPurchase, () => {
    throw refusal(503, 'chain_unavailable', 'Please try again.')
  })
  await person.click(screen.getByRole('button', { name: 'Continue with the payment' }))
  await pressInDialog(person, 'Pay 30 USDT')
  await within(await progress()).findByRole('button', { name: 'Waiting for your wallet' })
  act(abandonTransfer)
  const next = someReservation({ id: crypto.randomUUID(), requestedQuantity: 5, purchaseAmountUsdt: amountOf('15') })
  act(() => {
    queryClient.setQueryData(reservationQuery.queryKey, next)
    dispatch({ type: 'reserved', reservation: next, at: new Date() })
  })
  await within(await progress()).findByRole('button', { name: 'Pay 15 USDT' })

  await act(async () => send())
  expect(await screen.findByText('Transaction Submitted')).toBeVisible()
  expect(within(await progress()).getByRole('button', { name: 'Pay 15 USDT' })).toBeEnabled()
  await person.keyboard('{Escape}')
  await person.click(await screen.findByRole('button', { name: 'Keep them and close' }))
  expect(await screen.findByText('10 nodes: sent')).toBeVisible()
  expect(screen.getByText('5 nodes reserved for you')).toBeVisible()
  expect(calls).toEqual([])
})

const ASKED = /^Your wallet was asked at .*If you have already sent it, don't pay again/

test('after a reload the page knows that the wallet was asked, until the wallet refuses', async () => {
  let refuse = () => {}
  const { person } = await openHolding({
    wallet: { eth_sendTransaction: () => new Promise((_, reject) => (refuse = () => reject(walletError(4001)))) },
  })
  await person.click(screen.getByRole('button', { name: 'Continue with the payment' }))
  await pressInDialog(person, 'Pay 30 USDT')
  await within(await progress()).findByRole('button', { name: 'Waiting for your wallet' })
  expect(within(await progress()).queryByText(ASKED)).toBeNull()

  act(() => usePurchaseFlowStore.setState({ flow: { at: 'idle' } }))
  expect(await screen.findByText(/Your wallet was asked to pay/)).toBeVisible()
  expect(screen.queryByText(/Nothing is paid yet/)).toBeNull()
  await person.click(screen.getByRole('button', { name: 'Continue with the payment' }))
  expect(await within(await progress()).findByText(ASKED)).toBeVisible()
  expect(await within(await progress()).findByRole('button', { name: 'Pay 30 USDT' })).toBeEnabled()

  await act(async () => refuse())
  expect(within(await progress()).queryByText(ASKED)).toBeNull()
  expect(localStorage.getItem('payment_asked')).toBeNull()
})

test('nodes that are no longer reserved are not offered again without a word of the transfer that the wallet was asked for', async () => {
  const { person, queryClient } = await openHolding({ wallet: { eth_sendTransaction: () => new Promise(() => {}) } })
  await person.click(screen.getByRole('button', { name: 'Continue with the payment' }))
  await pressInDialog(person, 'Pay 30 USDT')
  await within(await progress()).findByRole('button', { name: 'Waiting for your wallet' })
  act(() => usePurchaseFlowStore.setState({ flow: { at: 'idle' } }))
  expect(screen.queryByText(MAY_STILL)).toBeNull()

  api.answer(getReservation, () => null)
  await act(() => queryClient.invalidateQueries({ queryKey: reservationQuery.queryKey }))
  expect(await screen.findByText(MAY_STILL)).toBeVisible()
  expect(screen.getByText(/If you have already sent it, don't buy again/)).toBeVisible()

  await person.click(screen.getByRole('button', { name: 'Dismiss' }))
  expect(screen.queryByText(MAY_STILL)).toBeNull()
  expect(localStorage.getItem('payment_asked')).toBeNull()
})
const MAY_STILL = 'Your wallet may still show a payment'

const askFromAnotherTab = (orderId: string) => {
  localStorage.setItem('payment_asked', JSON.stringify({ orderId, at: '2026-11-20T12:03:00.000Z' }))
  act(() => void window.dispatchEvent(new StorageEvent('storage', { key: 'payment_asked' })))
}
const KEEP = /^Your wallet was asked at .*If it may have sent the payment, keep the nodes/
const FOUND = "If your wallet sent the payment anyway, don't buy again. We'll find it."

test('nodes are released only after a warning if the wallet was asked to pay for them', async () => {
  const { person, calls } = await openHolding()
  askFromAnotherTab(someReservation().id)
  await person.click(screen.getByRole('button', { name: 'Release' }))
  const dialog = await screen.findByRole('dialog', { name: 'Keep the reservation?' })
  expect(within(dialog).getByText(KEEP)).toHaveTextContent('12:03:00 UTC')
  expect(within(dialog).queryByText(/haven't paid anything/)).toBeNull()
  await person.click(within(dialog).getByRole('button', { name: 'Keep them and close' }))
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(calls).toEqual([])

  await person.click(screen.getByRole('button', { name: 'Release' }))
  await person.click(await screen.findByRole('button', { name: 'Release the nodes' }))
  expect((await screen.findByText('Nodes Released')).parentElement).toHaveTextContent(FOUND)
  expect(screen.queryByText(/Nothing was paid/)).toBeNull()
  expect(calls).toEqual(['release'])
})

test('closing the payment and its end warn of a transfer that the wallet was asked for', async () => {
  const { person, queryClient } = await openHolding()
  await person.click(screen.getByRole('button', { name: 'Continue with the payment' }))
  await within(await progress()).findByRole('button', { name: 'Pay 30 USDT' })
  askFromAnotherTab(someReservation().id)
  await person.keyboard('{Escape}')
  expect(await screen.findByText(KEEP)).toBeVisible()
  await person.keyboard('{Escape}')

  await progress()
  act(() => void queryClient.setQueryData(reservationQuery.queryKey, null))
  expect(await screen.findByText('The reservation has expired')).toBeVisible()
  expect(screen.getByText(FOUND)).toBeVisible()
  expect(screen.queryByText(/Nothing was paid/)).toBeNull()
})

test('a payment that the server lists ends the wait for the wallet, and its request is to be rejected', async () => {
  let reject = () => {}
  const { person, queryClient, payButton } = await openHolding({
    wallet: { eth_sendTransaction: () => new Promise((_, refuse) => (reject = () => refuse(walletError(4001)))) },
  })
  await person.click(screen.getByRole('button', { name: 'Continue with the payment' }))
  await pressInDialog(person, 'Pay 30 USDT')
  await within(await progress()).findByRole('button', { name: 'Waiting for your wallet' })

  api.answer(getReservation, () => null)
  api.answer(listPurchases, () => [somePurchase({ id: someReservation().id, transactionHash: someHash })])
  await act(() => queryClient.invalidateQueries({ queryKey: purchasesQuery.queryKey }))
  expect(await within(await progress()).findByText('Nodes 1–10 are yours.')).toBeVisible()
  expect(within(await progress()).getByText(shorten(someHash))).toBeVisible()
  expect(
    within(await progress()).getByText('This purchase already has a payment. Reject the request if your wallet still shows it.'),
  ).toBeVisible()
  expect(usePurchaseFlowStore.getState().flow).toMatchObject({ at: 'tracking', hash: someHash })

  await act(async () => reject())
  expect(within(await progress()).queryByText(/already has a payment/)).toBeNull()
  expect(screen.queryByText('Transaction Failed')).toBeNull()
  await pressInDialog(person, 'Done')
  expect(await payButton()).toBeEnabled()
})

test('a wait that was long ends with the payment that the server lists', async () => {
  const { person, queryClient } = await openHolding({ wallet: { eth_sendTransaction: () => new Promise(() => {}) } })
  await person.click(screen.getByRole('button', { name: 'Continue with the payment' }))
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
  await pressInDialog(person, 'Pay 30 USDT')
  await within(await progress()).findByRole('button', { name: 'Waiting for your wallet' })
  await act(() => vi.advanceTimersByTimeAsync(21 * SECOND))
  expect(within(await progress()).getByText('No response from your wallet yet')).toBeVisible()

  const seen = somePurchase({ id: someReservation().id, paymentStatus: 'pending', nodeNumbers: [], transactionHash: someHash })
  api.answer(listPurchases, () => [seen])
  await act(() => queryClient.invalidateQueries({ queryKey: purchasesQuery.queryKey }))
  await waitFor(() => expect(screen.queryByText('No response from your wallet yet')).toBeNull())
})

test('a tab knows that another one has asked the wallet for the same order only', async () => {
  const { person } = await openHolding()
  await person.click(screen.getByRole('button', { name: 'Continue with the payment' }))
  await within(await progress()).findByRole('button', { name: 'Pay 30 USDT' })
  askFromAnotherTab(crypto.randomUUID())
  expect(within(await progress()).queryByText(ASKED)).toBeNull()
  askFromAnotherTab(someReservation().id)
  expect(within(await progress()).getByText(ASKED)).toHaveTextContent('12:03:00 UTC')
})

test('a failed network switch of the checklist is explained', async () => {
  const { person } = await open({
    wallet: { eth_chainId: () => '0x1', wallet_switchEthereumChain: () => Promise.reject(walletError(4001)) },
  })
  await person.click(await screen.findByRole('button', { name: SWITCH }))
  expect((await screen.findByText('Network Addition Cancelled')).parentElement).toHaveTextContent(
    'Your wallet must be on BNB Smart Chain to pay.',
  )
})

test('"Buy more" says that it replaces the reservation; releasing offers the purchase again', async () => {
  const { person, payButton } = await openHolding()
  await person.click(screen.getByRole('button', { name: 'Buy more' }))
  expect(
    screen.getByText('A new quantity replaces the 10 nodes reserved for you. To get both, pay for those first.'),
  ).toBeVisible()
  expect(screen.getByRole('button', { name: 'Continue with the payment' })).toBeVisible()
  expect(await payButton()).toBeEnabled()

  await person.click(screen.getByRole('button', { name: 'Release' }))
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Continue with the payment' })).toBeNull())
  expect(await payButton()).toBeEnabled()
})

test('"Buy more" warns before it replaces nodes that the wallet was asked to pay for', async () => {
  const { person } = await openHolding()
  await person.click(screen.getByRole('button', { name: 'Buy more' }))
  expect(screen.queryByText(KEEP)).toBeNull()
  askFromAnotherTab(crypto.randomUUID())
  expect(screen.queryByText(KEEP)).toBeNull()
  askFromAnotherTab(someReservation().id)
  expect(screen.getByText(KEEP)).toHaveTextContent('12:03:00 UTC')
})

test('while nodes are being released, they can neither be continued nor paid', async () => {
  const { person, wallet } = await openHolding()
  let answerNow = () => {}
  const answered = new Promise<void>((resolve) => (answerNow = resolve))
  api.answer(releaseReservation, () => answered.then(() => ({ message: 'ok' })))
  await person.click(screen.getByRole('button', { name: 'Release' }))
  expect(screen.getByRole('button', { name: 'Continue with the payment' })).toBeDisabled()
  expect(screen.getByRole('button', { name: 'Release' })).toBeDisabled()
  api.answer(getReservation, () => null)
  answerNow()
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Continue with the payment' })).toBeNull())
  expect(wallet!.asked).not.toContain('eth_sendTransaction')
})

test('a release whose answer was lost is not called a failure, and shows what is reserved now', async () => {
  const { person, payButton } = await openHolding()
  api.answer(releaseReservation, () => {
    api.answer(getReservation, () => null)
    // Without a code it is a proxy's answer.
    throw new ApiError(502, '{}')
  })
  await person.click(screen.getByRole('button', { name: 'Release' }))
  expect((await screen.findByText('Outcome Unknown')).parentElement).toHaveTextContent('It may have been done.')
  expect(screen.queryByText('Not Released')).toBeNull()
  expect(await payButton()).toBeEnabled()
})

test('a dialog with nodes that are being released stays closed to payments until the server refuses', async () => {
  const { person } = await openHolding()
  let refuseNow = () => {}
  const refused = new Promise<never>((_, reject) => (refuseNow = () => reject(refusal(503, 'chain_unavailable', 'Later.'))))
  api.answer(releaseReservation, () => refused)
  await person.click(screen.getByRole('button', { name: 'Continue with the payment' }))
  await within(await progress()).findByRole('button', { name: 'Pay 30 USDT' })
  await person.keyboard('{Escape}')
  await person.click(await screen.findByRole('button', { name: 'Release the nodes' }))
  await person.keyboard('{Escape}')
  expect(screen.queryByRole('button', { name: 'Pay 30 USDT' })).toBeNull()
  refuseNow()
  expect(await within(await progress()).findByRole('button', { name: 'Pay 30 USDT' })).toBeEnabled()
})

test('a reservation cannot be continued while another one replaces it', async () => {
  const { person } = await openHolding()
  let answerNow = () => {}
  const answered = new Promise<void>((resolve) => (answerNow = resolve))
  const replacement = someReservation({ id: crypto.randomUUID(), requestedQuantity: 1, purchaseAmountUsdt: amountOf('3') })
  api.answer(createReservation, () => answered.then(() => replacement))
  api.answer(getReservation, () => replacement)
  await person.click(screen.getByRole('button', { name: 'Buy more' }))
  await person.click(screen.getByRole('button', { name: /^Pay .* to purchase/ }))
  await verifyCode(person)
  await waitFor(() => expect(usePurchaseFlowStore.getState().flow.at).toBe('reserving'))
  await waitFor(() => expect(screen.getByRole('button', { name: 'Continue with the payment' })).toBeDisabled())

  answerNow()
  expect(await within(await progress()).findByRole('button', { name: 'Pay 3 USDT' })).toBeVisible()
})

test('a reservation that the server lists is paid although its answer never comes, and a late answer changes nothing', async () => {
  const { person, press, queryClient, calls } = await open()
  const reservation = someReservation({ requestedQuantity: 1, purchaseAmountUsdt: amountOf('3') })
  let answerNow = () => {}
  const answered = new Promise<void>((resolve) => (answerNow = resolve))
  api.answer(createReservation, () => answered.then(() => reservation))
  await press()
  await verifyCode(person)
  await waitFor(() => expect(usePurchaseFlowStore.getState().flow.at).toBe('reserving'))

  api.answer(getReservation, () => reservation)
  await act(() => queryClient.invalidateQueries({ queryKey: reservationQuery.queryKey }))
  await pressInDialog(person, 'Pay 3 USDT')
  await waitFor(() => expect(calls).toEqual([`purchase 1 ${someHash}`]))
  expect(usePurchaseFlowStore.getState().flow.at).toBe('tracking')
  await act(async () => answerNow())
  expect(usePurchaseFlowStore.getState().flow.at).toBe('tracking')
  expect(queryClient.getQueryData(reservationQuery.queryKey)).toBeNull()
})

test('a reservation that is answered after its account has logged out opens no payment', async () => {
  const { person, press, queryClient } = await open()
  let answerNow = () => {}
  const answered = new Promise<void>((resolve) => (answerNow = resolve))
  api.answer(createReservation, () => answered.then(() => someReservation()))
  await press()
  await verifyCode(person)
  await waitFor(() => expect(usePurchaseFlowStore.getState().flow.at).toBe('reserving'))
  act(() => {
    showPlace(3)
    queryClient.setQueryData(authUserQuery.queryKey, null)
  })
  await waitFor(() => expect(usePurchaseFlowStore.getState().flow.at).toBe('idle'))

  await act(async () => answerNow())
  // It leaves the line once the answer is dealt with.
  await waitFor(() => expect(usePlaceInLine.getState().before).toBeNull())
  expect(usePurchaseFlowStore.getState().flow.at).toBe('idle')
})

test('a fetch of the reservation that began earlier does not undo a new one', async () => {
  const { person, press, queryClient } = await open()
  await waitFor(() => expect(queryClient.getQueryData(reservationQuery.queryKey)).toBeNull())
  let answerNow = () => {}
  const answered = new Promise<void>((resolve) => (answerNow = resolve))
  api.answer(getReservation, () => answered.then(() => null))
  act(() => void queryClient.invalidateQueries({ queryKey: reservationQuery.queryKey }))
  await press()
  await verifyCode(person)
  await within(await progress()).findByRole('button', { name: 'Pay 3 USDT' })

  await act(async () => answerNow())
  await waitFor(() => expect(queryClient.isFetching()).toBe(0))
  expect(screen.queryByText('The reservation has expired')).toBeNull()
  expect(within(await progress()).getByRole('button', { name: 'Pay 3 USDT' })).toBeEnabled()
})

test('the purchase is disabled until reservations are loaded', async () => {
  const { payButton, queryClient } = await open()
  let answerNow = () => {}
  const answered = new Promise<void>((resolve) => (answerNow = resolve))
  api.answer(getReservation, async () => answered.then(() => null))
  act(() => queryClient.removeQueries({ queryKey: reservationQuery.queryKey }))
  act(() => void queryClient.resetQueries({ queryKey: reservationQuery.queryKey }))
  await waitFor(async () => expect(await payButton()).toBeDisabled())
  answerNow()
  await waitFor(async () => expect(await payButton()).toBeEnabled())
})

test('nothing is offered for payment until the purchases are loaded', async () => {
  const { person, payButton, queryClient } = await openHolding()
  let isRefused = true
  api.answer(listPurchases, () => {
    if (isRefused) throw refusal(503, 'chain_unavailable', 'Please try again.')
    return []
  })
  await act(() => queryClient.resetQueries({ queryKey: purchasesQuery.queryKey }))
  expect(await screen.findByText("Couldn't load your payments")).toBeVisible()
  expect(await payButton()).toBeDisabled()
  expect(screen.queryByText(/Nothing is paid yet/)).toBeNull()
  expect(screen.queryByRole('button', { name: 'Continue with the payment' })).toBeNull()

  isRefused = false
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByRole('button', { name: 'Continue with the payment' })).toBeEnabled()
})

test('a dialog cannot pay while the purchases are unknown', async () => {
  const { person, queryClient } = await openHolding()
  await person.click(screen.getByRole('button', { name: 'Continue with the payment' }))
  await within(await progress()).findByRole('button', { name: 'Pay 30 USDT' })
  api.answer(listPurchases, () => {
    throw refusal(503, 'chain_unavailable', 'Please try again.')
  })
  await act(() => queryClient.resetQueries({ queryKey: purchasesQuery.queryKey }))
  expect(within(await progress()).queryByRole('button', { name: 'Pay 30 USDT' })).toBeNull()
  expect(within(await progress()).queryByText(/You can close this/)).toBeNull()
})

test('the code dialog names nodes and amount', async () => {
  const { person, press } = await open()
  await person.click(await screen.findByRole('radio', { name: '10' }))
  await press()
  expect(await screen.findByRole('dialog', { name: 'OTP Verification' })).toHaveAccessibleDescription(/10 nodes for 30 USDT/)
})

test('a balance that is too low is in the checklist with an action, and no code is asked for', async () => {
  const { person, press, calls } = await open({ wallet: { eth_call: () => balanceAnswer('12.5') } })
  await person.click(await screen.findByRole('radio', { name: '10' }))
  expect(await screen.findByText(/Your wallet has 12\.5 USDT\. You need 17\.5 USDT more\./)).toBeVisible()
  await press()
  expect((await screen.findByText('Insufficient USDT Balance')).parentElement).toHaveTextContent(
    'You need 30 USDT to complete this purchase.',
  )
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(calls).toEqual([])

  await person.click(screen.getByRole('button', { name: 'Choose 4 nodes' }))
  expect(screen.getByRole('spinbutton', { name: 'Quantity' })).toHaveValue(4)
  expect(await screen.findByText('12.5 USDT in your wallet.')).toBeVisible()
})

test("a visitor's quantity is offered on the dashboard after a login with a page load, and is still selected", async () => {
  answerCommonCalls(api)
  const visit = renderPage(<PurchasePage />, { at: '/purchase' })
  // Waits until the page knows that nobody is logged in.
  await screen.findByText('Login Required')
  await visit.person.click(await screen.findByRole('radio', { name: '10' }))
  expect(screen.getByRole('radio', { name: '10' })).toBeChecked()
  cleanup()
  // A page load keeps the session storage.
  useChosenQuantity.setState(useChosenQuantity.getInitialState())

  answerCommonCalls(api, { user: someUser() })
  const home = renderPage(<PaymentHost />, { at: '/' })
  act(() => void home.queryClient.setQueryData(authUserQuery.queryKey, someUser()))
  await home.person.click(await screen.findByRole('link', { name: 'Continue with 10 nodes' }))
  expect(home.location()).toBe('/purchase')
  expect(screen.queryByRole('link', { name: 'Continue with 10 nodes' })).toBeNull()
  cleanup()

  await open({ wallet: null })
  expect(await screen.findByRole('spinbutton', { name: 'Quantity' })).toHaveValue(10)
  await waitFor(() => expect(useChosenQuantity.getState().isOffered).toBe(false))
})

test('a quantity outlives a page load until it is paid', async () => {
  const first = await open()
  await first.person.click(await screen.findByRole('radio', { name: '10' }))
  cleanup()
  // A page load keeps the session storage.
  useChosenQuantity.setState(useChosenQuantity.getInitialState())
  const { person, press } = await open()
  expect(await screen.findByRole('spinbutton', { name: 'Quantity' })).toHaveValue(10)
  expect(useChosenQuantity.getState().isOffered).toBe(false)
  await press()
  await verifyCode(person)
  await pressInDialog(person, 'Pay 30 USDT')
  expect(await screen.findByText('Transaction Submitted')).toBeVisible()
  act(() => useChosenQuantity.setState(useChosenQuantity.getInitialState()))
  restoreQuantity()
  expect(useChosenQuantity.getState().typed).toBeNull()
})

test.each([
  ['sales are off', { sales_enabled: 'false' }, 'Sales are stopped at the moment.'],
  ['they have not started', { sales_start_date: new Date(Date.now() + HOUR).toISOString() }, /^Sales start /],
])('while %s a visitor reads so before picker and price', async (_, settings, says) => {
  answerCommonCalls(api, { settings })
  renderPage(<PurchasePage />, { at: '/purchase' })
  const notice = await screen.findByText(says)
  for (const later of [screen.getByRole('region', { name: 'The sale so far' }), screen.getByRole('region', { name: 'Receipt' })])
    expect(notice.compareDocumentPosition(later) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy()
  expect(screen.getByText("Log in now to be ready when sales open. We'll keep your quantity.")).toBeVisible()
  expect(screen.queryByText(/^Log in to buy/)).not.toBeInTheDocument()
})

test('the countdown of a reservation never shows more than 30:00', async () => {
  const { queryClient } = await openHolding()
  act(
    () =>
      void queryClient.setQueryData(
        reservationQuery.queryKey,
        someReservation({ expiresAt: new Date(Date.now() + 31 * MINUTE) }),
      ),
  )
  expect(await screen.findByText('30:00')).toBeVisible()
})

test('a refused report needs attention only until a purchase has its transfer', async () => {
  storeReport({
    idempotencyKey: 'one',
    userId: someUser().id,
    requestedQuantity: 10,
    purchaseAmountUsdt: amountOf('30'),
    transactionHash: someHash,
    sentAt: new Date(),
    refusal: 'Please enter a code.',
  })
  const { queryClient } = await open()
  expect(await screen.findByText('Payment needs attention')).toBeVisible()
  act(() => void queryClient.setQueryData(purchasesQuery.queryKey, [somePurchase({ transactionHash: someHash })]))
  await waitFor(() => expect(screen.queryByText('Payment needs attention')).toBeNull())
})

test('below a payment in progress the button says that it is another purchase, until the nodes are there', async () => {
  const purchase = somePurchase({ paymentStatus: 'pending', nodeNumbers: [], finalQuantity: null })
  const { queryClient, payButton } = await open({ serverState: { purchases: [purchase] } })
  await waitFor(async () => expect(await payButton()).toHaveAccessibleDescription(ANOTHER))
  expect(screen.getByText(ANOTHER)).toBeVisible()

  act(() => void queryClient.setQueryData(purchasesQuery.queryKey, [somePurchase()]))
  await waitFor(() => expect(screen.queryByText(ANOTHER)).toBeNull())
  expect(await payButton()).not.toHaveAccessibleDescription()
})

test('a payment in progress from an earlier visit is shown with its progress', async () => {
  const { person } = await open({
    serverState: {
      purchases: [
        somePurchase({
          paymentStatus: 'pending',
          finalQuantity: null,
          nodeNumbers: [],
          payment: { confirmations: 2, confirmationsNeeded: 15, received: amountOf('30') },
        }),
      ],
    },
  })
  expect(await screen.findByText('10 nodes: 2 of 15 confirmations')).toBeVisible()
  await person.click(screen.getByRole('button', { name: 'Show the progress' }))
  expect(within(await progress()).getByText('2 of 15 confirmations')).toBeVisible()
})

test('while the wallet is asked to pay, only that payment shows its progress', async () => {
  const { person } = await openHolding({
    serverState: {
      purchases: [
        somePurchase({
          id: crypto.randomUUID(),
          paymentStatus: 'pending',
          requestedQuantity: 3,
          nodeNumbers: [],
          finalQuantity: null,
        }),
      ],
    },
    wallet: { eth_sendTransaction: () => new Promise(() => {}) },
  })
  expect(screen.getAllByRole('button', { name: 'Show the progress' })).toHaveLength(1)
  await person.click(screen.getByRole('button', { name: 'Continue with the payment' }))
  await pressInDialog(person, 'Pay 30 USDT')
  await within(await progress()).findByRole('button', { name: 'Waiting for your wallet' })
  await person.keyboard('{Escape}')

  expect(await screen.findByText('Payment requested in your wallet')).toBeVisible()
  expect(screen.getByText(/^3 nodes: /)).toBeVisible()
  await person.click(screen.getByRole('button', { name: 'Show the progress' }))
  await within(await progress()).findByRole('button', { name: 'Waiting for your wallet' })
})
