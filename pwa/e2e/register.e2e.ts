import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test, vi } from 'vitest'
import { HOUR } from '#shared/dates.ts'
import { useProduct } from './fixtures.ts'
import { keepPictures } from './keepPictures.ts'
import { expectAllVerified, readTicks, waitForPublished } from './proofPage.ts'
import { type RegisterLie, serveExample } from './serveExample.ts'

const product = useProduct({ isFilled: true })
const TIMEOUT = 60_000

/** Opens a page of the register and waits for the end of its verification. */
async function openVerified(page: Page, path: '/register' | '/proof', site = '') {
  await page.goto(site + path)
  await page.getByText('Checked by this device on').waitFor()
}

/** Moves to tomorrow, and waits until the register has the day that is paid then. */
async function moveToTomorrow(page: Page) {
  const tomorrow = new Date((await product.readProductTime()).getTime() + 24 * HOUR)
  await page.request.post('/api/demo/clock', { data: { advanceHours: 24 } })
  await waitForPublished(page, new Date(tomorrow.getTime() - 9 * HOUR), product.running().readLog)
}

test('after one press on "Move to tomorrow" a demo holder sees that everything is verified, offline too', async () => {
  const { page, context, errors } = await product.arriveAsMina({ serviceWorkers: 'allow' })
  await page.goto('/')
  await moveToTomorrow(page)
  await openVerified(page, '/proof')
  await keepPictures(page, 'proof')
  await expectAllVerified(page)
  await page
    .getByText(/^All \d+ of your nodes are in the register of .* They earned [\d,]+ XCR that day\. Your balance of /)
    .waitFor()

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save proof.json' }).click()
  const proof = JSON.parse(await readFile(await (await download).path(), 'utf8'))
  expect(proof).toMatchObject({ format: 'xcr-register/v1', email: 'mina@example.com' })
  expect(Object.keys(proof.leaves).length).toBeGreaterThan(10)

  await openVerified(page, '/register')
  expect(await readTicks(page)).toMatchObject({ Verified: expect.arrayContaining(['Nothing has changed since your last visit']) })
  await keepPictures(page, 'register')
  await page.goto('/')
  await page.getByRole('link', { name: /^Verified today: \d+ nodes, [\d,]+ XCR$/ }).waitFor()

  await page.evaluate(async () => void (await navigator.serviceWorker.ready))
  await page.goto('/proof')
  await page.getByText('Checked by this device on').waitFor()
  await context.setOffline(true)
  await page.getByRole('link', { name: 'About the public register' }).click()
  await page.getByRole('heading', { name: /^Books of / }).waitFor()
  await page.getByText('Checked by this device on').waitFor()
  // The browser logs each request that it could not make.
  errors.splice(0)
})

/** Verifies once more after each lie. @returns what was not caught by its tick. */
async function tellAll(
  page: Page,
  lies: readonly RegisterLie[],
  { tell, messages }: Pick<Awaited<ReturnType<typeof serveExample>>, 'tell' | 'messages'>,
): Promise<string[]> {
  const readReports = () =>
    page.evaluate(() => {
      const kept = Object.entries(localStorage).find(
        ([key, text]) => /^register_(report|own)/.test(key) && text.includes('"ticks"'),
      )
      const stored = JSON.parse(kept?.[1] ?? '{}')
      return (stored.report ?? stored) as { at: string; ticks: [string, { outcome: string }][] }
    })
  const missed: string[] = []
  for (const lie of lies) {
    const { at } = await readReports()
    await tell(lie)
    // Receipts that the device kept would contradict the lie already. It has what its wallet signed, with or without a receipt.
    await page.evaluate(
      (known) => {
        for (const [key, text] of Object.entries(localStorage))
          if (key.startsWith('register_own')) localStorage.setItem(key, JSON.stringify({ ...JSON.parse(text), ...known }))
      },
      { receipts: [], messages },
    )
    await page.getByRole('button', { name: 'Check again' }).click()
    await vi.waitFor(async () => expect((await readReports()).at).not.toBe(at), { timeout: TIMEOUT, interval: 50 })
    const failed = (await readReports()).ticks.flatMap(([tick, { outcome }]) => (outcome === 'failed' ? tick : []))
    if (!failed.includes(lie.tick)) missed.push(`${lie.what}: ${failed.join()} instead of ${lie.tick}`)
  }
  return missed
}

/** In two halves, so that neither takes long. */
test.each([0, 1])('each lie to everybody is caught by its tick in the browser, half %i', async (half) => {
  const { page } = await product.arriveAsMina()
  const example = await serveExample(page)
  onTestFinished(() => example.close())
  await openVerified(page, '/register', example.site)
  expect(await readTicks(page)).not.toHaveProperty('Does not match')
  const lies = example.lies.filter((_, index) => index % 2 === half)
  expect(lies.length).toBeGreaterThan(40)
  expect(await tellAll(page, lies, example)).toEqual([])
})

test('a lie raises the red bar with its evidence, which stays until it is dismissed', async () => {
  const { page } = await product.arriveAsMina()
  const example = await serveExample(page)
  onTestFinished(() => example.close())
  await openVerified(page, '/register', example.site)
  expect(await tellAll(page, example.lies.slice(0, 3), example)).toEqual([])

  const bar = page.getByRole('alert').filter({ hasText: 'The public register does not add up' })
  await bar.getByText('“Every sold node has its payment” is not true').waitFor()
  await keepPictures(page, 'register failed')
  const download = page.waitForEvent('download')
  await bar.getByRole('button', { name: 'Save the evidence' }).click()
  const evidence = JSON.parse(await readFile(await (await download).path(), 'utf8'))
  // The first lie's: later ones do not replace it.
  expect(evidence.failures).toContainEqual(expect.objectContaining({ tick: 'E2', evidence: expect.any(String) }))
  await bar.getByRole('button', { name: 'Dismiss' }).click()
  await bar.waitFor({ state: 'detached' })

  // The same register, shown by another site.
  await openVerified(page, '/register')
  // A page may show what was found before until it has verified again.
  await expect
    .poll(() => readTicks(page))
    .toMatchObject({ 'Does not match': expect.arrayContaining(['Signed with the key of the register']) })
})

test.each([0, 1])('each lie to holder %i is caught by its tick in the browser', async (index) => {
  const { page } = await product.arriveAsMina()
  const example = await serveExample(page, index)
  onTestFinished(() => example.close())
  await openVerified(page, '/proof', example.site)
  expect(await readTicks(page)).not.toHaveProperty('Does not match')
  expect(await tellAll(page, example.holderLies, example)).toEqual([])
  if (index === 0) await keepPictures(page, 'proof failed')
})
