import type { Page } from 'playwright-core'
import { expect, vi } from 'vitest'

const TIMEOUT = 60_000

/** The titles of the register's ticks on the page, by their state. */
export async function readTicks(page: Page): Promise<Record<string, string[]>> {
  const rows = await page
    .locator('main details > summary:has(> span + span)')
    .evaluateAll((all) => all.map((row) => Array.from(row.querySelectorAll(':scope > span'), (part) => part.textContent ?? '')))
  const ticks: Record<string, string[]> = {}
  for (const [title = '', state = ''] of rows) (ticks[state] ??= []).push(title)
  return ticks
}

/** Expects that no tick failed or is open, apart from the one that needs an earlier visit. */
export async function expectAllVerified(page: Page): Promise<void> {
  // By itself the page may have verified already, which counts as a visit.
  const growth = 'Nothing has changed since your last visit'
  const { Verified = [], ...others } = await readTicks(page)
  expect([...Verified, growth].length).toBeGreaterThanOrEqual(22)
  expect([{}, { 'Nothing yet': [growth] }]).toContainEqual(others)
}

/** Waits until the register has the day whose rewards are paid at an instant, and an anchor. Why it has not, the product's log says. */
export async function waitForPublished(page: Page, payday: Date, readLog: () => string): Promise<void> {
  const day = payday.toISOString().slice(0, 10)
  const readDays = async () => (await page.request.get('/api/register/days')).json()
  const alerts = () =>
    readLog()
      .split('\n')
      .filter((line) => line.includes('ALERT'))
  await vi.waitFor(async () => expect(await readDays(), alerts().join()).toMatchObject({ days: { last: day } }), {
    timeout: TIMEOUT,
    interval: 200,
  })
  // Until the first anchor there is nothing to compare the newest day with.
  const readStatus = async () =>
    (await (await page.request.get('/api/status')).json()) as { register: { anchoredAt: string | null } }
  await vi.waitFor(async () => expect((await readStatus()).register.anchoredAt).not.toBeNull(), {
    timeout: TIMEOUT,
    interval: 200,
  })
}
