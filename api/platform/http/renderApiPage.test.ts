import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { requestWithdrawal } from '#shared/contract/withdrawals.ts'
import { useDatabase } from '#api/testing/database.ts'
import { nameOf, readContract } from '#api/testing/readContract.ts'
import { demoRoutes } from '#api/dev/demo/demoRoutes.ts'
import { startServer } from '#api/testing/server.ts'
import { renderApiPage } from './renderApiPage.ts'

const database = useDatabase()

test('the page lists every call with access, limit, input, answer and errors, under the policy of all pages', async () => {
  const { url } = await startServer(database, { extraRoutes: [demoRoutes] })
  const response = await fetch(`${url}/api/docs`)
  const html = await response.text()
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])

  const listed = [...html.matchAll(/<b>([A-Z]+)<\/b> <code>(\/api\/[^<]*)<\/code>/g)].map(
    ([, method, path]) => `${method} ${path}`,
  )
  expect(listed.toSorted()).toEqual((await readContract()).map((one) => nameOf(one).replaceAll(/:(\w+)/g, '{$1}')).toSorted())

  const call = html.split('<details').find((part) => part.includes(`>${requestWithdrawal.path}<`))!
  for (const text of [
    'For accounts.',
    '<h3>Rate limit</h3><p><code>withdrawal</code></p>',
    'Idempotency-Key',
    'signedMessage',
    'Answer 201',
    'insufficient_xcr',
  ])
    expect(call).toContain(text)

  expect(html).not.toMatch(/<script|style="| on\w+=/)
  const [, style = ''] = /<style>([^]*?)<\/style>/.exec(html) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  expect(response.headers.get('content-security-policy')).toContain(`style-src 'self' 'sha256-${hash}'`)
})

test('in production there is no such page', async () => {
  const { url } = await startServer(database, { config: { production: true } })
  expect((await fetch(`${url}/api/docs`)).status).toBe(404)
})

test('texts of the description cannot become markup', () => {
  const { html } = renderApiPage({ info: { title: '<img src=x>', version: '"', description: '<b>' }, paths: {} })
  expect(html).not.toMatch(/<img|<p><b>/)
})
