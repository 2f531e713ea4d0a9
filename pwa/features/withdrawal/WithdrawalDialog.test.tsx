import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Output } from '#shared/contract/endpoint.ts'
import { getAuthUser } from '#shared/contract/identity.ts'
import { enableOtp, otpStatus, setupOtp, verifyOtp } from '#shared/contract/otp.ts'
import { getConfig, listSystemSettings } from '#shared/contract/settings.ts'
import { updateWallet } from '#shared/contract/wallet.ts'
import { getDailyLimit, requestWithdrawal } from '#shared/contract/withdrawals.ts'
import { shorten } from '#shared/address.ts'
import { MINUTE } from '#shared/dates.ts'
import { parseWithdrawalMessage } from '#shared/withdrawalMessage.ts'
import { authUserQuery, configQuery, withdrawalsQuery } from '#pwa/lib/queries.ts'
import { readOwn } from '#pwa/register/deviceMemory.ts'
import { amountOf, answerCommonCalls, someConfig, someUser, someWithdrawal } from '#pwa/testing/answers.ts'
import { proxyAnswer, refusal, unauthorized, useFakeApi } from '#pwa/testing/fakeApi.ts'
import { connectFakeWallet, makeWallet, walletError } from '#pwa/testing/fakeWallet.ts'
import { holdAnswerTimeout } from '#pwa/testing/holdAnswerTimeout.ts'
import { renderPage } from '#pwa/testing/renderPage.tsx'
import { useToasts } from '#pwa/ui/toast.ts'
import { useWallet } from '#pwa/wallet/walletStore.ts'
import { WithdrawalHost } from './WithdrawalHost.tsx'
import { closeWithdrawal, openWithdrawal, useWithdrawalStore } from './withdrawalStore.ts'

const api = useFakeApi()
beforeEach(() => {
  vi.spyOn(console, 'info').mockImplementation(() => {})
})

const account = someUser().walletAddress!
const rewardChainId = `0x${(20_250_217).toString(16)}`

interface Sent {
  key: string | null
  signedMessage: string
  signature: string
  signerAddress: string
  amount: bigint
}

interface DialogSetup {
  available?: string
  fee?: string
  hasOtp?: boolean
  /** The wallet has the network and the token. */
  isSetUp?: boolean
  walletAddress?: `0x${string}` | null
  limit?: Output<typeof getDailyLimit>
  wallet?: Parameters<typeof makeWallet>[0] | null
  connectedAs?: string
  /** Answers instead of the server's own. */
  refuse?: () => Error | undefined
}

/** Renders the dialog for a user with 4,000 XCR, an authenticator and a configured wallet by default. */
async function open(options: DialogSetup = {}) {
  const { available = '4000', fee = '5', hasOtp = true, isSetUp = true, walletAddress = account, wallet = {} } = options
  const balance = { availableXcr: amountOf(available), totalEarnedXcr: amountOf(available) }
  const user = someUser({ balance, walletAddress })
  if (isSetUp) localStorage.setItem(`xcr_token_added_${user.email}`, 'true')
  answerCommonCalls(api, { user, settings: { withdrawal_fee_amount: fee } })
  if (options.limit) api.answer(getDailyLimit, () => options.limit!)
  api.answer(otpStatus, () => ({ otpEnabled: hasOtp, recoveryCodesLeft: 0 }))
  api.answer(setupOtp, () => ({ qrCode: 'data:image/png;base64,', manualEntryKey: 'JBSW Y3DP', secret: 'JBSWY3DP' }))
  api.answer(enableOtp, () => ({ message: 'ok', recoveryCodes: [] }))
  api.answer(verifyOtp, () => ({ message: 'ok' }))
  api.answer(updateWallet, ({ body }) => ({ ...user, walletAddress: body.walletAddress, walletProven: true }))
  const sent: Sent[] = []
  api.answer(requestWithdrawal, ({ body }, request) => {
    sent.push({ ...body, key: request.headers.get('idempotency-key') })
    const error = options.refuse?.()
    if (error) throw error
    return someWithdrawal({ amount: body.amount })
  })
  const page = renderPage(<WithdrawalHost />)
  page.queryClient.setQueryData(authUserQuery.queryKey, user)
  /** The withdrawal messages that the wallet was asked to sign. */
  const shown: string[] = []
  const connected =
    wallet &&
    (await connectFakeWallet(
      page.queryClient,
      makeWallet(
        {
          eth_chainId: () => (isSetUp ? rewardChainId : '0x38'),
          personal_sign: ([hex]) => {
            const message = Buffer.from((hex as string).slice(2), 'hex').toString()
            if (!message.includes('withdrawal')) return '0x1234'
            shown.push(message)
            return '0x5678'
          },
          ...wallet,
        },
        options.connectedAs,
      ),
    ))
  if (connected) await waitFor(() => expect(connected.asked).toContain('personal_sign'))
  if (connected) connected.asked.length = 0
  // Resets the account, which connecting has changed.
  act(() => void page.queryClient.setQueryData(authUserQuery.queryKey, user))
  act(openWithdrawal)
  await dialog()
  return { ...page, sent, shown, wallet: connected, user }
}

type Opened = Awaited<ReturnType<typeof open>>
type Person = Opened['person']

const dialog = () => screen.findByRole('dialog', { name: 'XCR Withdrawal' })
const amountField = () => screen.getByLabelText('Amount')
const summary = () => screen.getByRole('region', { name: 'Summary' })
const guide = () => screen.getByRole('region', { name: 'Wallet setup guide' })
const press = async (person: Person, name: string) => person.click(await screen.findByRole('button', { name }))

async function request(person: Person, amount = '3000') {
  await person.type(amountField(), amount)
  await press(person, 'Request Withdrawal')
}

async function enterCode(person: Person) {
  await waitFor(() => expect(screen.getByLabelText('Digit 1 of 6')).toHaveFocus())
  await person.keyboard('123456')
}

/** Continues up to the signing button. */
async function verify(person: Person, amount = '3000') {
  await request(person, amount)
  await enterCode(person)
  await screen.findByRole('button', { name: 'Sign with MetaMask' })
}

const toastText = async (title: string) =>
  (await within(screen.getByRole('region', { name: 'Notifications' })).findByText(title)).parentElement!

/** The element that the page scrolled to last. */
function watchScrolling() {
  const scroll = vi.spyOn(Element.prototype, 'scrollIntoView')
  return () => scroll.mock.contexts.at(-1)
}

/** The next page of the same tab. */
function loadPage() {
  cleanup()
  useToasts.setState({ toasts: [] })
  renderPage(<WithdrawalHost />)
}

test.each([
  ['', '4000', '5', 'Please enter the amount of XCR to withdraw.'],
  ['0', '4000', '5', 'Please enter the amount of XCR to withdraw.'],
  ['-3000', '4000', '5', 'Please enter the amount of XCR to withdraw.'],
  ['3.000,00', '4000', '5', 'Please enter an amount such as 3500.25.'],
  ['3000.0000000000000000001', '4000', '5', 'Please enter an amount such as 3500.25.'],
  ['3000', '100', '5', 'Insufficient XCR balance available for withdrawal.'],
  ['200', '100', '5', 'Insufficient XCR balance available for withdrawal.'],
  ['4000.000000000000000001', '4000', '5', 'Insufficient XCR balance available for withdrawal.'],
  ['2999.99999999', '4000', '3000', 'The minimum withdrawal amount is 3000 XCR.'],
  ['3000.123456789', '4000', '5', 'Please enter at most 8 decimals.'],
  ['3500', '4000', '3500.5', 'Withdrawal amount must be greater than fee (3500.5 XCR).'],
])('%j of %s with a fee of %s: %s', async (amount, available, fee, text) => {
  const { person, sent } = await open({ available, fee })
  if (amount) await person.type(amountField(), amount)
  await waitFor(() => expect(summary()).toHaveTextContent(`Fixed fee${Number(fee).toLocaleString('en-US')}`))
  await press(person, 'Request Withdrawal')

  expect(await toastText('Invalid Amount')).toHaveTextContent(text)
  expect(amountField()).toHaveAccessibleDescription(expect.stringContaining(text))
  expect(amountField()).toBeInvalid()
  expect(amountField()).toHaveFocus()
  expect(screen.queryByLabelText('Digit 1 of 6')).not.toBeInTheDocument()
  expect(sent).toEqual([])

  await person.type(amountField(), '1')
  expect(amountField()).toBeValid()
  await waitFor(() => expect(screen.queryByText('Invalid Amount')).not.toBeInTheDocument())
})

test.each(['4,000.00 XCR', '4 000', ' 4000 '])('an amount pasted as %j is read', async (pasted) => {
  const { person } = await open({ wallet: null })
  await person.click(amountField())
  await person.paste(pasted)
  expect(summary()).toHaveTextContent('Amount4,000.00 XCR')
  await press(person, 'Request Withdrawal')
  expect(await screen.findByLabelText('Digit 1 of 6')).toBeVisible()
})

test('a frozen account is called frozen before an amount, a code and a signature are given', async () => {
  const { queryClient, user } = await open()
  act(() => void queryClient.setQueryData<unknown>(authUserQuery.queryKey, { ...user, frozen: { thawsAt: null } }))
  expect(within(await dialog()).getByText('Your account is frozen')).toBeVisible()
  expect(within(await dialog()).getByRole('button', { name: 'Thaw account' })).toBeVisible()
})

test('the amount field keeps its printed attributes, and its form has no native validation', async () => {
  await open({ wallet: null })
  expect(amountField()).toHaveAttribute('min', '1')
  expect(amountField()).toHaveAttribute('step', '0.00000001')
  expect(amountField().closest('form')).toHaveAttribute('novalidate')
  expect(amountField()).toHaveAccessibleDescription('The minimum is 3,000.00 XCR.')
})

test('what is left of the daily limit is shown, Max takes no more, and more is refused before any code', async () => {
  const growsAt = new Date('2026-11-20T07:31:00Z')
  const limit = { limit: amountOf('5000'), left: amountOf('3500'), growsAt, next: null }
  const { person, sent } = await open({ limit, wallet: null })
  await waitFor(() =>
    expect(amountField()).toHaveAccessibleDescription(
      'The minimum is 3,000.00 XCR. 3,500 of your daily limit of 5,000 XCR is left. More from 20 Nov 2026, 07:31 UTC.',
    ),
  )
  await press(person, 'Max')
  expect(amountField()).toHaveValue('3500')

  await person.type(amountField(), '.1')
  await press(person, 'Request Withdrawal')
  const text = 'Your daily limit is 5,000 XCR, and 3,500 XCR of it is left right now.'
  expect(await toastText('Invalid Amount')).toHaveTextContent(text)
  expect(amountField()).toHaveAccessibleDescription(expect.stringContaining(text))
  expect(screen.queryByLabelText('Digit 1 of 6')).not.toBeInTheDocument()
  expect(sent).toEqual([])
})

test('a comma is a decimal point, and fee and received amount update while typing', async () => {
  const { person } = await open()
  expect(summary()).toHaveTextContent(/Amount0\.00 XCR.*Fixed fee5\.00 XCR.*Actual amount after fee0\.00 XCR/)

  await person.type(amountField(), '3000,12345678')
  expect(summary()).toHaveTextContent(/Amount3,000\.12345678 XCR.*Fixed fee5\.00 XCR.*Actual amount after fee2,995\.12345678 XCR/)
})

test('the balance has at least two decimals', async () => {
  await open({ available: '4000.1', wallet: null })
  expect(await dialog()).toHaveTextContent('Current balance4,000.10 XCR')
})

test('the balance has at most eight decimals, and Max takes no more of it', async () => {
  const { person } = await open({ available: '123456789012345678901.123456789012345678', wallet: null })
  expect(await dialog()).toHaveTextContent('Current balance123,456,789,012,345,678,901.12345678 XCR')
  await press(person, 'Max')
  expect(amountField()).toHaveValue('123456789012345678901.12345678')
})

test('code, signature and request follow each other, and the dialog closes and resets', async () => {
  const { person, sent, shown, wallet, queryClient, user } = await open()
  const again = vi.fn(() => user)
  api.answer(getAuthUser, again)
  await queryClient.prefetchQuery(withdrawalsQuery)

  await request(person, '3000.5')
  await enterCode(person)
  expect(await toastText('OTP Verification Complete')).toHaveTextContent('click "Sign with MetaMask"')
  expect(wallet!.asked).toEqual([])

  await press(person, 'Sign with MetaMask')
  expect(await toastText('Withdrawal Request Completed')).toHaveTextContent(`2,995.5 XCR will be sent to ${shorten(account)}.`)
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(wallet!.asked).toEqual(['eth_chainId', 'personal_sign'])
  expect(sent).toEqual([
    {
      key: expect.stringMatching(/^[0-9a-f-]{36}$/),
      amount: amountOf('3000.5'),
      signature: '0x5678',
      signedMessage: shown[0],
      signerAddress: account,
    },
  ])
  expect(parseWithdrawalMessage(shown[0]!)).toMatchObject({
    host: location.host,
    chainId: 20_250_217,
    email: user.email,
    amount: amountOf('3000.5'),
    fee: amountOf('5'),
    address: account,
  })
  await waitFor(() => expect(again).toHaveBeenCalled())
  expect(queryClient.getQueryState(withdrawalsQuery.queryKey)?.isInvalidated).toBe(true)

  act(openWithdrawal)
  await dialog()
  expect(amountField()).toHaveValue('')
  expect(screen.getByRole('button', { name: 'Request Withdrawal' })).toBeVisible()
})

test("the message is dated by the server's clock, not the device's", async () => {
  const serverTime = new Date(Date.now() - 90 * MINUTE)
  const { person, shown, queryClient } = await open()
  act(closeWithdrawal)
  // The page has been open for a while, so its clock offset is old.
  api.answer(getConfig, () => someConfig({ serverTime }))
  act(openWithdrawal)
  await dialog()
  await waitFor(() => expect(queryClient.getQueryData(configQuery.queryKey)?.serverTime).toEqual(serverTime))
  await verify(person)
  await press(person, 'Sign with MetaMask')

  await waitFor(() => expect(shown).toHaveLength(1))
  const { timestamp } = parseWithdrawalMessage(shown[0]!)!
  expect(Math.abs(new Date(timestamp).getTime() - serverTime.getTime())).toBeLessThan(MINUTE)
})

test('a withdrawal on hold is not said to be sent', async () => {
  const { person } = await open()
  api.answer(requestWithdrawal, () => someWithdrawal({ heldUntil: new Date('2099-11-20T12:00:00Z') }))
  await verify(person)
  await press(person, 'Sign with MetaMask')
  expect(await toastText('Withdrawal Request Completed')).toHaveTextContent(
    `2,995 XCR to ${shorten(account)}, on hold until 20 Nov 2099, 12:00 UTC.`,
  )
})

test('missing network and token are reported once, with the guide open; the next press signs first', async () => {
  const { person, shown, wallet } = await open({ isSetUp: false })
  await verify(person)
  await press(person, 'Sign with MetaMask')
  expect(await toastText('Setup Required')).toHaveTextContent('Network and token setup required in MetaMask for withdrawal.')
  expect(wallet!.asked).toEqual(['eth_chainId'])
  expect(shown).toEqual([])
  expect(within(guide()).getByRole('button', { name: 'Add Network' })).toBeVisible()

  await press(person, 'Sign with MetaMask')
  expect(await toastText('Withdrawal Request Completed')).toBeVisible()
  expect(wallet!.asked).toEqual(['eth_chainId', 'personal_sign'])
})

test('the guide opens when the wallet has to be set up, also if it was closed by hand, and can be closed again', async () => {
  const { person } = await open({ isSetUp: false })
  const network = () => within(guide()).queryByRole('button', { name: 'Add Network' })
  await press(person, 'Wallet setup guide')
  expect(network()).toBeVisible()
  await press(person, 'Wallet setup guide')
  expect(network()).not.toBeInTheDocument()
  await verify(person)
  await press(person, 'Sign with MetaMask')
  expect(await toastText('Setup Required')).toBeVisible()
  expect(network()).toBeVisible()
  await press(person, 'Wallet setup guide')
  expect(network()).not.toBeInTheDocument()
})

test('the token flag of another account of this browser does not count', async () => {
  localStorage.setItem('xcr_token_added_somebody@example.com', 'true')
  const { person } = await open({ isSetUp: false, wallet: { eth_chainId: () => rewardChainId } })
  await verify(person)
  await press(person, 'Sign with MetaMask')
  expect(await toastText('Setup Required')).toBeVisible()
})

test.each([
  ['Signature Cancelled', walletError(4001)],
  ['Signature Failed', walletError(-32603)],
  ['Signature Failed', walletError(-32002)],
])('%s: nothing is sent, and the next press asks again', async (title, error) => {
  let isRefusing = true
  const { person, sent } = await open({
    wallet: {
      personal_sign: ([hex]) => {
        if (isRefusing && Buffer.from((hex as string).slice(2), 'hex').includes('withdrawal')) throw error
        return '0x5678'
      },
    },
  })
  await verify(person)
  await press(person, 'Sign with MetaMask')
  expect(await toastText(title)).toBeVisible()
  expect(sent).toEqual([])

  isRefusing = false
  await press(person, 'Sign with MetaMask')
  expect(await toastText('Withdrawal Request Completed')).toBeVisible()
})

test.for(['cut', 'proxy'] as const)(
  'after a lost answer (%s) the same message is resent with the same key, and nothing is signed again',
  async (how) => {
    const { person, sent, shown } = await open()
    const scrolledTo = watchScrolling()
    const { fetch } = globalThis
    let isLosing = true
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const response = await fetch(input, init)
      if (!isLosing || !response.url.endsWith(requestWithdrawal.path)) return response
      if (how === 'proxy') return new Response('<h1>502 Bad Gateway</h1>', { status: 502 })
      throw new TypeError('Failed to fetch')
    })
    await verify(person)
    await press(person, 'Sign with MetaMask')
    expect(await toastText('Outcome Unknown')).toHaveTextContent(
      'The server did not respond. Send it again. It will be processed only once.',
    )
    expect(amountField()).toHaveAttribute('readonly')
    expect(scrolledTo()).toHaveTextContent('Your withdrawal of 3,000 XCR is signed')

    isLosing = false
    await press(person, 'Send Again')
    expect(await toastText('Withdrawal Request Completed')).toBeVisible()
    expect(shown).toHaveLength(1)
    expect(sent).toHaveLength(2)
    expect(sent[1]).toEqual(sent[0])
  },
)

test("a proxy's answer to the second try says nothing of the first: the same is sent again", async () => {
  const answers = [proxyAnswer(403), refusal(503, 'busy', 'Busy.')]
  const { person, sent } = await open({ refuse: () => answers.pop() })
  await verify(person)
  await press(person, 'Sign with MetaMask')
  await press(person, 'Send Again')
  await waitFor(() => expect(sent).toHaveLength(2))

  await press(person, 'Send Again')
  expect(await toastText('Withdrawal Request Completed')).toBeVisible()
  expect(sent[2]).toEqual(sent[0])
})

test.each([
  [503, 'chain_unavailable'],
  [429, 'rate_limited'],
  [409, 'request_in_progress'],
] as const)('%s %s says nothing of the withdrawal: the same is sent again', async (status, code) => {
  const answers = [refusal(status, code, 'Please try again in a moment.')]
  const { person, sent, shown } = await open({ refuse: () => answers.pop() })
  await verify(person)
  await press(person, 'Sign with MetaMask')
  expect(await toastText('Outcome Unknown')).toHaveTextContent('Please try again in a moment.')

  await press(person, 'Send Again')
  expect(await toastText('Withdrawal Request Completed')).toBeVisible()
  expect(shown).toHaveLength(1)
  expect(sent[1]).toEqual(sent[0])
})

test('closing without an answer refers the user to the history', async () => {
  const { person } = await open({ refuse: () => refusal(503, 'busy', 'Busy.') })
  await verify(person)
  await press(person, 'Sign with MetaMask')
  await screen.findByRole('button', { name: 'Send Again' })
  await press(person, 'Cancel')

  expect(await toastText('Check Your History')).toBeVisible()
  act(openWithdrawal)
  await dialog()
  expect(screen.getByRole('button', { name: 'Request Withdrawal' })).toBeVisible()
})

test('nobody can leave the dialog before the answer, which a second withdrawal might follow otherwise', async () => {
  const { person } = await open()
  const isAnswered = Promise.withResolvers<void>()
  api.answer(requestWithdrawal, async () => {
    await isAnswered.promise
    return someWithdrawal()
  })
  await verify(person)
  await press(person, 'Sign with MetaMask')
  await waitFor(() => expect(useWithdrawalStore.getState().flow.at).toBe('sending'))
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeDisabled()
  expect(screen.queryByRole('button', { name: 'Close' })).not.toBeInTheDocument()
  await person.keyboard('{Escape}')
  expect(await dialog()).toBeVisible()

  isAnswered.resolve()
  expect(await toastText('Withdrawal Request Completed')).toBeVisible()
})

test('a request that is never answered is given up after half a minute, and the same is sent again', async () => {
  const { person } = await open()
  const giveUp = holdAnswerTimeout()
  const keys: (string | null)[] = []
  api.answer(requestWithdrawal, (_, request) => {
    keys.push(request.headers.get('idempotency-key'))
    return keys.length === 1 ? new Promise(() => {}) : someWithdrawal()
  })
  await verify(person)
  await press(person, 'Sign with MetaMask')
  await waitFor(() => expect(keys).toHaveLength(1))

  giveUp()

  expect(await toastText('Outcome Unknown')).toHaveTextContent('It will be processed only once.')
  await press(person, 'Send Again')
  expect(await toastText('Withdrawal Request Completed')).toBeVisible()
  expect(keys[1]).toBe(keys[0])
})

test('an answer that is lost after a logout closed the dialog refers the user to the history', async () => {
  const { person, queryClient } = await open()
  await queryClient.prefetchQuery(withdrawalsQuery)
  const isAnswered = Promise.withResolvers<void>()
  api.answer(requestWithdrawal, async () => {
    await isAnswered.promise
    throw refusal(503, 'busy', 'Busy.')
  })
  await verify(person)
  await press(person, 'Sign with MetaMask')
  await waitFor(() => expect(useWithdrawalStore.getState().flow.at).toBe('sending'))
  act(() => void queryClient.setQueryData(authUserQuery.queryKey, null))
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())

  isAnswered.resolve()
  expect(await toastText('Check Your History')).toBeVisible()
  expect(queryClient.getQueryState(withdrawalsQuery.queryKey)?.isInvalidated).toBe(true)
})

test('a logout while the outcome is unknown refers the user to the history', async () => {
  const { person, queryClient } = await open({ refuse: () => refusal(503, 'busy', 'Busy.') })
  await verify(person)
  await press(person, 'Sign with MetaMask')
  await screen.findByRole('button', { name: 'Send Again' })
  act(() => void queryClient.setQueryData(authUserQuery.queryKey, null))

  expect(await toastText('Check Your History')).toBeVisible()
})

test('a resend that meets an ended session refers the user to the history, also on the page of the login', async () => {
  const assign = vi.fn<(path: string) => void>()
  const { origin, host, href } = location
  vi.stubGlobal('location', { origin, host, href, pathname: '/', assign })
  const answers = [unauthorized(), refusal(503, 'busy', 'Busy.')]
  const { person } = await open({ refuse: () => answers.pop() })
  await verify(person)
  await press(person, 'Sign with MetaMask')
  await press(person, 'Send Again')
  expect(await toastText('Check Your History')).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Sign with MetaMask' })).not.toBeInTheDocument()
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/api/login'))

  loadPage()
  expect(await toastText('Check Your History')).toBeVisible()
  loadPage()
  expect(screen.queryByText('Check Your History')).not.toBeInTheDocument()
})

test.each([
  ['accepted', undefined],
  ['refused', refusal(409, 'insufficient_xcr', 'Insufficient XCR balance available for withdrawal.')],
])('the next page says nothing of a withdrawal that was %s', async (_, answer) => {
  const { person } = await open({ refuse: () => answer })
  await verify(person)
  await press(person, 'Sign with MetaMask')
  await toastText(answer ? 'Withdrawal Failed' : 'Withdrawal Request Completed')
  loadPage()
  expect(screen.queryByText('Check Your History')).not.toBeInTheDocument()
})

test("a refusal shows the server's message, and the next attempt has a new signature and key", async () => {
  const answers = [refusal(409, 'insufficient_xcr', 'Insufficient XCR balance available for withdrawal.')]
  const { person, sent, shown } = await open({ refuse: () => answers.pop() })
  await verify(person)
  await press(person, 'Sign with MetaMask')
  expect(await toastText('Withdrawal Failed')).toHaveTextContent('Insufficient XCR balance available for withdrawal.')

  await press(person, 'Sign with MetaMask')
  expect(await toastText('Withdrawal Request Completed')).toBeVisible()
  expect(new Set(shown).size).toBe(2)
  expect(sent[1]!.key).not.toBe(sent[0]!.key)
})

test('what was signed for an accepted withdrawal is kept to be found in the register, and what was refused is not', async () => {
  const answers = [refusal(409, 'insufficient_xcr', 'Insufficient XCR balance available for withdrawal.')]
  const { person, shown, user } = await open({ refuse: () => answers.pop() })
  await verify(person)
  await press(person, 'Sign with MetaMask')
  await toastText('Withdrawal Failed')
  expect(readOwn(user.id).messages).toEqual([])

  await press(person, 'Sign with MetaMask')
  await toastText('Withdrawal Request Completed')
  expect(readOwn(user.id).messages).toEqual([shown[1]])
})

test('a changed fee is shown, announced and signed', async () => {
  const answers = [refusal(409, 'withdrawal_fee_changed', 'The withdrawal fee is 7 XCR now.')]
  const { person, shown } = await open({ refuse: () => answers.pop() })
  await verify(person)
  expect(summary()).toHaveTextContent('Fixed fee5.00 XCR')
  api.answer(listSystemSettings, () => [{ key: 'withdrawal_fee_amount' as const, value: '7' }])
  await press(person, 'Sign with MetaMask')

  expect(await toastText('Withdrawal Failed')).toHaveTextContent('The withdrawal fee is 7 XCR now.')
  expect(screen.getByText('The fee has changed')).toBeVisible()
  expect(summary()).toHaveTextContent(/Fixed fee7\.00 XCR.*Actual amount after fee2,993\.00 XCR/)
  await press(person, 'Sign with MetaMask')
  expect(await toastText('Withdrawal Request Completed')).toBeVisible()
  expect(shown.map((message) => parseWithdrawalMessage(message)?.fee)).toEqual([amountOf('5'), amountOf('7')])
})

test('an expired code is asked for again', async () => {
  const answers = [refusal(403, 'otp_required', 'Please verify your authenticator code.')]
  const { person } = await open({ refuse: () => answers.pop() })
  await verify(person)
  await press(person, 'Sign with MetaMask')
  await enterCode(person)
  await press(person, 'Sign with MetaMask')
  expect(await toastText('Withdrawal Request Completed')).toBeVisible()
})

test('a lost session shows a toast and redirects to the login', async () => {
  const assign = vi.fn<(path: string) => void>()
  const { origin, host, href } = location
  vi.stubGlobal('location', { origin, host, href, pathname: '/', assign })
  const { person } = await open({ refuse: unauthorized })
  await verify(person)
  await press(person, 'Sign with MetaMask')

  expect(await screen.findByText('You are logged out. Logging in again...')).toBeVisible()
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/api/login'))
})

test('without an authenticator the press says so and opens its setup, which leads to the code', async () => {
  const { person } = await open({ hasOtp: false })
  expect(await screen.findByText('You must set up Google Authenticator before making withdrawals.')).toBeVisible()
  await request(person)
  expect(await toastText('OTP Authentication Required')).toHaveTextContent(
    'You must set up Google Authenticator before making withdrawals.',
  )
  await press(person, 'Enable OTP Authentication')
  await person.type(await screen.findByLabelText('6-digit code'), '123456')
  await press(person, 'Verify & Enable')
  await enterCode(person)
  expect(await screen.findByRole('button', { name: 'Sign with MetaMask' })).toBeVisible()
})

test('the code dialog can be closed, and the button works as before', async () => {
  const { person } = await open()
  await request(person)
  await waitFor(() => expect(screen.getByLabelText('Digit 1 of 6')).toHaveFocus())
  await person.keyboard('{Escape}')
  expect(await screen.findByRole('button', { name: 'Request Withdrawal' })).toBeEnabled()
  expect(amountField()).toHaveValue('3000')
})

test('while pending the button says so and nothing can be pressed or changed', async () => {
  let answer = () => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  const { person, sent } = await open()
  api.answer(requestWithdrawal, async () => {
    await held
    return someWithdrawal()
  })
  await verify(person)
  await press(person, 'Sign with MetaMask')
  expect(await screen.findByRole('button', { name: 'Processing...' })).toBeDisabled()
  expect(amountField()).toHaveAttribute('readonly')
  expect(sent).toEqual([])
  answer()
  expect(await toastText('Withdrawal Request Completed')).toBeVisible()
})

test('closing while the wallet is asked discards its answer', async () => {
  let sign = () => {}
  const { person, sent } = await open({
    wallet: {
      personal_sign: ([hex]) =>
        Buffer.from((hex as string).slice(2), 'hex').includes('withdrawal')
          ? new Promise((resolve) => (sign = () => resolve('0x5678')))
          : '0x1234',
    },
  })
  await verify(person)
  await press(person, 'Sign with MetaMask')
  await screen.findByRole('button', { name: 'Processing...' })
  await press(person, 'Cancel')
  await act(async () => sign())
  act(openWithdrawal)
  await dialog()

  expect(await screen.findByRole('button', { name: 'Request Withdrawal' })).toBeEnabled()
  expect(amountField()).toHaveValue('')
  expect(sent).toEqual([])
})

test('closing discards the code: the next withdrawal asks for one', async () => {
  const { person } = await open()
  await verify(person)
  await press(person, 'Cancel')
  act(openWithdrawal)
  await dialog()
  expect(amountField()).toHaveValue('')
  await request(person)
  await enterCode(person)
  expect(await screen.findByRole('button', { name: 'Sign with MetaMask' })).toBeVisible()
})

test('a logout closes the dialog before the next user sees it', async () => {
  const { queryClient } = await open()
  act(() => void queryClient.setQueryData(authUserQuery.queryKey, null))
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(useWithdrawalStore.getState().isOpen).toBe(false)
})

test('without a connected wallet no signature is requested', async () => {
  const { person, sent } = await open()
  await verify(person)
  act(() => useWallet.setState({ address: null }))
  expect(await screen.findByText('No wallet connected')).toBeVisible()
  await press(person, 'Sign with MetaMask')
  expect(await toastText('MetaMask Not Connected')).toHaveTextContent('Please connect your MetaMask wallet first.')
  expect(sent).toEqual([])
})

test('another account of the wallet cannot sign', async () => {
  const { person, wallet } = await open({ connectedAs: `0x${'1'.repeat(40)}` })
  expect(screen.getByText('Another wallet is connected')).toBeVisible()
  await verify(person)
  await press(person, 'Sign with MetaMask')
  expect(await toastText('Registered Wallet Required')).toHaveTextContent(shorten(account))
  expect(wallet!.asked).not.toContain('personal_sign')
})

test('the registered address is shown once, shortened and in full, with its network, and copied in full', async () => {
  const { person } = await open()
  const address = screen.getByRole('group', { name: 'Withdrawal address' })
  expect(address).toHaveTextContent(`${shorten(account)}${account}`)
  expect(within(await dialog()).getAllByText(account)).toHaveLength(1)
  expect(screen.getByText('XCR arrives on the XP network.')).toBeVisible()
  await press(person, 'Copy withdrawal address')
  expect(await navigator.clipboard.readText()).toBe(account)
})

test('without a registered address no withdrawal is possible until one is saved', async () => {
  const { person } = await open({ walletAddress: null, wallet: null })
  const submit = screen.getByRole('button', { name: 'Request Withdrawal' })
  expect(submit).toBeDisabled()
  expect(submit).toHaveAccessibleDescription('Please register your wallet address first for withdrawal.')

  await press(person, 'Save')
  expect(screen.getByText('Please enter wallet address.')).toBeVisible()
  // The second one is an address whose last digit was mistyped, as its checksum shows.
  for (const invalid of ['0x1234', '0x55d398326f99059fF775485246999027B3197956']) {
    await person.clear(screen.getByLabelText('Withdrawal address'))
    await person.type(screen.getByLabelText('Withdrawal address'), invalid)
    expect(screen.queryByText('Please enter a valid Ethereum wallet address.')).toBeNull()
    await press(person, 'Save')
    expect(screen.getByText('Please enter a valid Ethereum wallet address.')).toBeVisible()
  }

  await person.clear(screen.getByLabelText('Withdrawal address'))
  await person.type(screen.getByLabelText('Withdrawal address'), account.toUpperCase().replace('0X', '0x'))
  await press(person, 'Save')
  expect(await toastText('Wallet Address Registration Completed')).toHaveTextContent(shorten(account))
  expect(screen.getByRole('group', { name: 'Withdrawal address' })).toHaveTextContent(account)
  expect(screen.getByRole('button', { name: 'Request Withdrawal' })).toBeEnabled()
})

test('wallets cannot be connected from here while sales are off', async () => {
  const { queryClient } = await open({ wallet: null })
  api.answer(listSystemSettings, () => [{ key: 'sales_enabled', value: 'false' }])
  await act(() => queryClient.invalidateQueries())
  expect(await within(await dialog()).findByRole('button', { name: 'Sales Disabled' })).toBeDisabled()
  expect(screen.getByText('Sales are stopped, so wallet connection is impossible.')).toBeVisible()
})

test('an address registered by another account is refused with the reason', async () => {
  const { person } = await open({ walletAddress: null, wallet: null })
  api.answer(updateWallet, () => {
    throw refusal(409, 'wallet_taken', 'This wallet belongs to another account.')
  })
  await person.type(screen.getByLabelText('Withdrawal address'), account)
  await press(person, 'Save')
  expect(await toastText('Wallet Address Registration Failed')).toHaveTextContent('This wallet belongs to another account.')
})

test('an address whose answer was lost is not called unregistered', async () => {
  const { person } = await open({ walletAddress: null, wallet: null })
  api.answer(updateWallet, () => {
    throw proxyAnswer(502)
  })
  await person.type(screen.getByLabelText('Withdrawal address'), account)
  await press(person, 'Save')
  expect(await toastText('Outcome Unknown')).toHaveTextContent('It is safe to try again.')
})

test('the guide shows seven values, each with a copy button', async () => {
  const { person } = await open()
  await press(person, 'Wallet setup guide')
  const { rewardChain } = someConfig()
  const values = {
    'network name': rewardChain.name,
    'chain id': '20250217',
    'rpc address': rewardChain.rpcUrls[0]!,
    'currency symbol': 'XP',
    'token address': rewardChain.tokenAddress,
    'token symbol': 'XCR',
    'token decimals': '18',
  }
  expect(within(guide()).getAllByRole('button', { name: /^Copy/ })).toHaveLength(7)
  for (const [name, value] of Object.entries(values)) {
    await person.click(within(guide()).getByRole('button', { name: `Copy ${name}` }))
    expect(await navigator.clipboard.readText()).toBe(value)
  }
})

test('network and token are added to the wallet, and the token is remembered for this account', async () => {
  let chainId = '0x38'
  const added: unknown[] = []
  const { person, user } = await open({
    isSetUp: false,
    wallet: {
      eth_chainId: () => chainId,
      wallet_switchEthereumChain: () => {
        throw walletError(4902)
      },
      wallet_addEthereumChain: ([parameters]) => {
        added.push(parameters)
        chainId = rewardChainId
        return null
      },
      wallet_watchAsset: () => true,
    },
  })
  await press(person, 'Wallet setup guide')
  await press(person, 'Add Network')
  expect(await toastText('Network Added')).toBeVisible()
  const { rewardChain } = someConfig()
  expect(added).toEqual([
    {
      chainId: '0x134fe69',
      chainName: rewardChain.name,
      nativeCurrency: { name: 'XP', symbol: 'XP', decimals: 18 },
      rpcUrls: rewardChain.rpcUrls,
      blockExplorerUrls: [rewardChain.explorerUrl],
    },
  ])
  await press(person, 'Add Token')
  expect(await toastText('Token Added')).toBeVisible()
  expect(localStorage.getItem(`xcr_token_added_${user.email}`)).toBe('true')
})

test.each([
  ['Add Network', 'wallet_addEthereumChain', walletError(4001), 'Network Addition Cancelled'],
  ['Add Network', 'wallet_addEthereumChain', walletError(-32603), 'Network Addition Failed'],
  ['Add Token', 'wallet_watchAsset', walletError(4001), 'Token Addition Cancelled'],
  ['Add Token', 'wallet_watchAsset', walletError(-32601), 'Token Addition Failed'],
])('%s refused by %s: %s', async (button, method, error, title) => {
  const isToken = button === 'Add Token'
  const { person, user } = await open({
    isSetUp: false,
    wallet: {
      eth_chainId: () => (isToken ? rewardChainId : '0x38'),
      wallet_switchEthereumChain: () => {
        throw walletError(4902)
      },
      [method]: () => {
        throw error
      },
    },
  })
  await press(person, 'Wallet setup guide')
  await press(person, button)
  expect(await toastText(title)).toBeVisible()
  expect(localStorage.getItem(`xcr_token_added_${user.email}`)).toBeNull()
  expect(screen.getByRole('button', { name: button })).toBeEnabled()
})

test.each([
  [true, 'MetaMask Not Connected'],
  [false, 'MetaMask Required'],
])('with a wallet in the browser (%s) but none connected the guide says %s', async (hasProvider, title) => {
  const { person } = await open({ wallet: null })
  act(() => useWallet.setState({ hasProvider }))
  await press(person, 'Wallet setup guide')
  await press(person, 'Add Network')
  expect(await toastText(title)).toBeVisible()
})

test('a withdrawal that will be on hold says so before it is signed, and until when', async () => {
  const limit = { limit: null, left: null, growsAt: null, next: null }
  await open({ limit: { ...limit, heldUntil: new Date('2099-11-20T12:00:00Z') } })
  expect(await screen.findByText('It will be on hold first')).toBeVisible()
  expect(screen.getByRole('dialog')).toHaveTextContent('on hold until 20 Nov 2099, 12:00 UTC')
})

test.each([
  ['freeze', 'Your account was frozen.'],
  ['wallet', 'Your wallet was replaced.'],
  ['password', 'Your password was reset.'],
  ['authenticator', 'Your authenticator was removed.'],
  [undefined, 'Your account was frozen, or its wallet, password or authenticator was changed.'],
] as const)('a hold names its cause alone (%s)', async (holdCause, sentence) => {
  const limit = { limit: null, left: null, growsAt: null, next: null, heldUntil: new Date('2099-11-20T12:00:00Z') }
  await open({ limit: { ...limit, ...(holdCause && { holdCause }) } })
  await screen.findByText('It will be on hold first')
  expect(screen.getByRole('dialog')).toHaveTextContent(`${sentence} What you request now is on hold`)
})

test.each([
  ['there is none', undefined],
  ['it is over', new Date('2020-11-20T12:00:00Z')],
])('no hold is announced if %s', async (_, heldUntil) => {
  const limit = { limit: amountOf('4000'), left: amountOf('4000'), growsAt: null, next: null }
  await open({ limit: { ...limit, ...(heldUntil && { heldUntil }) } })
  await screen.findByText(/of your daily limit/)
  expect(screen.queryByText('It will be on hold first')).toBeNull()
})
