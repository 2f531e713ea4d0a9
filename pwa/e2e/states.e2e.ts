import type { Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { DAY, MINUTE } from '#shared/dates.ts'
import { findNarrowFaults } from './findFaults.ts'
import { type Person, useProduct } from './fixtures.ts'

/** Unusual states of pages: loading, failed, empty, other states of the sale, very long values. */
const product = useProduct({ isFilled: true })

/** Replaces the server's response: none, a failure, or another body. */
type Answer = 'never' | 'failed' | ((body: never) => unknown)

/** Overrides responses by path prefix, and removes the previous overrides. */
async function answer({ page }: Person, answers: Record<string, Answer>): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.route('**/*', removeEmbeddedData)
  // A stream opens with the true figures of the sale.
  await page.route('**/api/events', (route) =>
    route.fulfill({ contentType: 'text/event-stream', body: `retry: ${10 * MINUTE}\n\n` }),
  )
  for (const [path, how] of Object.entries(answers))
    await page.route(
      ({ pathname }) => pathname.startsWith(path) && !known.includes(pathname),
      async (route) => {
        // Its answer never ends.
        if (route.request().resourceType() === 'eventsource') return route.continue()
        if (how === 'never') return
        if (how === 'failed') return route.fulfill({ status: 500, json: { error: 'internal', message: 'Something went wrong.' } })
        const response = await route.fetch()
        await route.fulfill({ response, json: how((await response.json()) as never) })
      },
    )
}

/** Serves the app shell as the service worker does for logged-in users. */
async function removeEmbeddedData(route: Route): Promise<void> {
  if (route.request().resourceType() !== 'document') return route.fallback()
  const response = await route.fetch()
  const html = await response.text()
  const figures = html.includes('<div id="root"></div>') ? /<script type="application\/json".*?<\/script>/s : ''
  await route.fulfill({ response, body: html.replace(figures, '') })
}

/** The user and the configuration, without which no page renders. */
const known = [
  '/api/auth/user',
  '/api/config',
  '/api/setup/status',
  '/api/admin/login-status',
  '/api/admin/auth/user',
  '/api/events',
]

/** Checks each page once it shows the given text, on a narrow screen. Colors are checked elsewhere. */
async function checkPages(person: Person, state: string, places: Record<string, string | RegExp>): Promise<string[]> {
  const faults = []
  // These pages share their states: the test checks two, but keeps screenshots of all.
  const looked = Object.entries(places).slice(0, process.env.PICTURES ? undefined : 2)
  for (const [place, text] of looked) {
    await person.page.goto(place)
    await person.page.getByText(text).first().waitFor()
    await person.page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' })
    faults.push(...(await findNarrowFaults(person.page, `${state} ${place}`)))
  }
  return faults
}

const tabs = (text: string | RegExp) =>
  Object.fromEntries(
    ['users', 'withdrawals', 'purchases', 'bonus', 'audit', 'health'].map((tab) => [`/admin-panel?tab=${tab}`, text]),
  )

test('loading placeholders are accessible', async () => {
  const person = await product.arriveAsMina()
  await answer(person, { '/api/': 'never' })
  const faults = await checkPages(person, 'waiting', {
    '/': 'Daily XCR Income',
    '/purchase': 'How many nodes?',
    '/history': 'Transaction History',
    '/security': 'Authenticator App',
  })
  const administrator = await product.openBackOffice()
  await answer(administrator, { '/api/': 'never' })
  faults.push(...(await checkPages(administrator, 'waiting', tabs('admin dashboard'))))
  expect(faults).toEqual([])
})

test('load errors are accessible', async () => {
  const person = await product.arriveAsMina()
  await answer(person, { '/api/': 'failed' })
  const faults = await checkPages(person, 'failed', {
    '/': "Couldn't load your income",
    '/purchase': "Couldn't load the sale figures",
    '/history': "Couldn't load your history",
    '/security': "Couldn't load the status",
    '/about': "Couldn't load all of this page",
    '/status': "Couldn't load the service status",
  })
  const administrator = await product.openBackOffice()
  await answer(administrator, { '/api/': 'failed' })
  faults.push(...(await checkPages(administrator, 'failed', tabs(/Something went wrong/))))
  // The browser logs each failure that this test causes.
  for (const { errors } of [person, administrator]) errors.length = 0
  expect(faults).toEqual([])
})

test('empty states are accessible', async () => {
  const member = await product.arriveAsMember({ isRich: false })
  const faults = await checkPages(member, 'empty', {
    '/': 'Four steps to your first reward',
    '/history': 'No transaction history available.',
  })
  const administrator = await product.openBackOffice()
  await answer(administrator, { '/api/admin/': withoutRows })
  faults.push(...(await checkPages(administrator, 'empty', tabs('admin dashboard'))))
  expect(faults).toEqual([])
})

/** An empty list, and zero figures. */
function withoutRows(body: unknown): unknown {
  if (Array.isArray(body)) return []
  if (typeof body === 'number') return 0
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, withoutRows(value)]))
}

test('every state of the sale is accessible', async () => {
  const person = await product.arriveAsMina()
  const faults = []
  const withSetting = (name: string, text: string) => (settings: { key: string; value: string }[]) => [
    ...settings.filter(({ key }) => key !== name),
    { key: name, value: text },
  ]
  const soon = new Date(Date.now() + 100 * DAY).toISOString()
  const states: Record<string, [answers: Record<string, Answer>, text: string | RegExp]> = {
    'switched off': [{ '/api/system-settings': withSetting('sales_enabled', 'false') }, 'Sales Disabled'],
    'before its start': [{ '/api/system-settings': withSetting('sales_start_date', soon) }, /days/i],
    'sold out': [{ '/api/stats/nodes': () => ({ total: 20_000, totalSold: 20_000, remaining: 0, progress: 100 }) }, /sold out/i],
  }
  for (const [state, [answers, text]] of Object.entries(states)) {
    await answer(person, answers)
    faults.push(...(await checkPages(person, state, { '/': text, '/purchase': text })))
  }
  expect(faults).toEqual([])
})

test('every state of the service is accessible', async () => {
  const person = await product.arrive()
  const faults = []
  const someTime = new Date('2026-11-20T07:31:00Z').toISOString()
  const incident = {
    id: '01936b2a-7c00-7000-8000-000000000001',
    title: { en: 'Payouts are slow because the reward chain is busy', ko: null },
    text: { en: 'Withdrawals are paid in their order.\nNothing is lost.', ko: null },
    startedAt: someTime,
    updatedAt: someTime,
    resolvedAt: null as string | null,
  }
  const resolved = { ...incident, id: incident.id.replace(/1$/, '2'), resolvedAt: someTime }
  const states: Record<string, [changes: object, text: string]> = {
    ok: [
      { verdict: 'ok', payments: { state: 'ok', block: 46_123_456, blockTime: new Date(), blocksBehind: 0 } },
      'Everything works',
    ],
    delayed: [
      {
        verdict: 'several_delayed',
        payments: { state: 'delayed', block: 46_123_456, blockTime: someTime, blocksBehind: 1_204 },
        payouts: { state: 'delayed', waiting: 12, oldest: someTime },
        register: { state: 'ok', lastDay: '2026-11-19', anchoredAt: someTime },
        incidents: [resolved],
      },
      'Several parts are delayed',
    ],
    incident: [{ verdict: 'incident', incidents: [incident, resolved] }, 'There is an incident'],
    outdated: [{ verdict: 'outdated', readAt: someTime }, 'The current state is unknown'],
  }
  for (const [state, [changes, text]] of Object.entries(states)) {
    await answer(person, { '/api/status': (status: object) => ({ ...status, ...changes }) })
    faults.push(...(await checkPages(person, state, { '/status': text })))
  }
  expect(faults).toEqual([])
})

test('very long values are accessible', async () => {
  const person = await product.arriveAsMina()
  // All nodes for a hundred years, with all decimals.
  const many = '7300000000.123456789012345678'
  await person.page.route('**/api/auth/user', async (route) => {
    const response = await route.fetch()
    const user = (await response.json()) as object
    await route.fulfill({
      response,
      json: {
        ...user,
        email: `${'a.very.long.name.of.somebody'.repeat(2)}@${'mail.'.repeat(6)}example.com`,
        totalNodes: 20_000,
        balance: { availableXcr: many, totalEarnedXcr: many },
      },
    })
  })
  const faults = await checkPages(person, 'long', {
    '/': 'Owned Nodes',
    '/history': 'XCR Distribution',
    '/security': 'This device',
  })
  // Waits for pending requests before the browser closes.
  await person.page.unrouteAll({ behavior: 'ignoreErrors' })
  expect(faults).toEqual([])
})

test('local time is shown beside each UTC time', async () => {
  const person = await product.arriveAsMina({ timezoneId: 'Asia/Seoul' })
  const { page } = person
  const faults = await checkPages(person, 'in Seoul', {
    '/purchase': /^Every day at 09:00 UTC \(18:00 your time\)$/,
    '/history': /^\(\d+ \w+, 18:00 your time\)$/,
  })
  await page.goto('/security')
  await page
    .getByText(/^Last seen .* UTC \(.* your time\)$/)
    .first()
    .waitFor()
  const isNew = (nodes: object) => ({ ...nodes, activeNodes: 0, firstRewardAt: '2026-12-24T09:00:00.000Z' })
  await answer(person, { '/api/user/nodes': isNew })
  faults.push(...(await checkPages(person, 'before the first reward', { '/': /^First reward: .* \(24 Dec, 18:00 your time\)$/ })))
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  expect(faults).toEqual([])
})
