import { generate } from 'otplib'
import { expect, test, vi } from 'vitest'
import { shorten } from '#shared/address.ts'
import { HOUR } from '#shared/dates.ts'
import { formatDateTime } from '#pwa/lib/formatDate.ts'
import { findFaults, findNarrowFaults } from './findFaults.ts'
import {
  connectWallet,
  pressPay,
  readHistory,
  readPurchases,
  reserveNodes,
  expectToast,
  typeCode,
  useProduct,
} from './fixtures.ts'

const product = useProduct()
const TIMEOUT = 60_000

test('a visitor sets up the product, signs up, and buys ten nodes', async () => {
  const person = await product.arrive({ serviceWorkers: 'allow' })
  const { page, wallet, email } = person

  // The first start redirects to the setup.
  await page.goto('/')
  await page.waitForURL('**/setup')
  await page.getByLabel('Admin Username').waitFor()
  expect([...(await findFaults(page, 'set-up')), ...(await findNarrowFaults(page, 'set-up'))]).toEqual([])
  await page.getByLabel('Admin Username').fill('root')
  await page.getByLabel('Password', { exact: true }).fill('administrator')
  await page.getByLabel('Confirm Password').fill('administrator')
  await page.getByLabel('Allowed IP Addresses').fill('127.0.0.1')
  await page.getByRole('button', { name: 'Complete Setup' }).click()
  await page.waitForURL('**/admin1')

  // Logged out: the window around the newest sales.
  await page.goto('/')
  await page.getByRole('img', { name: 'Nodes 1 to 1,000: 0 sold, 1,000 available.' }).waitFor()

  // Sign-up with the emailed code.
  await page.goto('/auth')
  await page.getByRole('tab', { name: 'Sign Up' }).click()
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Send Verification Code' }).click()
  await page.getByLabel('Verification Code').fill(await product.mailbox.readCode(email))
  await page.getByRole('button', { name: 'Verify Code' }).click()
  await page.getByLabel('Password', { exact: true }).fill(product.password)
  await page.getByLabel('Confirm Password').fill(product.password)
  await page.getByRole('button', { name: 'Complete Sign Up' }).click()
  await page.waitForURL(product.running().url + '/')

  // Sets up the authenticator with its manual key.
  await page.goto('/security')
  await page.getByRole('button', { name: 'Setup OTP' }).click()
  await page.getByRole('button', { name: 'Enable OTP Authentication' }).click()
  const keyLabel = page.getByRole('dialog').getByText('Manual Entry Key', { exact: true })
  const manualKey = await keyLabel.locator('xpath=following-sibling::*').textContent()
  const secret = manualKey!.replaceAll(/\s/g, '')
  await page.getByLabel('6-digit code').fill(await generate({ secret }))
  await page.getByRole('button', { name: 'Verify & Enable' }).click()
  await page.getByRole('checkbox', { name: 'I have saved these codes in a safe place.' }).check()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('Enabled', { exact: true }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })

  // The wallet signs the proof of ownership.
  await product.fund(person)
  await page.goto('/purchase')
  await connectWallet(person)
  await expectToast(person, '지갑 연결 성공', `Wallet connected: ${shorten(wallet.address)}`)
  expect(wallet.requests.map(({ type }) => type)).toEqual(['connect', 'sign'])

  // Ten nodes: the chain is added, the balance checked, the amount transferred.
  await reserveNodes(person, { quantity: 10, code: await generate({ secret }) })
  await pressPay(person)
  await expectToast(person, 'Transaction Submitted')
  expect(wallet.requests.slice(2)).toMatchObject([
    { type: 'addChain', chainId: 56, name: 'BNB Smart Chain' },
    { type: 'send', chainId: 56, to: '0x55d398326f99059ff775485246999027b3197955', value: 0n },
  ])

  // The watcher confirms, and the open page updates without a reload.
  await page.getByText('Nodes 1–10 are yours.').waitFor()

  await page.getByRole('link', { name: 'See your history' }).click()
  const row = page.getByRole('row').filter({ hasText: 'Node Purchase' })
  await row.getByText('Completed').waitFor()
  await row.getByRole('link', { name: shorten(wallet.sent[0]!) }).waitFor()

  await page.getByRole('link', { name: 'Dashboard' }).click()
  const card = (title: string) => page.getByRole('heading', { name: title }).locator('xpath=ancestor::section')
  await card('Owned Nodes').getByText('10', { exact: true }).waitFor()
  await card('Total Investment').getByText('30', { exact: true }).first().waitFor()
  await page.getByText('10 pending nodes (active tomorrow)').waitFor()
})

test('a browser closed right after the transfer loses nothing', async () => {
  await product.setUp()
  const person = await product.arriveAsMember()
  const { page, context, wallet } = person
  // This browser never reports the transfer.
  await page.route('**/api/node-purchase', (route) => route.abort())
  await page.goto('/purchase')
  await connectWallet(person)
  await reserveNodes(person, { quantity: 5, code: await person.makeCode() })
  await pressPay(person)
  await vi.waitFor(() => expect(wallet.sent).toHaveLength(1), { timeout: TIMEOUT })
  await expectToast(person, 'Transaction Submitted')
  const storage = await context.storageState()
  await page.close()

  // The watcher matches the payment by sender and amount.
  await vi.waitFor(
    async () => {
      const [purchase] = await readPurchases(person)
      expect(purchase?.paymentStatus).toBe('confirmed')
      expect(purchase?.nodeNumbers).toHaveLength(5)
    },
    { timeout: TIMEOUT, interval: 250 },
  )

  // Opened again, the same browser reports the transfer, and the server knows it already.
  person.errors.length = 0
  const again = await product.comeBack(person, { storageState: storage })
  const kept = () => again.page.evaluate(() => localStorage.getItem('payment_outbox'))
  await again.page.goto('/history')
  await vi.waitFor(async () => expect(await kept()).toBe('[]'), { timeout: TIMEOUT })
  await again.page
    .getByRole('link', { name: shorten(wallet.sent[0]!) })
    .first()
    .waitFor()
  expect(await readPurchases(again)).toHaveLength(1)
})

test('a transfer rejected in the wallet costs nothing and can be retried', async () => {
  await product.setUp()
  const person = await product.arriveAsMember()
  const { page, wallet } = person
  await page.goto('/purchase')
  await connectWallet(person)
  await reserveNodes(person, { quantity: 1, code: await person.makeCode() })

  wallet.refuse('send')
  await pressPay(person)
  await expectToast(person, 'Transaction Failed', 'Transaction was rejected by user.')
  expect(await readPurchases(person)).toEqual([])

  wallet.refuse(null)
  await pressPay(person)
  await expectToast(person, 'Transaction Submitted')
  await page.getByText(/^Node \d+ is yours\.$/).waitFor()
})

test('a wallet without enough USDT shows the missing amount', async () => {
  await product.setUp()
  const person = await product.arriveAsMember({ isRich: false })
  const { page, wallet } = person
  await page.goto('/purchase')
  await connectWallet(person)
  await page.getByRole('radio', { name: '20', exact: true }).click()
  await page.getByRole('button', { name: /^Pay 60 USDT to purchase/ }).click()
  await typeCode(person, await person.makeCode())

  await expectToast(person, 'Insufficient USDT Balance', 'You need 60 USDT to complete this purchase.')
  expect(wallet.requests.map(({ type }) => type)).not.toContain('send')
  // The refused call that the browser logs.
  expect(person.errors.splice(0)).toEqual([expect.stringContaining('409')])
})

test('an expired session shows a toast and redirects to the login', async () => {
  await product.setUp()
  const person = await product.arriveAsMember()
  const { page, context } = person
  // Without the event stream the page does not notice before the press.
  await page.route('**/api/events', (route) => route.abort())
  await page.goto('/purchase')
  await connectWallet(person)
  await context.clearCookies()
  await Promise.all([
    // The redirect ends it after half a second.
    expectToast(person, 'Unauthorized', 'You are logged out. Logging in again...'),
    page.getByRole('button', { name: /^Pay .* to purchase/ }).click(),
  ])
  await page.waitForURL('**/auth')
  await page.getByRole('tab', { name: 'Login' }).waitFor()
  // The refused call and the aborted stream that the browser logs.
  expect(person.errors.splice(0)).toContainEqual(expect.stringContaining('401'))
})

// Last, because it advances the product's clock.
test('a holder of ten nodes is paid on two days, and open pages update by themselves', async () => {
  await product.setUp()
  const person = await product.arriveAsHolder()
  const { page, context, noon, payday } = person
  const dashboard = await context.newPage()
  await dashboard.goto('/')
  const card = (title: string) => dashboard.getByRole('heading', { name: title }).locator('xpath=ancestor::section')
  await dashboard.getByText('10 pending nodes (active tomorrow)').waitFor()
  await card('XCR Balance').getByText('0.00', { exact: true }).first().waitFor()

  // A day later they are active; the earlier 09:00 did not count.
  await product.moveClockTo(person, new Date(noon(1).getTime() + HOUR))
  await card('Daily XCR Income').getByText('10 active × 10 XCR per node').waitFor()
  await card('Daily XCR Income').getByText('100', { exact: true }).waitFor()
  await dashboard.getByText(/^Next reward in (20h|19h) /).waitFor()

  for (const [day, balance] of [
    [2, '100.00'],
    [3, '200.00'],
  ] as const) {
    await product.moveClockTo(person, payday(day))
    await card('XCR Balance').locator('.text-28').getByText(balance, { exact: true }).first().waitFor()
  }
  const reward = (day: number, balance: string) => [
    'XCR Distribution',
    '100 XCR',
    'Completed',
    formatDateTime(payday(day)),
    balance,
  ]
  await vi.waitFor(
    async () =>
      expect(await readHistory(page)).toEqual([
        reward(3, '200.00 XCR'),
        reward(2, '100.00 XCR'),
        ['Node Purchase', '10 nodes · 30 USDT', 'Completed', expect.stringMatching(formatDateTime(noon(0)).slice(0, 14)), '–'],
      ]),
    { timeout: TIMEOUT, interval: 100 },
  )
  const summary = page.getByRole('heading', { name: 'Total XCR Earned' }).locator('xpath=ancestor::section')
  await summary.getByText('200.00', { exact: true }).waitFor()
})
