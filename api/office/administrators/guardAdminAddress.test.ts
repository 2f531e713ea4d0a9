import { request } from 'node:http'
import { beforeEach, describe, expect, test } from 'vitest'
import * as contract from '#shared/contract/admin/login.ts'
import { errorBody } from '#shared/errors.ts'
import { sql } from '#api/platform/db/sql.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { useDatabase } from '#api/testing/database.ts'
import { startServer, type TestBrowser, type TestServer } from '#api/testing/server.ts'

const database = useDatabase()

const allow = (...addresses: string[]) =>
  sql(database.orm.em.fork(), 'update installation set admin_allowed_ips = $1', [addresses.length > 0 ? addresses : null])

beforeEach(() => allow())

const status = async (server: TestServer, forwardedFor?: string) => {
  const headers: Record<string, string> = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  return (await fetch(server.url + contract.adminLoginStatus.path, { headers })).status
}

const seenAddress = async (browser: TestBrowser, forwardedFor?: string) => {
  const headers: Record<string, string> = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  return (await browser.call(contract.getIpAccess, {}, { headers })).currentIP
}

test('from a forbidden address every call is refused, whatever its path, spelling or session', async () => {
  const server = await startServer(database)
  const { browser } = await openAdministrator(server)
  await allow('10.0.0.7')

  await expect(browser.call(contract.getAdminUser, {})).rejects.toMatchObject({
    status: 403,
    code: 'ip_not_allowed',
    serverMessage: 'Your IP address (127.0.0.1) is not allowed in the administrator area.',
  })
  for (const path of ['/api/admin/login-status', '/api/admin/nothing', '/api/admin', '/api/admin/', '/api/ADMIN/login-status']) {
    expect((await browser.fetch(server.url + path)).status, path).toBe(403)
  }
  const logout = await browser.fetch(server.url + contract.adminLogout.path, { method: 'POST' })
  expect(errorBody.parse(await logout.json()).code).toBe('ip_not_allowed')
})

test('other spellings of the path are not found', async () => {
  const server = await startServer(database)
  await allow('10.0.0.7')
  const { port } = new URL(server.url)
  // Written to the socket directly, because a URL would normalize them.
  const ask = (path: string) =>
    new Promise<number | undefined>((resolve, reject) =>
      request({ host: '127.0.0.1', port, path, method: 'GET' }, (answer) => resolve(answer.resume().statusCode))
        .on('error', reject)
        .end(),
    )

  for (const path of [
    '/api/%61dmin/login-status',
    '/api/./admin/login-status',
    '/api/x/../admin/login-status',
    '/api//admin/login-status',
    `${server.url}/api/admin/login-status`,
  ])
    expect([403, 404], path).toContain(await ask(path))
})

test('a changed list applies from the next call in every process, also to existing sessions', async () => {
  const server = await startServer(database)
  const second = await startServer(database)
  const { browser } = await openAdministrator(server)

  await browser.call(contract.setIpAccess, { body: { allowedIPs: ['10.0.0.7'] } })

  await expect(browser.call(contract.getAdminUser, {})).rejects.toMatchObject({ code: 'ip_not_allowed' })
  expect(await status(second)).toBe(403)
  await allow('127.0.0.1')
  await browser.call(contract.getAdminUser, {})
  expect(await status(second)).toBe(200)
})

test('a login from a forbidden address is audited', async () => {
  const server = await startServer(database, { env: { TRUSTED_PROXIES: '1' } })
  await allow('10.0.0.7')
  const send = () =>
    fetch(server.url + contract.adminLogin.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.9' },
      body: JSON.stringify({ username: 'owner', password: 'secret words' }),
    })

  const answers = await Promise.all(Array.from({ length: 15 }, send))

  expect(answers.map(({ status }) => status)).toEqual(Array(15).fill(403))
  const records = await database.orm.em.fork().find(AuditEntry, { ipAddress: '203.0.113.9' })
  expect(records).toHaveLength(10)
  expect(records[0]).toMatchObject({ action: 'admin.login_failed', target: null, after: { reason: 'ip_not_allowed' } })
})

test('logins from the forbidden networks of one IPv6 site are audited thirty times an hour together', async () => {
  const server = await startServer(database, { env: { TRUSTED_PROXIES: '1' } })
  await allow('10.0.0.7')
  const sendFrom = (address: string) =>
    fetch(server.url + contract.adminLogin.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ username: 'owner', password: 'secret words' }),
    })

  const networks = Array.from({ length: 40 }, (_, network) => `2001:db8:5:${network + 1}::1`)
  await Promise.all(networks.map(sendFrom))

  expect(await database.orm.em.fork().count(AuditEntry, { ipAddress: { $like: '2001:db8:5:%' } })).toBe(30)
})

describe('behind proxies', () => {
  const start = (trusted: number, production = false) =>
    startServer(database, { env: { TRUSTED_PROXIES: String(trusted) }, config: { production } })

  test.each([
    [0, undefined, '127.0.0.1'],
    [0, '10.0.0.7', '127.0.0.1'],
    [1, undefined, '127.0.0.1'],
    [1, '203.0.113.9', '203.0.113.9'],
    [1, '10.0.0.7, 203.0.113.9', '203.0.113.9'],
    [1, '10.0.0.7, ::ffff:203.0.113.9', '203.0.113.9'],
    [1, '10.0.0.7,::1', '127.0.0.1'],
    [2, '10.0.0.7, 203.0.113.9, 192.0.2.1', '203.0.113.9'],
    [2, '10.0.0.7, 2001:DB8:0:0::1, 192.0.2.1', '2001:db8::1'],
    [2, '203.0.113.9, 192.0.2.1', '203.0.113.9'],
  ])('%i trusted, with X-Forwarded-For %j, the caller is %s', async (trusted, forwardedFor, address) => {
    const server = await start(trusted)
    const { browser } = await openAdministrator(server)

    expect(await seenAddress(browser, forwardedFor)).toBe(address)
  })

  test.each([
    [0, '10.0.0.7', 403],
    [1, '10.0.0.7, 203.0.113.9', 403],
    [1, '203.0.113.9, 10.0.0.7', 200],
    [1, '203.0.113.9, ::ffff:10.0.0.7', 200],
    [2, '10.0.0.7, 203.0.113.9, 192.0.2.1', 403],
    [2, '203.0.113.9, 10.0.0.7, 192.0.2.1', 200],
  ])('%i trusted, X-Forwarded-For %j against a list with 10.0.0.7 is answered %i', async (trusted, forwardedFor, expected) => {
    const server = await start(trusted)
    await allow('10.0.0.7')

    expect(await status(server, forwardedFor)).toBe(expected)
  })

  test.each(['x-forwarded-for', 'forwarded', 'x-real-ip'])(
    'in production without trusted proxies a call with %s is refused, even from an allowed address',
    async (header) => {
      const server = await start(0, true)
      await allow('127.0.0.1')
      const send = (path: string) => fetch(server.url + path, { headers: { [header]: '127.0.0.1' } })

      const answer = await send(contract.adminLoginStatus.path)

      expect(answer.status).toBe(403)
      expect(errorBody.parse(await answer.json())).toMatchObject({
        code: 'ip_not_allowed',
        message: expect.stringContaining('TRUSTED_PROXIES'),
      })
      expect(await status(server)).toBe(200)
      expect((await send('/api/system-settings')).status).toBe(200)
    },
  )
})
