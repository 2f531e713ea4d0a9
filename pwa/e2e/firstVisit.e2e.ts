import { get } from 'node:http'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useProduct } from './fixtures.ts'

/** Compressed size of the scripts before hydration. */
const BYTE_BUDGET = 115_000

const { running, setUp, arrive, arriveAsMember, mailbox } = useProduct()

test('a first visit of the dashboard loads at most 115 kB of scripts before hydration, all from this origin', async () => {
  await setUp()
  const { page } = await arrive()
  const origins = new Set<string>()
  page.on('request', (request) => origins.add(new URL(request.url()).origin))
  const html = await (await fetch(running().url)).text()
  const scripts = [...html.matchAll(/<(?:script|link rel="modulepreload")[^>]* (?:src|href)="([^"]+)"/g)].map(([, file]) => file!)
  expect(scripts.length).toBeGreaterThan(1)
  const sizes = await Promise.all(scripts.map((file) => servedSize(running().url + file)))

  expect(scripts.filter((file) => /\/(admin|w3m)\/|contract-/.test(file))).toEqual([])
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(BYTE_BUDGET)
  await page.goto('/')
  await isHydrated(page)
  expect([...origins]).toEqual([running().url])
})

test('a first visit without a wallet fetches at most 200 kB of scripts in 25 files, prefetched chunks included', async () => {
  await setUp()
  const { context } = await arrive()
  const page = await (await context.browser()!.newContext({ baseURL: running().url })).newPage()
  const scripts = new Set<string>()
  const styleSheets: string[] = []
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.add(request.url())
    if (request.resourceType() === 'stylesheet') styleSheets.push(request.url())
  })
  // The demo bar and its wallet exist only with embedded chains.
  const names = ['DemoBar', ...Array.from('abcdefghijklmnopqrstuvwxyz')].map((name) => `nothing as ${name}`)
  await page.route('**/assets/DemoBar-*.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: `const nothing = () => null; export { ${names.join()} }` }),
  )
  await page.goto('/')
  await page.waitForFunction(() => performance.getEntriesByName('prefetched').length > 0)
  const fetched = [...scripts].filter((url) => !url.includes('/DemoBar-'))
  const sizes = await Promise.all(fetched.map(async (url) => [await servedSize(url), new URL(url).pathname] as const))
  await page.context().close()
  const total = sizes.reduce((sum, [size]) => sum + size, 0)
  expect(total, sizes.toSorted(([one], [other]) => other - one).join('\n')).toBeLessThanOrEqual(200_000)
  expect(fetched.length).toBeLessThanOrEqual(25)
  // The style sheet is inline.
  expect(styleSheets).toEqual([])
  expect(fetched.some((url) => url.includes('/LoginHost-')) && fetched.some((url) => url.includes('/PurchasePage-'))).toBe(true)
})

test('the field of nodes is painted when it replaces its sketch', async () => {
  await setUp()
  const { page } = await arrive()
  await page.addInitScript(() => {
    const paintings: boolean[] = []
    // Called after the page has changed, and before the browser shows the change.
    const look = (changes: MutationRecord[]) => {
      for (const { target } of changes) {
        if (!(target instanceof HTMLCanvasElement) || !target.matches('canvas:first-of-type:not(.hidden)')) continue
        const { data } = target.getContext('2d')!.getImageData(0, 0, target.width, target.height)
        paintings.push(data.some((value) => value > 0))
      }
    }
    new MutationObserver(look).observe(document, { subtree: true, attributeFilter: ['class'] })
    Object.assign(window, { paintings })
  })
  await page.goto('/')
  await page.waitForFunction(() => (window as unknown as { paintings: boolean[] }).paintings.length > 0)
  expect(await page.evaluate(() => (window as unknown as { paintings: boolean[] }).paintings)).toEqual([true])
})

test('a press that waits for its chunk marks its button as busy until the chunk has loaded', async () => {
  await setUp()
  const { page } = await arrive()
  const letThrough = await delayScripts(page, '**/assets/{LoginHost,SidePanel}-*.js')
  await page.goto('/')
  await isHydrated(page)
  const login = page.getByRole('banner').getByRole('button', { name: 'Log in' })
  await login.click()
  expect(await login.getAttribute('aria-busy')).toBe('true')
  letThrough()
  await page.getByRole('dialog', { name: 'Human Verification' }).waitFor()
  expect(await page.locator('[aria-busy=true]').count()).toBe(0)
})

test('a press on a page that the server did not render is not recorded, and so not marked as busy', async () => {
  await setUp()
  const { page } = await arriveAsMember({ isRich: false })
  await page.goto('/purchase')
  const preset = page.getByRole('radio', { name: '5', exact: true })
  await preset.click()
  expect(await preset.getAttribute('aria-checked')).toBe('true')
  expect(await page.locator('[aria-busy=true]').count()).toBe(0)
})

const visits = ['/', '/purchase', '/auth', '/about'].flatMap((path) =>
  ['en-US', 'ko-KR'].map((locale) => [path, locale] as const),
)

test.each(visits)('%s is rendered by the server and hydrated without a mismatch, in %s', async (path, locale) => {
  await setUp()
  const { page, context } = await arrive({ locale })
  const options = { javaScriptEnabled: false, baseURL: running().url, locale }
  const reader = await (await context.browser()!.newContext(options)).newPage()
  await reader.goto(path)
  const drawn = await reader.locator('h1').innerText()
  await reader.context().close()

  await page.goto(path)
  // A hydration mismatch would have been logged as an error.
  await isHydrated(page)
  expect(await page.locator('h1').innerText()).toBe(drawn)
})

test('a Korean browser gets Korean from the server, and a chosen language takes precedence', async () => {
  await setUp()
  const korean = await arrive({ locale: 'ko-KR' })
  const letThrough = await delayScripts(korean.page)
  await korean.page.goto('/auth', { waitUntil: 'commit' })
  await korean.page.getByRole('heading', { name: '다시 오신 것을 환영합니다' }).waitFor()
  await korean.page.getByRole('tab', { name: '회원가입' }).click()
  letThrough()
  await korean.page.getByRole('button', { name: '인증 코드 받기' }).waitFor()
  expect(await korean.page.locator('html').getAttribute('lang')).toBe('ko')

  const response = await korean.context.request.get('/purchase', { headers: { cookie: 'language=en' } })
  expect(response.headers()).toMatchObject({ vary: 'Accept-Encoding, Accept-Language, Cookie', 'cache-control': 'no-cache' })
  expect(await response.text()).toContain('<html lang="en">')
})

test('a button pressed before hydration responds after it', async () => {
  await setUp()
  const { page } = await arrive()
  const letThrough = await delayScripts(page)
  await page.goto('/purchase', { waitUntil: 'commit' })
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  letThrough()
  await page.getByRole('dialog', { name: 'Human Verification' }).waitFor()
})

test("the top bar's buttons respond to a press before hydration, by touch and keyboard", async () => {
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

test('a tab pressed before hydration is opened after it', async () => {
  await setUp()
  const { page } = await arrive()
  const letThrough = await delayScripts(page)
  await page.goto('/auth', { waitUntil: 'commit' })
  await page.getByRole('tab', { name: 'Sign Up' }).click()
  letThrough()
  await page.getByRole('button', { name: 'Send Verification Code' }).waitFor()
})

test('text typed before hydration is kept', async () => {
  await setUp()
  const { page, errors } = await arrive()
  const letThrough = await delayScripts(page)
  await page.goto('/auth', { waitUntil: 'commit' })
  const email = page.getByRole('textbox', { name: 'Email' })
  await email.pressSequentially('mina@example.com')
  letThrough()
  await isHydrated(page)
  expect(await email.inputValue()).toBe('mina@example.com')
  await page.getByLabel('Password', { exact: true }).fill('Not-The-Password-1!')
  await page.getByRole('tabpanel').getByRole('button', { name: 'Login' }).click()
  await page.getByText('Login Failed', { exact: true }).waitFor()
  errors.length = 0
})

test('a login submitted before hydration is sent after it, and no password gets into the URL', async () => {
  await setUp()
  const { page, errors } = await arrive()
  const addresses: string[] = []
  page.on('request', (request) => request.isNavigationRequest() && addresses.push(request.url()))
  const letThrough = await delayScripts(page)
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

test('a sign-up before hydration stays in its own form, and sends the typed address', async () => {
  await setUp()
  const { page, email } = await arrive()
  const letThrough = await delayScripts(page)
  await page.goto('/auth', { waitUntil: 'commit' })
  const tab = page.getByRole('tab', { name: 'Sign Up' })
  await tab.click()
  expect(await tab.getAttribute('aria-busy')).toBe('true')
  expect(await page.getByLabel('Email').isVisible()).toBe(false)
  letThrough()
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Send Verification Code' }).click()
  await page.getByLabel('Verification Code').fill(await mailbox.readCode(email))
  expect(await tab.getAttribute('aria-busy')).toBeNull()
})

test("an address typed before switching tabs is in the other tab's form", async () => {
  await setUp()
  const { page, email } = await arrive()
  const letThrough = await delayScripts(page)
  await page.goto('/auth', { waitUntil: 'commit' })
  await page.getByLabel('Email').pressSequentially(email)
  await page.getByRole('tab', { name: 'Sign Up' }).click()
  letThrough()
  await page.getByRole('button', { name: 'Send Verification Code' }).waitFor()
  expect(await page.getByLabel('Email').inputValue()).toBe(email)
})

test('input before hydration is replayed in order', async () => {
  await setUp()
  const { page } = await arrive()
  const letThrough = await delayScripts(page)
  await page.goto('/purchase', { waitUntil: 'commit' })
  const quantity = page.getByLabel('Quantity', { exact: true })
  await quantity.fill('7')
  await page.getByRole('radio', { name: '5', exact: true }).click()
  await page.getByRole('radio', { name: '10', exact: true }).click()
  await page.getByRole('button', { name: 'Add one node' }).click()
  await page.getByRole('button', { name: 'Add one node' }).click()
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  letThrough()
  await page.getByRole('dialog', { name: 'Human Verification' }).waitFor()
  expect(await quantity.inputValue()).toBe('12')
})

test('a press that starts before hydration and ends after it counts', async () => {
  await setUp()
  const { page } = await arrive()
  const letThrough = await delayScripts(page)
  await page.goto('/auth', { waitUntil: 'commit' })
  await page.getByRole('tab', { name: 'Sign Up' }).hover()
  await page.mouse.down()
  letThrough()
  await isHydrated(page)
  await page.mouse.up()
  await page.getByRole('button', { name: 'Send Verification Code' }).waitFor()
})

test('a wide button keeps a label of two lines off its edges', async () => {
  await setUp()
  const { page } = await arrive({ viewport: { width: 320, height: 640 } })
  await page.addInitScript(() => {
    const progress = { email: 'somebody.somewhere@example.com', step: 'code', resendAt: 0, expiresAt: Date.now() + 600_000 }
    sessionStorage.setItem('sign_up', JSON.stringify(progress))
  })
  await page.goto('/auth')
  const [lines, gap] = await page.getByRole('button', { name: /^Enter the code for/ }).evaluate((button) => {
    const label = document.createRange()
    label.selectNodeContents(button)
    const text = label.getBoundingClientRect()
    return [text.height, text.top - button.getBoundingClientRect().top] as const
  })
  expect(lines).toBeGreaterThan(30)
  expect(gap).toBeGreaterThanOrEqual(8)
})

/** Delays all scripts until the returned function is called. */
async function delayScripts(page: Page, files = '**/assets/*.js'): Promise<() => void> {
  let letThrough = () => {}
  const held = new Promise<void>((resolve) => (letThrough = resolve))
  await page.route(files, async (route) => {
    await held
    await route.continue()
  })
  return letThrough
}

/** React sets a property on hydrated nodes. */
const isHydrated = (page: Page) =>
  page.waitForFunction(() => {
    const button = document.querySelector('header button')
    return button && Object.keys(button).some((key) => key.startsWith('__reactProps'))
  })

test("a logged-in user never sees a visitor's page", async () => {
  await setUp()
  const { context, page } = await arriveAsMember({ isRich: false })
  const html = await (await context.request.get('/')).text()
  expect(html).toContain('<div id="root"></div>')
  await page.goto('/')
  await page.getByText('Four steps to your first reward').waitFor()
})

test("a holder's data is requested before any script loads, and the page starts with it", async () => {
  await setUp()
  const { page } = await arriveAsMember({ isRich: false })
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  const letThrough = await delayScripts(page)
  await page.goto('/', { waitUntil: 'commit' })
  const own = ['/api/auth/user', '/api/user/nodes', '/api/node-purchases']
  await expect.poll(() => own.every((path) => asked.includes(path))).toBe(true)
  // The event stream refetches them as soon as it opens.
  await page.route('**/api/events', () => {})
  letThrough()
  await page.getByText('Four steps to your first reward').waitFor()
  expect(asked.filter((path) => own.includes(path))).toHaveLength(own.length)
})

/** The page as a browser with Brotli receives it. */
async function servedSize(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'accept-encoding': 'br' } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const body = Buffer.concat(chunks)
        resolve(body.length)
      })
    }).on('error', reject)
  })
}
