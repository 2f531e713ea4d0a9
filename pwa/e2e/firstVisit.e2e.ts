import { get } from 'node:http'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useProduct } from './fixtures.ts'

/** Of packed scripts, before the first page is usable. */
const BYTE_BUDGET = 95_000

const { running, setUp, arrive, arriveAsMember } = useProduct()

test('the first visit of the dashboard loads at most 95 kB of packed scripts before it is usable, all from here', async () => {
  await setUp()
  const { page } = await arrive()
  const origins = new Set<string>()
  page.on('request', (request) => origins.add(new URL(request.url()).origin))
  const html = await (await fetch(running().url)).text()
  expect(html).not.toMatch(/<script[^>]* src=|rel="modulepreload"/)
  const scripts = [...html.matchAll(/name="late-(?:scripts|modules)" content="([^"]*)"/g)].flatMap(([, files]) =>
    files!.split(' ').filter(Boolean),
  )
  expect(scripts.length).toBeGreaterThan(1)
  const sizes = await Promise.all(scripts.map((file) => packedSize(running().url + file)))

  expect(scripts.filter((file) => /\/(admin|w3m)\/|contract-/.test(file))).toEqual([])
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(BYTE_BUDGET)
  await page.goto('/')
  await takeOver(page)
  expect([...origins]).toEqual([running().url])
})

test.each(['/', '/purchase', '/auth'])('%s is there before any script is, and is taken over as it stands', async (path) => {
  await setUp()
  const { page, context } = await arrive()
  const reader = await (await context.browser()!.newContext({ javaScriptEnabled: false, baseURL: running().url })).newPage()
  await reader.goto(path)
  const drawn = await reader.locator('h1').innerText()
  await reader.context().close()

  await page.goto(path)
  // What differed would have been logged as an error.
  await takeOver(page)
  expect(await page.locator('h1').innerText()).toBe(drawn)
})

test.each(['/', '/purchase', '/auth'])(
  '%s brings the style of all that is drawn on it, and what comes later the rest',
  async (path) => {
    await setUp()
    const { page } = await arrive()
    await page.goto(path)
    const missing = await page.evaluate(async () => {
      const [style] = document.querySelectorAll('style')
      const whole = await (await fetch(document.querySelector<HTMLMetaElement>('meta[name="late-style"]')!.content)).text()
      const names = new Set([...document.querySelectorAll('[class]')].flatMap(({ classList }) => [...classList]))
      const selectors = [...names].map((name) => `.${CSS.escape(name)}`).filter((selector) => whole.includes(selector))
      selectors.push(
        ':focus-visible',
        ':lang(ko)',
        '[hidden]',
        'html[data-waiting]',
        'html[data-font=system]',
        '[data-theme=dark]',
      )
      if (selectors.length < 50) throw new Error('The page was expected to be drawn.')
      return selectors.filter((selector) => !style!.textContent.includes(selector))
    })
    expect(missing).toEqual([])
    expect(await page.locator('link[rel="stylesheet"]').count()).toBe(0)
    await takeOver(page)
    await page.locator('link[rel="stylesheet"]').waitFor({ state: 'attached' })
  },
)

test('a button that is pressed before any script is there is answered once they are', async () => {
  await setUp()
  const { page } = await arrive()
  const letThrough = await holdScripts(page)
  await page.goto('/purchase', { waitUntil: 'commit' })
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  letThrough()
  await page.getByRole('dialog', { name: 'Human Verification' }).waitFor()
})

test('while somebody only reads nothing runs; after a while it does', async () => {
  await setUp()
  const { page } = await arrive()
  await page.clock.install()
  // Where it rests a page appears.
  await page.mouse.move(200, 300)
  await page.goto('/')
  const frame = page.locator('link[rel="modulepreload"][href*="/frame-"]')
  await frame.waitFor({ state: 'attached' })
  expect(await page.locator('script[type="module"]').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Connect Wallet' }).isEnabled()).toBe(true)

  await page.clock.fastForward(10_000)
  await isTakenOver(page)
})

test('what a chunk will bring is pressed before that is there: with a finger, and with the keyboard', async () => {
  await setUp()
  const phone = await arrive({ viewport: { width: 390, height: 844 }, hasTouch: true })
  await phone.page.goto('/')
  await phone.page.getByRole('button', { name: 'Open menu' }).tap()
  await phone.page.getByRole('dialog', { name: 'Menu' }).waitFor()

  const desk = await arrive()
  await desk.page.goto('/purchase')
  await desk.page.getByRole('button', { name: 'Connect Wallet' }).press('Enter')
  await desk.page.getByRole('dialog', { name: 'Connect Wallet' }).waitFor()

  await desk.page.evaluate(() => localStorage.setItem('theme', 'dark'))
  await desk.page.goto('/')
  await desk.page.getByRole('button', { name: 'Theme' }).click()
  await desk.page.getByRole('menuitemradio', { name: 'Dark', checked: true }).waitFor()
})

test('a tab that is pressed before any script is there is opened once they are', async () => {
  await setUp()
  const { page } = await arrive()
  const letThrough = await holdScripts(page)
  await page.goto('/auth', { waitUntil: 'commit' })
  await page.getByRole('tab', { name: 'Sign Up' }).click()
  letThrough()
  await page.getByRole('button', { name: 'Send Verification Code' }).waitFor()
})

test('a text that is typed before any script is there is not lost', async () => {
  await setUp()
  const { page, errors } = await arrive()
  const letThrough = await holdScripts(page)
  await page.goto('/auth', { waitUntil: 'commit' })
  const email = page.getByRole('textbox', { name: 'Email' })
  await email.pressSequentially('mina@example.com')
  letThrough()
  await isTakenOver(page)
  expect(await email.inputValue()).toBe('mina@example.com')
  await page.getByLabel('Password', { exact: true }).fill('Not-The-Password-1!')
  await page.getByRole('tabpanel').getByRole('button', { name: 'Login' }).click()
  await page.getByText('Login Failed', { exact: true }).waitFor()
  errors.length = 0
})

test('a login that is sent before any script is there is sent once they are, and no password gets into the address', async () => {
  await setUp()
  const { page, errors } = await arrive()
  const addresses: string[] = []
  page.on('request', (request) => request.isNavigationRequest() && addresses.push(request.url()))
  const letThrough = await holdScripts(page)
  await page.goto('/auth', { waitUntil: 'commit' })
  await page.getByRole('textbox', { name: 'Email' }).fill('mina@example.com')
  await page.getByLabel('Password', { exact: true }).fill('Not-The-Password-1!')
  await page.getByRole('tabpanel').getByRole('button', { name: 'Login' }).click()
  await page.getByLabel('Password', { exact: true }).press('Enter')
  letThrough()
  await page.getByText('Login Failed', { exact: true }).waitFor()
  expect(addresses).toEqual([`${running().url}/auth`])
  errors.length = 0
})

/** No script comes to the page until the answer is called. */
async function holdScripts(page: Page): Promise<() => void> {
  let letThrough = () => {}
  const held = new Promise<void>((resolve) => (letThrough = resolve))
  await page.route('**/assets/*.js', async (route) => {
    await held
    await route.continue()
  })
  return letThrough
}

/** Somebody shows a sign of being there. */
async function takeOver(page: Page) {
  await page.mouse.move(10, 10)
  await page.mouse.move(20, 20)
  await isTakenOver(page)
}

/** React marks what it has taken over. */
const isTakenOver = (page: Page) =>
  page.waitForFunction(() => {
    const button = document.querySelector('header button')
    return button && Object.keys(button).some((key) => key.startsWith('__reactProps'))
  })

test('whoever is logged in is never shown a visitor’s page', async () => {
  await setUp()
  const { context, page } = await arriveAsMember({ isRich: false })
  const html = await (await context.request.get('/')).text()
  expect(html).not.toContain('id="figures"')
  await page.goto('/')
  await page.getByText('Owned Nodes').waitFor()
})

/** As a browser gets it that takes gzip. */
async function packedSize(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const body = Buffer.concat(chunks)
        resolve(body.length)
      })
    }).on('error', reject)
  })
}
