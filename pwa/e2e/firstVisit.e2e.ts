import { get } from 'node:http'
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
  const scripts = [...html.matchAll(/(?:src|rel="modulepreload"[^>]*href)="(\/[^"]+\.js)"/g)].map(([, file]) => file!)
  const sizes = await Promise.all(scripts.map((file) => packedSize(running().url + file)))

  expect(scripts.filter((file) => /\/(admin|w3m)\/|contract-/.test(file))).toEqual([])
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(BYTE_BUDGET)
  await page.goto('/')
  await page.getByRole('button', { name: 'Connect Wallet' }).waitFor()
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
  // Scripts mark what they have taken over; what differed would have been logged as an error.
  await page.getByRole('button', { name: 'Connect Wallet' }).waitFor()
  expect(await page.locator('h1').innerText()).toBe(drawn)
})

test('a button that is pressed before any script is there is answered once they are', async () => {
  await setUp()
  const { page } = await arrive()
  let letThrough = () => {}
  const held = new Promise<void>((resolve) => (letThrough = resolve))
  await page.route('**/assets/*.js', async (route) => {
    await held
    await route.continue()
  })
  await page.goto('/purchase', { waitUntil: 'commit' })
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  letThrough()
  await page.getByRole('dialog', { name: 'Human Verification' }).waitFor()
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
