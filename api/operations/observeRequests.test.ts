import Router from '@koa/router'
import Koa from 'koa'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { testConfig } from '#api/testing/testConfig.ts'
import { createLog } from '#api/platform/log/createLog.ts'
import type { ServedRequest } from './createMetrics.ts'
import { describeRequest, observeRequests } from './observeRequests.ts'

async function setup() {
  const lines: string[] = []
  const served: ServedRequest[] = []
  const config = { ...testConfig({ DATABASE_URL: 'postgres://db/xcr', LOG_LEVEL: 'debug' }), production: true }
  const log = createLog({ config, role: 'web', write: (line) => void lines.push(line) })
  const router = new Router()
  router.get('/api/things/:id', (ctx) => (ctx.body = 'thing'))
  router.get('/api/broken', () => {
    throw new Error('broken')
  })
  const app = new Koa()
  app.use(observeRequests({ log, metrics: { observe: (request) => void served.push(request) } }))
  app.on('error', (error, ctx) => log.error(error, describeRequest(ctx as Koa.Context)))
  app.use(router.routes())
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, served, records: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

test('a request keeps its ID or gets a new one; an ID that could imitate a log line is replaced', async () => {
  const { url } = await setup()
  const nameOf = async (given?: string) =>
    (await fetch(`${url}/api/things/1`, { headers: given ? { 'x-request-id': given } : {} })).headers.get('x-request-id')
  expect(await nameOf('edge-7f:3')).toBe('edge-7f:3')
  for (const given of [undefined, 'two words', '"}', 'x'.repeat(101)]) expect(await nameOf(given)).toMatch(/^[\da-f-]{36}$/)
})

test('it is counted and logged under its pattern, without its query; unknown paths share one label', async () => {
  const { url, served, records } = await setup()
  await fetch(`${url}/api/things/5?secret=1`)
  await fetch(`${url}/api/nothing/here`)
  await expect.poll(() => served).toHaveLength(2)
  expect(served).toMatchObject([
    { method: 'GET', route: '/api/things/:id', status: '200', seconds: expect.any(Number) },
    { route: 'none', status: '404' },
  ])
  expect(records()[0]).toMatchObject({ level: 'debug', message: 'request', route: '/api/things/:id', status: '200' })
  expect(JSON.stringify(records())).not.toContain('secret')
})

test('a defect is logged with the ID of its request', async () => {
  const { url, records } = await setup()
  const answer = await fetch(`${url}/api/broken`, { headers: { 'x-request-id': 'r-1' } })
  expect(answer.status).toBe(500)
  expect(records()).toContainEqual(
    expect.objectContaining({ level: 'error', message: 'broken', requestId: 'r-1', route: '/api/broken' }),
  )
})
