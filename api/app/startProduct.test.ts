import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { getAuthUser, login } from '#shared/contract/identity.ts'
import { getConfig } from '#shared/contract/settings.ts'
import type { Config } from '#api/platform/config.ts'
import { freePort } from '#api/dev/freePort.ts'
import { sql } from '#api/platform/db/sql.ts'
import { readLeaders } from '#api/operations/health/leaderHealth.ts'
import { type ProductOptions, startProduct } from './startProduct.ts'
import { useRewardChain, usePaymentChain } from '#api/testing/chains.ts'
import { useDatabase } from '#api/testing/database.ts'
import { testConfig } from '#api/testing/testConfig.ts'

const database = useDatabase()
const payment = usePaymentChain()
const reward = useRewardChain()

async function start(roles: readonly ('web' | 'worker' | 'watcher')[], changes: Partial<Config> = {}) {
  const port = await freePort()
  const config = testConfig({
    DATABASE_URL: database.url,
    PORT: String(port),
    BSC_RPC_URLS: payment.url,
    XCR_RPC_URLS: reward.url,
    XCR_TOKEN_ADDRESS: reward.token,
    LOG_LEVEL: 'error',
  })
  const product = await startProduct({ ...config, ...changes }, { roles: new Set(roles) satisfies ProductOptions['roles'] })
  onTestFinished(() => product.stop())
  return { product, port }
}

const heldRoles = async () =>
  (await readLeaders(database.orm.em.fork())).filter(({ is_held }) => is_held).map(({ role, epoch }) => `${role} ${epoch}`)

test('production runs with weak secrets, and one log line names them without showing them', async () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => write.mockRestore())
  await start(['web'], { production: true, LOG_LEVEL: 'warn', METRICS_TOKEN: 'typedtypedtypedt' })
  const lines = write.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('Weak secrets'))
  write.mockRestore()

  expect(lines).toEqual([expect.stringContaining('METRICS_TOKEN is not random: openssl rand -base64 32 prints a good one')])
  expect(lines[0]).not.toContain('typedtyped')
})

test('production runs without the seller’s details, and one log line names the missing variables', async () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => write.mockRestore())
  const { port } = await start(['web'], { production: true, LOG_LEVEL: 'warn', SELLER_NAME: 'Example Nodes Ltd' })
  const lines = write.mock.calls.map(([line]) => String(line)).filter((line) => line.includes('Not configured'))
  write.mockRestore()

  expect(lines.map((line) => (JSON.parse(line) as { message: string }).message)).toEqual([
    'Not configured: SELLER_ADDRESS, TERMS_URL, PRIVACY_URL, REFUNDS_URL, RISK_URL. Buyers look for them in the footer and on /about.',
  ])
  const answer = await fetch(`http://127.0.0.1:${port}${getConfig.path}`)
  expect(await answer.json()).toMatchObject({ seller: { name: 'Example Nodes Ltd' } })
})

test('no role starts with another encryption key than that of the database', async () => {
  await start(['web'])
  for (const role of ['web', 'worker', 'watcher'] as const)
    await expect(start([role], { ENCRYPTION_KEY: '99'.repeat(32) })).rejects.toThrow(
      'ENCRYPTION_KEY is not the key of this database',
    )
})

test('the website listens on every address, or on the given one only', async () => {
  const isReached = (port: number) =>
    fetch(`http://127.0.0.2:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    )
  expect(await isReached((await start(['web'])).port)).toBe(true)
  const { port } = await start(['web'], { LISTEN_ADDRESS: '127.0.0.1' })
  expect(await isReached(port)).toBe(false)
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).ok).toBe(true)
})

test('a stopping process gives up its leadership, and another process starts the next term', async () => {
  const first = await start(['worker', 'watcher'])
  await expect.poll(heldRoles).toHaveLength(2)
  const second = await start(['worker', 'watcher'])
  expect((await heldRoles()).toSorted()).toEqual(['payouts 1', 'watcher 1'])

  await first.product.stop()

  await expect.poll(async () => (await heldRoles()).toSorted()).toEqual(['payouts 2', 'watcher 2'])
  await second.product.stop()
  // The server notices a closed connection a moment later.
  await expect.poll(heldRoles).toEqual([])
})

test('a stopping process accepts no new connections, finishes open requests and closes event streams', async () => {
  const { product, port } = await start(['web'])
  const events = await fetch(`http://127.0.0.1:${port}/api/events`)
  const body = '{}'
  const caller = connect({ host: '127.0.0.1', port })
  caller.write(
    [
      `POST ${login.path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
      '\r\n',
    ].join('\r\n'),
  )
  let answer = ''
  caller.setEncoding('utf8').on('data', (text: string) => (answer += text))
  await expect.poll(() => answer).toContain('100 Continue')

  const stopping = product.stop()
  await expect
    .poll(() =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        () => 'answered',
        () => 'refused',
      ),
    )
    .toBe('refused')
  await events.text()
  caller.write(body)

  await once(caller, 'close')
  expect(answer).toMatch(/HTTP\/1.1 400 [^]*"code":"invalid_request"/)
  await stopping
})

test('visitors cannot fill the log with the errors of their requests, and it says how many are not in it', async () => {
  const { product, port } = await start(['web'])
  const rename = (from: string, to: string) => sql(database.superuser.em.fork(), `alter table ${from} rename to ${to}`)
  await rename('web_sessions', 'broken_sessions')
  onTestFinished(() => rename('broken_sessions', 'web_sessions').then(() => undefined))
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => write.mockRestore())
  const fail = async (times: number) => {
    for (let done = 0; done < times; done += 50)
      await Promise.all(
        Array.from({ length: 50 }, async () => {
          const headers = { cookie: 'user_session=0123456789012345678901' }
          expect((await fetch(`http://127.0.0.1:${port}${getAuthUser.path}`, { headers })).status).toBe(500)
        }),
      )
  }
  const lines = () => write.mock.calls.map(([line]) => String(line)).filter((line) => !line.includes('ExperimentalWarning'))

  await fail(300)
  expect(lines()).toHaveLength(100)
  await product.stop()

  expect(lines()[100]).toContain('200 more errors of requests are not in the log')
})
