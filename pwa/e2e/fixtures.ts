import { generate } from 'otplib'
import pg from 'pg'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, vi } from 'vitest'
import { newId } from '#api/platform/db/newId.ts'
import { DAY, HOUR, SECOND } from '#shared/dates.ts'
import { chromePath } from './chromePath.ts'
import { installWallet, type TestWallet } from './installWallet.ts'
import { Mailbox } from './Mailbox.ts'
import { type Product, type ProductOptions, startProduct } from './startProduct.ts'

export const password = 'Passw0rd!'

/** Timeout that exceeds any step on a busy machine. */
const TIMEOUT = 60_000

export interface Person {
  email: string
  context: BrowserContext
  page: Page
  wallet: TestWallet
  /** Errors that the pages logged. A test with any fails. */
  errors: string[]
}

/** A user with an account and an authenticator. */
export interface Member extends Person {
  makeCode: () => Promise<string>
  /** The code of the next half minute, which is accepted early: each code works once. */
  makeNextCode: () => Promise<string>
  recoveryCodes: string[]
}

/** A holder of a seeded installation, with income and withdrawals. */
const mina = { email: 'mina@example.com', password: 'Demo-Holder-1!' }

/** Lifetime of an authenticator code. */
const CODE_SECONDS = 30

/** The administrators of an installation set up by a test, and of a seeded one. */
const administrators = {
  own: { username: 'root', password: 'administrator' },
  filled: { username: 'admin', password: 'Demo-Admin-1' },
}

/**
 * The browser logs every 401: of `/api/auth/user`, which tells a visitor apart, and of the register's background check, which may have
 * just begun when a session ends.
 */
const isExpected401 = (url: string) =>
  ['/api/auth/user', '/api/register/days'].includes(new URL(url, 'http://localhost').pathname)

interface UsedProductOptions extends ProductOptions {
  /** Blocked by default: each new browser context would download and store all files, which takes longer than most tests. */
  serviceWorkers?: 'allow' | 'block'
}

let started: Promise<Browser> | undefined

/** The browser of this process, which the files that it runs share. Each person has a context of their own in it. */
async function openBrowser(): Promise<Browser> {
  const browser = await started?.catch(() => undefined)
  if (browser?.isConnected()) return browser
  started = chromePath().then((executablePath) =>
    // It ends with this process.
    chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] }),
  )
  return started
}

/** The whole product and a browser, for the tests of a file. */
export function useProduct({ serviceWorkers = 'block', ...options }: UsedProductOptions = {}) {
  let product: Product | undefined
  let browser: Browser | undefined
  const people: Person[] = []

  beforeAll(async () => {
    ;[product, browser] = await Promise.all([
      startProduct({ ...options, data: inject(options.isFilled ? 'filledData' : 'newData') }),
      openBrowser(),
    ])
  })
  beforeEach(({ onTestFailed }) => onTestFailed(() => console.error(`The product has printed:\n${running().readLog()}`)))
  afterEach(async () => {
    const errors = people.flatMap((person) => person.errors)
    for (const { context } of people.splice(0)) {
      // An answer that a test replaces may still be under way.
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' })
      await context.close()
    }
    expect(errors).toEqual([])
  })
  afterAll(async () => {
    try {
      // What a failed test has left open, which the browser would show to the next file.
      for (const context of browser?.contexts() ?? []) await context.close()
    } finally {
      await product?.stop()
    }
  })

  const running = () => product!
  const mailbox = new Mailbox({ url: () => running().mailboxUrl, timeout: TIMEOUT })

  /** A new visitor with their own browser context and wallet. */
  async function arrive(options: BrowserContextOptions = {}, wallet?: (context: BrowserContext) => Promise<TestWallet>) {
    const context = await browser!.newContext({ baseURL: running().url, timezoneId: 'UTC', serviceWorkers, ...options })
    context.setDefaultTimeout(TIMEOUT)
    const person: Person = {
      email: `${crypto.randomUUID().slice(0, 8)}@example.com`,
      context,
      wallet: await (wallet ?? installWallet)(context),
      page: await context.newPage(),
      errors: [],
    }
    person.page.on('pageerror', (error) => person.errors.push(error.message))
    person.page.on('console', (message) => {
      if (message.type() !== 'error' || isExpected401(message.location().url)) return
      person.errors.push(`${message.text()} ${message.location().url}`)
    })
    people.push(person)
    return person
  }

  async function post(context: BrowserContext, path: string, data: object = {}, method = 'POST') {
    const response = await context.request.fetch(path, { method, data })
    expect(response.ok(), `${method} ${path}: ${await response.text()}`).toBe(true)
    return (await response.json()) as Record<string, never>
  }

  async function readProductTime(): Promise<Date> {
    const { productTime } = (await (await fetch(`${running().url}/api/config`)).json()) as { productTime: string }
    return new Date(productTime)
  }

  /** Advances the demo's clock, which never goes back. */
  async function moveClockTo({ context }: Person, instant: Date) {
    const advanceHours = (instant.getTime() - (await readProductTime()).getTime()) / HOUR
    await post(context, '/api/demo/clock', { advanceHours })
    // The public response updates a moment later, and the next call starts from it.
    await vi.waitFor(async () => expect((await readProductTime()).getTime()).toBeGreaterThanOrEqual(instant.getTime()), {
      timeout: TIMEOUT,
      interval: 50,
    })
  }

  /** Creates a user with an account and an authenticator, by default with a funded wallet. Returns a function that generates codes. */
  async function arriveAsMember({
    isRich = true,
    ...options
  }: { isRich?: boolean } & BrowserContextOptions = {}): Promise<Member> {
    const person = await arrive(options)
    const { context, email, wallet } = person
    await post(context, '/api/auth/email/send-verification-code', { email })
    await post(context, '/api/auth/email/verify-code', { email, code: await mailbox.readCode(email) })
    await post(context, '/api/register', { email, password })
    const { secret } = await post(context, '/api/auth/otp/setup')
    const makeCode = () => generate({ secret: secret! })
    const makeNextCode = () => generate({ secret: secret!, epoch: Math.floor(Date.now() / SECOND) + CODE_SECONDS })
    const { recoveryCodes } = await post(context, '/api/auth/otp/enable', { secret, token: await makeCode() })
    if (isRich) await post(context, '/api/demo/fund', { address: wallet.address })
    return { ...person, makeCode, makeNextCode, recoveryCodes: recoveryCodes! }
  }

  return {
    running,
    arrive,
    arriveAsMember,
    moveClockTo,
    mailbox,
    password,

    /** Sets up the administrator unless there is one. */
    async setUp() {
      const { context } = await arrive()
      const status = (await (await context.request.get('/api/setup/status')).json()) as { setupRequired: boolean }
      if (!status.setupRequired) return
      const { username, password } = administrators.own
      await post(context, '/api/setup/initialize', {
        username,
        password,
        confirmPassword: password,
        allowedIps: ['127.0.0.1'],
      })
    },

    /** A holder with nodes, income and withdrawals, in a seeded installation. */
    async arriveAsMina(options: BrowserContextOptions = {}): Promise<Person> {
      const person = await arrive(options)
      await post(person.context, '/api/login', mina)
      return { ...person, email: mina.email }
    },

    /** An administrator in a separate browser context, at a tab of the panel. */
    async openBackOffice({ tab = 'users', ...options }: { tab?: string } & BrowserContextOptions = {}): Promise<Person> {
      const person = await arrive({ viewport: { width: 1440, height: 900 }, ...options })
      await post(person.context, '/api/admin/login', running().isFilled ? administrators.filled : administrators.own)
      await person.page.goto(`/admin-panel?tab=${tab}`)
      await person.page.getByRole('heading', { name: 'admin dashboard' }).waitFor()
      return person
    },

    /**
     * A member who has bought ten nodes at noon of the first day, so that no 09:00 lies between payment and confirmation. Their
     * page shows the history with the purchase.
     */
    async arriveAsHolder(options: BrowserContextOptions = {}) {
      const member = await arriveAsMember(options)
      const { page } = member
      const midnight = Math.ceil((await readProductTime()).getTime() / DAY) * DAY
      const noon = (day: number) => new Date(midnight + day * DAY + 12 * HOUR)
      const payday = (day: number) => new Date(midnight + day * DAY + 9 * HOUR)
      await moveClockTo(member, noon(0))
      await page.goto('/purchase')
      await connectWallet(member)
      await reserveNodes(member, { quantity: 10, code: await member.makeCode() })
      await pressPay(member)
      await page.getByText(/^Nodes [\d,]+–[\d,]+ are yours\.$/).waitFor()
      await page.getByRole('link', { name: 'See your history' }).click()
      await page.getByRole('row').filter({ hasText: 'Node Purchase' }).getByText('Completed').waitFor()
      return { ...member, noon, payday }
    },

    /** The daily income of a node, from the next 09:00 on. */
    async setDailyRate(rate: string) {
      const database = new pg.Client(running().databaseUrl)
      await database.connect()
      await database.query(
        `insert into setting_changes (id, key, value, effective_at, product_effective_at)
         select $2, 'xcr_per_node_daily', $1, now(), now() + clock_offset_ms * interval '1 ms' from installation`,
        [rate, newId()],
      )
      await database.end()
    },

    /** The same account in another browser context. */
    async comeBack({ email }: Person, options: BrowserContextOptions = {}): Promise<Person> {
      const person = await arrive(options)
      await post(person.context, '/api/login', { email, password })
      return { ...person, email }
    },

    /** The product time. */
    readProductTime,

    fund: (person: Person) => post(person.context, '/api/demo/fund', { address: person.wallet.address }),
  }
}

/** The user's purchases as the server lists them. */
export async function readPurchases({ context }: Person) {
  return (await (await context.request.get('/api/node-purchases')).json()) as {
    paymentStatus: string
    transactionHash: string | null
    nodeNumbers: number[]
  }[]
}

/** The rows of the history from type to balance, without the hash. */
export const readHistory = (page: Page): Promise<string[][]> =>
  page
    .getByRole('row')
    .filter({ has: page.getByRole('cell') })
    .evaluateAll((rows) =>
      rows.map((row) => [1, 2, 3, 4, 6].map((column) => row.querySelectorAll('td')[column]?.textContent ?? '')),
    )

/** Removes the errors that the browser logged for calls refused with this status. There must be no others. */
export const forgetRefusals = ({ errors }: Person, status: number): void =>
  expect(errors.splice(0).filter((error) => !error.includes(String(status)))).toEqual([])

/** Waits for a toast with its text, at once: before a second wait began, a redirect could have ended the toast. */
export async function expectToast({ page }: Person, title: string, text?: string): Promise<void> {
  const shown = page.getByLabel('Notifications').getByText(title, { exact: true })
  await (text === undefined ? shown : shown.locator('..').getByText(text, { exact: true })).waitFor()
}

export async function connectWallet({ page, wallet }: Person): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Connect Wallet' }).click()
  await page.getByRole('dialog').getByRole('button', { name: wallet.name }).click()
  await page
    .getByRole('banner')
    .getByRole('button', { name: /^Wallet 0x/ })
    .waitFor()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
}

/** Types the code once the dialog has focused its first box. */
export async function typeCode({ page }: Person, code: string): Promise<void> {
  await page.locator('[aria-label="Digit 1 of 6"]:focus').waitFor()
  await page.keyboard.type(code)
}

/** From the purchase page to the payment dialog. */
export async function reserveNodes(person: Person, { quantity, code }: { quantity: number; code: string }): Promise<void> {
  const { page } = person
  await page.getByRole('radio', { name: String(quantity), exact: true }).click()
  await page.getByRole('button', { name: /^Pay .* to purchase/ }).click()
  await typeCode(person, code)
  await page.getByRole('dialog', { name: 'Payment Progress' }).waitFor()
}

/** The taps that pay: one to switch the network if needed, one for the transfer. */
export async function pressPay({ page }: Person): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Payment Progress' })
  const pay = dialog.getByRole('button', { name: /^Pay \d/ })
  const switchNetwork = dialog.getByRole('button', { name: 'Switch to BNB Smart Chain' })
  await pay.or(switchNetwork).waitFor()
  if (await switchNetwork.isVisible()) await switchNetwork.click()
  await pay.click()
}
