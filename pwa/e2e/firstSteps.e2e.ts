import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useProduct } from './fixtures.ts'

/**
 * First steps of a user who acts before the scripts load, with an empty cache each time. `FIRST_STEPS_ROUNDS=30
 * FIRST_STEPS_SLOWDOWNS=1,4,6` repeats them more often and with more slowdowns.
 */
const ROUNDS = Number(process.env.FIRST_STEPS_ROUNDS ?? 1)
/** CPU slowdown factors. */
const SLOWDOWNS = (process.env.FIRST_STEPS_SLOWDOWNS ?? '1,6').split(',').map(Number)
const TIME_LIMIT = 30_000

const { setUp, arrive } = useProduct()

interface InputMethod {
  press(page: Page, role: 'button' | 'tab' | 'radio', name: string): Promise<void>
  type(page: Page, label: string, text: string): Promise<void>
}

const mainOf = (page: Page) => page.getByRole('main')

const inputMethods: Record<string, InputMethod> = {
  'at once': {
    press: (page, role, name) => page.getByRole(role, { name, exact: true }).click(),
    type: (page, label, text) => mainOf(page).getByLabel(label, { exact: true }).fill(text),
  },
  'at human speed': {
    // Milliseconds between pointer down and up, and between keys.
    press: (page, role, name) => page.getByRole(role, { name, exact: true }).click({ delay: 90 }),
    async type(page, label, text) {
      const field = mainOf(page).getByLabel(label, { exact: true })
      // Users cannot type into a hidden field, such as that of the previous form.
      await field.click({ delay: 90 })
      await field.pressSequentially(text, { delay: 60 })
    },
  },
}

interface Visit {
  page: Page
  input: InputMethod
  email: string
  /** The body of the journey's last request. */
  sent: Promise<unknown>
}

const password = 'Str0ng&Safe'

interface Journey {
  path: string
  /** The last request, which is intercepted. */
  call?: string
  /** Returns the actual and the expected body. */
  take(visit: Visit): Promise<[actual: unknown, expected: unknown]>
}

const journeys: Record<string, Journey> = {
  'signing up': {
    path: '/auth',
    call: '/api/auth/email/send-verification-code',
    async take({ page, input, email, sent }) {
      await input.press(page, 'tab', 'Sign Up')
      await input.type(page, 'Email', email)
      await input.press(page, 'button', 'Send Verification Code')
      await page.getByLabel('Verification Code').waitFor()
      return [await sent, { email }]
    },
  },
  'logging in': {
    path: '/auth',
    call: '/api/login',
    async take({ page, input, email, sent }) {
      await input.type(page, 'Email', email)
      await input.type(page, 'Password', password)
      await page.getByLabel('Password', { exact: true }).press('Enter')
      await page.waitForURL((url) => url.pathname === '/')
      return [await sent, { email, password }]
    },
  },
  'choosing a quantity': {
    path: '/purchase',
    async take({ page, input }) {
      const quantity = page.getByLabel('Quantity', { exact: true })
      await input.press(page, 'radio', '10')
      await input.press(page, 'button', 'Add one node')
      await input.press(page, 'button', 'Log in')
      await page.getByRole('dialog', { name: 'Human Verification' }).waitFor()
      return [await quantity.inputValue(), '11']
    },
  },
  'connecting a wallet': {
    path: '/',
    async take({ page, input }) {
      await input.press(page, 'button', 'Connect Wallet')
      await page.getByRole('dialog', { name: 'Connect Wallet' }).waitFor()
      return [true, true]
    },
  },
}

const cases = Object.keys(journeys).flatMap((journey) => Object.keys(inputMethods).map((pace) => [journey, pace] as const))

test.each(cases)('%s %s right after the first paint loses no input', { timeout: 120_000 * ROUNDS }, async (journey, pace) => {
  await setUp()
  const { path, call, take } = journeys[journey]!
  const losses: unknown[] = []
  for (const slowdown of SLOWDOWNS) {
    for (let round = 1; round <= ROUNDS; round++) {
      const { page, context, email, errors } = await arrive()
      context.setDefaultTimeout(TIME_LIMIT)
      const session = await context.newCDPSession(page)
      await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
      // Set up before the visit: a route added while the page loads may stall requests under way.
      const sent = new Promise<unknown>((resolve) => {
        if (!call) return
        void page.route(`**${call}`, (route) => {
          resolve(route.request().postDataJSON())
          return route.fulfill({ json: { message: 'sent', expiresInSeconds: 600, email } })
        })
      })
      await page.goto(path, { waitUntil: 'commit' })
      try {
        const [actual, expected] = await take({ page, input: inputMethods[pace]!, email, sent })
        expect(actual).toEqual(expected)
      } catch (error) {
        losses.push({ slowdown, round, error: String(error), page: await page.locator('body').innerText(), errors: [...errors] })
      }
      await context.close()
    }
  }
  expect(losses).toEqual([])
})
