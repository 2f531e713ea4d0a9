import { createECDH } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { chromium, type Page } from 'playwright-core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { copiedPaths } from '#pwa/lib/offlineCopies.ts'
import { chromePath } from './chromePath.ts'
import { connectWallet, reserveNodes, useProduct } from './fixtures.ts'
import { keepPictures } from './keepPictures.ts'
import { startProxy } from './startProxy.ts'

const product = useProduct({ serviceWorkers: 'allow' })
const TIMEOUT = 60_000
const metaMask =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 WebView MetaMaskMobile'

const bar = (page: Page) => page.getByRole('status').filter({ hasText: 'No connection.' })
const card = (page: Page, title: string) => page.getByRole('heading', { name: title }).locator('xpath=ancestor::section')
const keptKeys = (page: Page) => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('own_figures:')))

const countCopies = (page: Page) => page.evaluate(async () => (await (await caches.open('public-figures')).keys()).length)

/** Opens a page with an active service worker that has cached the shell and the public data. */
async function openControlled(page: Page, at = '/') {
  await page.goto(at)
  await page.evaluate(async () => void (await navigator.serviceWorker.ready))
  await page.reload()
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
}

test('offline, holders see their last data with its time, and nobody else does', async () => {
  await product.setUp()
  const proxy = await startProxy(product.running().url)
  onTestFinished(() => proxy.stop())
  const person = await product.arriveAsHolder({ baseURL: proxy.url })
  const { page, context, email } = person
  await openControlled(page)
  await card(page, 'Owned Nodes').getByText('10', { exact: true }).waitFor()
  await card(page, 'Daily XCR Income').getByText('10 pending nodes (active tomorrow)').waitFor()
  await vi.waitFor(
    async () => expect(await page.evaluate(() => JSON.stringify(localStorage))).toContain('/api/xcr-distribution-logs'),
    { timeout: TIMEOUT },
  )
  // The status is answered from memory for some seconds, at first that of the start.
  const readStatus = async () => (await (await context.request.get('/api/status')).json()) as { payments: { block: unknown } }
  await vi.waitFor(async () => expect((await readStatus()).payments.block).not.toBeNull(), { timeout: TIMEOUT, interval: 500 })
  await page.goto('/status')
  await page.getByRole('heading', { name: 'How far each part is' }).waitFor()
  await vi.waitFor(async () => expect(await countCopies(page)).toBe(copiedPaths.length), { timeout: TIMEOUT })
  await page.goto('/')
  await card(page, 'Owned Nodes').waitFor()

  proxy.cut()
  await page.reload()
  await bar(page)
    .getByText(/^Figures as of \d\d \w{3} \d{4}, \d\d:\d\d UTC\.\s*$/)
    .waitFor()
  await card(page, 'Owned Nodes').getByText('10', { exact: true }).waitFor()
  await card(page, 'Daily XCR Income').getByText('10 pending nodes (active tomorrow)').waitFor()
  await page.getByRole('heading', { name: 'When can I withdraw?' }).click()
  await page.getByText('Any time your balance is at least 3,000 XCR', { exact: false }).waitFor()
  expect(await page.getByRole('button', { name: 'Withdraw No connection' }).isDisabled()).toBe(true)

  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'History' }).click()
  await page.getByRole('row').filter({ hasText: 'Node Purchase' }).getByText('Completed').waitFor()
  expect(await page.getByRole('button', { name: 'Download statement No connection' }).isDisabled()).toBe(true)

  await page.goto('/purchase')
  await bar(page).waitFor()
  const pay = page.getByRole('button', { name: /^Pay .* to purchase 1 node\. No connection$/ })
  expect(await pay.isDisabled()).toBe(true)

  await page.goto('/about')
  await page.getByRole('heading', { name: 'Addresses' }).waitFor()
  await page.goto('/status')
  await page.getByRole('heading', { name: 'The current state is unknown' }).waitFor()
  await page.getByText('Read up to block', { exact: false }).waitFor()
  await keepPictures(page, 'offline status')
  await page.goto('/purchase')
  await bar(page).waitFor()

  // Back online: the notice disappears and the buttons work, without a reload.
  proxy.restore()
  await bar(page).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: /^Pay .* to purchase 1 node$/ }).waitFor()

  // A logout in this tab clears the data in the other tab too.
  const other = await context.newPage()
  await other.goto('/')
  await card(other, 'Owned Nodes').waitFor()
  await page.getByRole('button', { name: /^Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await page.getByRole('banner').getByRole('button', { name: 'Log in' }).waitFor()
  await card(other, 'Owned Nodes').waitFor({ state: 'detached' })
  expect(await keptKeys(page)).toEqual([])
  await other.close()

  const next = await product.arriveAsMember()
  await context.clearCookies()
  await context.addCookies(await next.context.cookies())
  await openControlled(page)
  await page.getByRole('button', { name: `Account of ${next.email.split('@')[0]}` }).waitFor()
  await vi.waitFor(async () => expect(await keptKeys(page)).toHaveLength(1), { timeout: TIMEOUT })
  proxy.cut()
  for (const at of ['/', '/history']) {
    await page.goto(at)
    await bar(page).waitFor()
    await page.getByRole('button', { name: `Account of ${next.email.split('@')[0]}` }).waitFor()
    expect(await page.content()).not.toContain(email.split('@')[0])
    expect(await page.getByRole('row').filter({ hasText: 'Node Purchase' }).count()).toBe(0)
  }
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(email)
  proxy.restore()
  // The browser logs the failed requests, and the refused ones after the logout.
  person.errors.length = 0
})

test('an offline logout clears the data at once, and is the first request once online', async () => {
  await product.setUp()
  const proxy = await startProxy(product.running().url)
  onTestFinished(() => proxy.stop())
  const person = await product.arriveAsMember({ baseURL: proxy.url })
  const { page, context, email } = person
  await openControlled(page)
  const account = page.getByRole('button', { name: `Account of ${email.split('@')[0]}` })
  await account.waitFor()
  await vi.waitFor(async () => expect(await keptKeys(page)).toHaveLength(1), { timeout: TIMEOUT })

  proxy.cut()
  await account.click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await account.waitFor({ state: 'detached' })
  await page.reload()
  await bar(page).waitFor()
  expect(await keptKeys(page)).toEqual([])
  expect(await account.count()).toBe(0)

  proxy.restore()
  await bar(page).waitFor({ state: 'detached' })
  await vi.waitFor(async () => expect((await context.request.get('/api/auth/user')).status()).toBe(401), { timeout: TIMEOUT })
  expect(await account.count()).toBe(0)
  person.errors.length = 0
})

test('a new version that arrives during a payment waits until the user requests it', async () => {
  await product.setUp()
  const proxy = await startProxy(product.running().url)
  onTestFinished(() => proxy.stop())
  const person = await product.arriveAsMember({ baseURL: proxy.url })
  const { page } = person
  await openControlled(page, '/purchase')
  await connectWallet(person)
  await page.evaluate(() => sessionStorage.setItem('here', 'still'))
  await page.evaluate(() => Object.assign(window, { isSamePage: true }))
  const isSamePage = () => page.evaluate(() => 'isSamePage' in window)
  await reserveNodes(person, { quantity: 1, code: await person.makeCode() })

  const worker = await readFile(path.join(import.meta.dirname, '../dist/sw.js'), 'utf8')
  proxy.replace('/sw.js', (response) => {
    response.writeHead(200, { 'content-type': 'text/javascript', 'cache-control': 'no-cache' })
    response.end(`${worker}\n// A newer version.`)
  })
  await page.evaluate(async () => void (await (await navigator.serviceWorker.getRegistration())!.update()))
  await page.waitForFunction(async () => (await navigator.serviceWorker.getRegistration())?.waiting !== null)
  const update = page.getByRole('complementary', { name: 'Update' })
  expect(await update.count()).toBe(0)
  expect(await isSamePage()).toBe(true)

  // Another tab of the same browser does not activate it either.
  const other = await person.context.newPage()
  await other.goto('/')
  await other.getByRole('complementary', { name: 'Update' }).getByRole('button', { name: 'Reload' }).click()
  await other.getByText('Finish what you have open first, here or in another window.', { exact: false }).waitFor()
  await other.close()
  expect(await isSamePage()).toBe(true)
  expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.waiting !== null)).toBe(true)

  await page.getByRole('dialog', { name: 'Payment Progress' }).getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('button', { name: 'Keep them and close' }).click()
  await update.getByRole('button', { name: 'Reload' }).click()
  await page.waitForFunction(() => !('isSamePage' in window))
  await page.getByText('1 node reserved for you').waitFor()
})

test('responses of proxies are never stored, nor is anything but public data', async () => {
  await product.setUp()
  const proxy = await startProxy(product.running().url)
  onTestFinished(() => proxy.stop())
  const person = await product.arriveAsMember({ baseURL: proxy.url })
  const { page } = person
  await openControlled(page)
  await page.goto('/status')
  const keptCalls = () =>
    page.evaluate(async () => {
      const cache = await caches.open('public-figures')
      const answers = (await cache.keys()).map(async ({ url }) => [new URL(url).pathname, await (await cache.match(url))!.text()])
      return Object.fromEntries(await Promise.all(answers)) as Record<string, string>
    })
  await vi.waitFor(async () => expect(Object.keys(await keptCalls()).toSorted()).toEqual(copiedPaths.toSorted()), {
    timeout: TIMEOUT,
  })

  const page200 = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Buy here</h1>')
  const pages: ((response: ServerResponse) => void)[] = [
    page200,
    (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
    (response) => response.writeHead(200).end('Buy here'),
  ]
  proxy.replace('/elsewhere', (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"message":"Buy here"}'),
  )
  const ask = (path: string) => page.evaluate(async (url) => (await fetch(url, { cache: 'no-store' })).text(), path)
  for (const path of copiedPaths) {
    for (const answer of pages) {
      proxy.replace(path, answer)
      expect(await ask(path), 'the copy is shown').not.toContain('Buy here')
    }
    proxy.replace(path, (response) =>
      response.writeHead(500, { 'content-type': 'application/json' }).end('{"message":"Buy here"}'),
    )
    expect(await ask(path)).toContain('Buy here')
  }
  for (const path of ['/api/stats/nodes?utm=1', '/api/auth/user', '/api/purchases']) await ask(path)

  const kept = await keptCalls()
  expect(Object.keys(kept).toSorted()).toEqual(copiedPaths.toSorted())
  expect(Object.values(kept).join()).not.toContain('Buy here')
  expect(await page.evaluate(async () => (await caches.keys()).filter((name) => name !== 'public-figures'))).toEqual([
    expect.stringMatching(/^workbox-precache/),
  ])
  // The page logs the invalid responses.
  person.errors.length = 0
})

test('the login and the statement bypass the service worker', async () => {
  await product.setUp()
  const person = await product.arriveAsMember()
  const { page, context } = person
  await openControlled(page, '/history')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download statement' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/\.(csv|xlsx)$/)
  expect(await download.failure()).toBeNull()

  await context.clearCookies()
  await page.goto('/api/login')
  await page.waitForURL('**/auth')
  const missing = await page.goto('/api/nothing')
  expect(missing?.status()).toBe(404)
  expect(missing?.fromServiceWorker()).toBe(false)
  person.errors.length = 0
})

test("a wallet's browser gets no service worker, and loses an existing one", async () => {
  await product.setUp()
  const fresh = await product.arrive({ userAgent: metaMask })
  const registrations = (page: Page) => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)
  await fresh.page.goto('/', { waitUntil: 'networkidle' }).catch(() => undefined)
  await fresh.page.getByRole('heading', { name: 'Keep your nodes handy in Safari' }).waitFor()
  expect(await registrations(fresh.page)).toBe(0)

  const { page, context } = await product.arrive()
  await openControlled(page)
  // Otherwise the open page would be discarded.
  await page.goto('about:blank')
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setUserAgentOverride', { userAgent: metaMask })
  await page.evaluate((url) => location.assign(url), `${product.running().url}/purchase`)
  // The page reloads during its load; the browser knows its current document.
  const expression = `document.readyState + ' ' + location.pathname + ' ' + navigator.serviceWorker.controller`
  await expect
    .poll(async () => (await session.send('Runtime.evaluate', { expression })).result.value as string, { timeout: TIMEOUT })
    .toBe('complete /purchase null')
  await page.getByRole('heading', { name: 'Node Purchase' }).waitFor()
  expect(await registrations(page)).toBe(0)
})

test.each([
  ['a browser with a service worker', undefined],
  ["a wallet's browser", metaMask],
])('what the first page of %s leads to opens without a connection', async (_, userAgent) => {
  await product.setUp()
  const proxy = await startProxy(product.running().url)
  onTestFinished(() => proxy.stop())
  const person = await product.arrive({
    baseURL: proxy.url,
    viewport: { width: 390, height: 844 },
    ...(userAgent && { userAgent }),
  })
  const { page } = person
  await page.goto('/')
  if (userAgent) await vi.waitFor(async () => expect(await page.evaluate(missingChunks)).toEqual([]), { timeout: TIMEOUT })
  else await page.evaluate(async () => void (await navigator.serviceWorker.ready))
  expect(await page.evaluate(() => navigator.serviceWorker.controller)).toBeNull()

  proxy.cut()
  await page.getByRole('navigation', { name: 'About this site' }).getByRole('link', { name: 'About' }).click()
  await page.getByRole('heading', { name: 'About' }).waitFor()
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('dialog').waitFor()
  person.errors.length = 0
})

/** The chunks that the service worker would have and this page has not fetched. */
async function missingChunks(): Promise<string[]> {
  const listed = (await (await fetch('/sw.js')).text()).match(/assets\/[\w.-]+\.js/g) ?? []
  const fetched = performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname.slice(1))
  return listed.filter((path) => !fetched.includes(path))
}

test('the browser finds the app installable', async () => {
  await product.setUp()
  const profile = await mkdtemp(path.join(os.tmpdir(), 'profile-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: await chromePath(),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    const page = await context.newPage()
    await page.goto(product.running().url)
    await page.evaluate(async () => void (await navigator.serviceWorker.ready))
    const session = await context.newCDPSession(page)
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
    expect(installabilityErrors).toEqual([])
    // A copy of the service worker would keep the name of the installation that it was made with.
    expect(
      await page.evaluate(async () => (await caches.match('/manifest.webmanifest', { ignoreSearch: true }))?.url),
    ).toBeUndefined()
    const { errors, data } = await session.send('Page.getAppManifest')
    expect(errors).toEqual([])

    const manifest = JSON.parse(data ?? '') as {
      id: string
      icons: { src: string; sizes: string; purpose?: string }[]
      screenshots: { src: string; sizes: string; form_factor: string }[]
      shortcuts: { url: string }[]
    }
    expect(manifest.id).toBe('/')
    expect(manifest.icons.map(({ purpose }) => purpose)).toContain('maskable')
    expect(manifest.screenshots.map(({ form_factor }) => form_factor)).toEqual(['narrow', 'wide'])
    expect(manifest.shortcuts.map(({ url }) => url)).toEqual(['/purchase', '/history'])
    // Every screenshot exists in its declared size.
    for (const { src, sizes } of [...manifest.icons, ...manifest.screenshots]) {
      const size = await page.evaluate(async (url) => {
        const image = new Image()
        image.src = url
        await image.decode()
        return `${image.naturalWidth}x${image.naturalHeight}`
      }, src)
      expect(`${src} ${size}`).toBe(`${src} ${sizes}`)
    }
  } finally {
    await context.close()
    await rm(profile, { recursive: true, force: true })
  }
})

/**
 * The packaged browser is a headless shell that denies every notification, so the service worker tells its page what it would show, and
 * clicks on it at once: once the push event has ended, Chromium may stop the worker, and a message sent to it then is lost. A worker may
 * focus a window only in a click on a real one.
 */
const clickNotifications = `
ServiceWorkerRegistration.prototype.showNotification = async (...shown) => {
  for (const client of await clients.matchAll()) client.postMessage({ shown })
  const notification = { close() {}, data: shown[1].data }
  await new Promise((waitUntil) =>
    dispatchEvent(Object.assign(new Event('notificationclick'), { waitUntil, notification })))
}
WindowClient.prototype.focus = async () => undefined`

test('push messages are turned on by a tap, shown by the service worker, open their page, and end with the logout', async () => {
  await product.setUp()
  const proxy = await startProxy(product.running().url)
  onTestFinished(() => proxy.stop())
  const worker = await readFile(path.join(import.meta.dirname, '../dist/sw.js'), 'utf8')
  proxy.replace('/sw.js', (response) => {
    response.writeHead(200, { 'content-type': 'text/javascript' })
    response.end(`${worker}\n${clickNotifications}`)
  })
  const { context, page, email, errors } = await product.arriveAsHolder({ baseURL: proxy.url })
  const pair = createECDH('prime256v1')
  pair.generateKeys()
  // No push service can be reached from here.
  await context.addInitScript(
    (keys) => {
      let held: unknown = null
      Object.defineProperty(Notification, 'permission', { get: () => localStorage.getItem('permission') ?? 'default' })
      Notification.requestPermission = async () => {
        localStorage.setItem('permission', 'granted')
        return 'granted'
      }
      const subscribe = async ({ applicationServerKey }: { applicationServerKey: string }) => {
        if (applicationServerKey.length !== 87) throw new TypeError('No key')
        return (held = {
          toJSON: () => ({ endpoint: `https://fcm.googleapis.com/fcm/send/${crypto.randomUUID()}`, keys }),
          unsubscribe: async () => {
            held = null
            return true
          },
        })
      }
      Object.assign(PushManager.prototype, { subscribe, getSubscription: async () => held })
    },
    { p256dh: pair.getPublicKey('base64url'), auth: 'A'.repeat(22) },
  )
  const database = new pg.Client(product.running().databaseUrl)
  await database.connect()
  onTestFinished(() => database.end())
  const ofUser = `user_id = (select id from users where email = $1)`
  const read = async (from: string) => (await database.query<{ endpoint: string }>(`select endpoint from ${from}`, [email])).rows

  await openControlled(page, '/inbox')
  await page.getByRole('button', { name: 'Turn on notifications' }).click()
  await page.getByRole('switch', { name: 'Show amounts in notifications' }).waitFor()
  const [first, ...others] = await read(`push_subscriptions where ${ofUser}`)
  expect(others).toEqual([])
  // The browser has lost its subscription since, as this fake does with every page: the next start renews it, wherever that is.
  await page.goto('/history')
  await expect
    .poll(() => read(`push_subscriptions where ${ofUser}`), { timeout: TIMEOUT })
    .toEqual([{ endpoint: expect.not.stringContaining(first!.endpoint) as string }])
  await page.getByRole('link', { name: /^Inbox/ }).click()
  await page.getByRole('switch', { name: 'Show amounts in notifications' }).waitFor()

  const readShown = await page.evaluateHandle(() => {
    const shown: unknown[] = []
    navigator.serviceWorker.addEventListener(
      'message',
      ({ data }: MessageEvent<{ shown?: unknown }>) => data.shown && shown.push(data.shown),
    )
    return shown
  })
  const session = await context.newCDPSession(page)
  const registered = new Promise<string>((resolve) =>
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: [first] }) => first && resolve(first.registrationId)),
  )
  await session.send('ServiceWorker.enable')
  const { origin } = new URL(proxy.url)
  const navigate = `${origin}/history`
  const notification = { title: 'Your withdrawal was sent', navigate, tag: 'a', lang: 'en', app_badge: '1' }
  const data = JSON.stringify({ web_push: 8030, notification, app_badge: 1 })
  await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId: await registered, data })
  await expect
    .poll(() => readShown.jsonValue(), { timeout: TIMEOUT })
    .toEqual([[notification.title, { lang: 'en', tag: 'a', icon: '/icon-192.png', data: { navigate } }]])
  await page.waitForURL('**/history')

  await page.getByRole('button', { name: /^Account of/ }).click()
  await page.getByRole('menuitem', { name: 'Log out' }).click()
  await page.getByRole('banner').getByRole('button', { name: 'Log in' }).waitFor()
  expect(await page.evaluate(async () => (await navigator.serviceWorker.ready).pushManager.getSubscription())).toBeNull()
  expect(await read(`push_subscriptions join web_sessions on key = session_key where ${ofUser}`)).toEqual([])
  // A message delivered through the debugger may make Chromium restart the worker. Calls of the page that pass it at that moment fail.
  expect(errors.splice(0).filter((error) => !error.includes('net::ERR_FAILED'))).toEqual([])
})

test('the service worker and the page are revalidated on each request', async () => {
  for (const file of ['/sw.js', '/', '/manifest.webmanifest']) {
    const response = await fetch(product.running().url + file)
    expect(`${file} ${response.headers.get('cache-control')}`).toBe(`${file} no-cache`)
  }
})
