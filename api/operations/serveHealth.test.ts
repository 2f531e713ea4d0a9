import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { getAuthUser } from '#shared/contract/identity.ts'
import { getNodeStats } from '#shared/contract/nodes.ts'
import { jobs } from '#api/app/schedule.ts'
import { sql } from '#api/platform/db/sql.ts'
import { createDatabase, useDatabase } from '#api/testing/database.ts'
import { startServer } from '#api/testing/server.ts'
import { testConfig } from '#api/testing/testConfig.ts'
import { serveHealth } from './serveHealth.ts'
import { createMetrics } from './createMetrics.ts'
import { createReadiness, type Readiness } from './createReadiness.ts'

const database = useDatabase()
const TOKEN = 'a token of some length'

async function ask(
  {
    readiness,
    token,
    isPublic = false,
    metrics = createMetrics({ roles: ['worker'], onError: () => {} }),
  }: {
    readiness?: Readiness
    token?: string
    isPublic?: boolean
    metrics?: ReturnType<typeof createMetrics>
  },
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {},
) {
  const answer = serveHealth({ config: { METRICS_TOKEN: token }, readiness: () => readiness, metrics, isPublic })
  const server = createServer((request, response) => {
    if (!answer(request, response)) response.writeHead(418).end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { method, headers })
  return { status: response.status, text: await response.text(), type: response.headers.get('content-type') }
}

const readinessOf = ({ orm, url }: typeof database) =>
  createReadiness({ orm, config: testConfig({ DATABASE_URL: url }), jobNames: jobs.map(({ name }) => name) })

test('a process is live from its start and ready from the database’s preparation until its stop begins', async () => {
  expect(await ask({}, '/healthz')).toMatchObject({ status: 200, text: 'ok\n' })
  expect(await ask({}, '/readyz')).toMatchObject({ status: 503, text: 'not ready: this process is starting\n' })
  const readiness = readinessOf(database)
  expect(await ask({ readiness }, '/readyz')).toMatchObject({ status: 200, text: 'ready\n' })
  readiness.beginStop()
  expect(await ask({ readiness }, '/readyz')).toMatchObject({ status: 503, text: 'not ready: this process is stopping\n' })
  expect(await ask({ readiness }, '/healthz')).toMatchObject({ status: 200 })
})

test('it is not ready while a migration is missing or the database is away', async () => {
  const own = await createDatabase()
  await sql(own.superuser.em.fork(), 'delete from mikro_orm_migrations where id = (select max(id) from mikro_orm_migrations)')
  expect(await ask({ readiness: readinessOf(own) }, '/readyz')).toMatchObject({
    status: 503,
    text: 'not ready: the database is not prepared for this release\n',
  })
  await own.drop()
  expect(await ask({ readiness: readinessOf(own) }, '/readyz')).toMatchObject({
    status: 503,
    text: 'not ready: the database cannot be reached\n',
  })
})

test('metrics are available to this machine, not through a proxy on it', async () => {
  expect(await ask({}, '/metrics')).toMatchObject({ status: 200, type: expect.stringContaining('text/plain') })
  for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])
    expect(await ask({}, '/metrics', { headers: { [name]: '127.0.0.1' } }), name).toMatchObject({ status: 403 })
})

test('on the website’s port metrics require a token, even from this machine', async () => {
  expect(await ask({ isPublic: true }, '/metrics')).toMatchObject({ status: 403 })
  const headers = { authorization: `Bearer ${TOKEN}` }
  expect(await ask({ isPublic: true, token: TOKEN }, '/metrics', { headers })).toMatchObject({ status: 200 })
  expect(await ask({ isPublic: true }, '/healthz')).toMatchObject({ status: 200 })
})

test('with a token configured, metrics require it, even from this machine', async () => {
  const token = TOKEN
  const forwarded = { 'x-forwarded-for': '203.0.113.7' }
  const withToken = { authorization: `Bearer ${token}`, ...forwarded }
  expect(await ask({ token }, '/metrics', { headers: withToken })).toMatchObject({ status: 200 })
  for (const authorization of ['', 'Bearer', `Bearer ${token}x`, `Basic ${token}`])
    expect(await ask({ token }, '/metrics', { headers: { authorization } }), authorization).toMatchObject({ status: 403 })
})

test('other paths are not handled', async () => {
  for (const path of ['/', '/healthz/', '/constructor', '/metricsx']) expect(await ask({}, path)).toMatchObject({ status: 418 })
  expect(await ask({}, '/healthz', { method: 'POST' })).toMatchObject({ status: 418 })
})

test('metrics show the requests of this process and the figures of the installation', async () => {
  const { services } = await startServer(database)
  services.events.onChange(() => {})
  const metrics = createMetrics({
    services: () => services,
    roles: ['web'],
    countPublicAnswers: () => new Map([[getNodeStats.path, 7]]),
    onError: (error) => {
      throw error
    },
  })
  metrics.observe({ method: 'GET', route: getAuthUser.path, status: '200', seconds: 0.02 })
  metrics.observe({ method: 'GET', route: getAuthUser.path, status: '200', seconds: 0.2 })
  metrics.countError(true)

  const { text } = await ask({ metrics }, '/metrics')

  for (const line of [
    `http_request_duration_seconds_count{method="GET",route="${getAuthUser.path}",status="200"} 2`,
    `http_request_duration_seconds_bucket{le="0.025",method="GET",route="${getAuthUser.path}",status="200"} 1`,
    `http_public_answers_total{route="${getNodeStats.path}"} 7`,
    'xcr_errors_total{kind="alert"} 1',
    'xcr_database_read 1',
    'xcr_nodes{state="total"} 20000',
    'db_pool_connections{state="waiting"} 0',
    'http_event_streams 1',
  ])
    expect(text.split('\n')).toContain(line)
})

test('while the database is away the metrics of the process are still available', async () => {
  const own = await createDatabase()
  const { services } = await startServer(database, { replace: { orm: own.orm } as never })
  await own.drop()
  const errors: unknown[] = []
  const metrics = createMetrics({ services: () => services, roles: ['web'], onError: (error) => void errors.push(error) })
  const { status, text } = await ask({ metrics }, '/metrics')
  expect([status, text.includes('xcr_database_read 0'), text.includes('xcr_nodes{'), errors.length]).toEqual([
    200,
    true,
    false,
    1,
  ])
})
