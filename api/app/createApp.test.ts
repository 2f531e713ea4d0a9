import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { errorBody } from '#shared/errors.ts'
import * as nodes from '#shared/contract/nodes.ts'
import { securityHeaders } from '#api/platform/http/securityHeaders.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { useDatabase } from '#api/testing/database.ts'
import { startServer } from '#api/testing/server.ts'
import { REGISTER_ON, testConfig } from '#api/testing/testConfig.ts'

const database = useDatabase()

const codeOf = async (response: Response) => errorBody.parse(await response.json()).code

test('public statistics have an ETag, and a conditional request gets 304', async () => {
  const { url } = await startServer(database)

  const first = await fetch(`${url}${nodes.getNodeStats.path}`)
  const again = await fetch(`${url}${nodes.getNodeStats.path}`, { headers: { 'if-none-match': first.headers.get('etag')! } })

  expect(await first.json()).toEqual({
    total: 20_000,
    totalSold: 0,
    paid: 0,
    bonus: 0,
    reserved: 0,
    remaining: 20_000,
    progress: 0,
  })
  expect(first.headers.get('cache-control')).toBe('public, max-age=1')
  expect(first.headers.get('content-security-policy')).toContain("script-src 'self';")
  expect(again.status).toBe(304)
})

test('public statistics are answered to HEAD and with a query too', async () => {
  const { url } = await startServer(database)

  const full = await fetch(`${url}${nodes.getNodeStats.path}`)
  const head = await fetch(`${url}${nodes.getNodeStats.path}`, { method: 'HEAD' })
  const withQuery = await fetch(`${url}${nodes.getNodeStats.path}?x=1`)

  const { length } = await full.text()
  expect([head.status, head.headers.get('etag'), head.headers.get('content-length'), await head.text()]).toEqual([
    200,
    full.headers.get('etag'),
    String(length),
    '',
  ])
  expect([withQuery.status, withQuery.headers.get('etag')]).toEqual([200, full.headers.get('etag')])
})

test('a public answer has the same headers on keep-alive and closing connections', async () => {
  const { url } = await startServer(database)
  const { host, port, hostname } = new URL(url)
  const get = (...more: string[]) => [`GET ${nodes.getNodeStats.path} HTTP/1.1`, `Host: ${host}`, ...more, '', ''].join('\r\n')
  const socket = connect({ host: hostname, port: Number(port) })
  socket.write(get() + get() + get('Connection: close'))

  const answers = (await text(socket)).split(/(?=HTTP\/1\.1 )/)

  const [first, second, closed] = answers.map((answer) => {
    const [head = '', body] = answer.split('\r\n\r\n')
    const [status, ...headers] = head.split('\r\n')
    const others = headers.filter((header) => !/^(age|connection|keep-alive|date|x-request-id):/i.test(header))
    return { status, headers: others.toSorted(), date: headers.some((header) => header.startsWith('Date: ')), body }
  })
  expect(answers).toHaveLength(3)
  expect(answers[0]).toContain('Connection: keep-alive\r\nKeep-Alive: timeout=20\r\n')
  expect(second).toEqual(first)
  expect(closed).toEqual(first)
  expect(first).toMatchObject({ status: 'HTTP/1.1 200 OK', date: true })
})

test('a call without a session gets 401 Unauthorized before its body is validated', async () => {
  const { openBrowser } = await startServer(database)

  const answer = openBrowser().call(nodes.getUserNodes, {})

  await expect(answer).rejects.toMatchObject({ status: 401, serverMessage: 'Unauthorized', code: 'unauthenticated' })
})

test('an unknown path, a wrong method and a body that is not JSON get specific errors', async () => {
  const { url } = await startServer(database)

  const unknown = await fetch(`${url}/api/nothing`)
  const wrongMethod = await fetch(`${url}/api/user/nodes`, { method: 'DELETE' })
  const form = await fetch(`${url}/api/user/nodes`, { method: 'POST', body: new URLSearchParams({ a: '1' }) })

  expect([unknown.status, await codeOf(unknown)]).toEqual([404, 'not_found'])
  expect([wrongMethod.status, await codeOf(wrongMethod)]).toEqual([405, 'method_not_allowed'])
  expect([form.status, await codeOf(form)]).toEqual([415, 'unsupported_media_type'])
})

test('an expired session redirects to the login of the back office, or to the marker that opens /auth', async () => {
  const { url } = await startServer(database)
  const from = (referer?: string) => fetch(`${url}/api/login`, { redirect: 'manual', headers: referer ? { referer } : {} })

  expect((await from()).headers.get('location')).toBe('/?login=required')
  expect((await from(`${url}/purchase`)).headers.get('location')).toBe('/?login=required')
  expect((await from(`${url}/admin-panel`)).headers.get('location')).toBe('/admin1')
})

test('a state-changing call of another site is refused; one of this site or without a browser is accepted', async () => {
  const { url } = await startServer(database)
  const post = (headers: Record<string, string>) => fetch(`${url}/api/logout`, { method: 'POST', headers })

  expect((await post({ origin: 'https://evil.example' })).status).toBe(403)
  expect((await post({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await post({ 'sec-fetch-site': 'same-site' })).status).toBe(403)
  expect((await post({ origin: 'null' })).status).toBe(403)
  expect((await post({ origin: url, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  expect((await post({})).status).toBe(200)
})

test('a body above 64 KiB and invalid JSON are refused', async () => {
  const { url } = await startServer(database)
  const post = (body: string) =>
    fetch(`${url}/api/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })

  const large = await post(JSON.stringify({ email: 'a@example.com', password: 'x'.repeat(65_536) }))
  const broken = await post('{"email": ')

  expect([large.status, await codeOf(large)]).toEqual([413, 'payload_too_large'])
  expect([broken.status, await codeOf(broken)]).toEqual([400, 'invalid_request'])
})

test('a compressed body is refused before it is decompressed', async () => {
  const { url } = await startServer(database)
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }

  for (const body of [gzipSync('{}'), Buffer.from('{}')]) {
    const answer = await fetch(`${url}/api/login`, { method: 'POST', headers, body: new Uint8Array(body) })
    expect([answer.status, await codeOf(answer)]).toEqual([415, 'unsupported_media_type'])
  }
})

test('text that PostgreSQL cannot store is refused as an invalid request in every position', async () => {
  const server = await startServer(database)
  const { browser } = await openAdministrator(server)
  const post = (path: string, body: string) =>
    browser.fetch(server.url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const deposit = `/api/admin/deposits/${crypto.randomUUID()}/ignore`

  for (const send of [
    () => post('/api/admin/login', String.raw`{"username":"a\u0000b","password":"x"}`),
    () => post('/api/admin/assign-bonus', String.raw`{"userEmail":"a@example.com","quantity":1,"notes":"\ud800"}`),
    () => post(deposit, String.raw`{"note":"\u0000"}`),
    () => browser.fetch(`${server.url}/api/admin/users/search?email=%00`),
    () => browser.fetch(`${server.url}/api/admin/audit/export?actor=%00`),
  ]) {
    const answer = await send()
    expect([answer.status, await codeOf(answer)]).toEqual([400, 'invalid_request'])
  }
  expect((await post(deposit, '{"note":"🙂"}')).status).toBe(404)
})

test('answers forbid framing, inline scripts and content sniffing', async () => {
  const { url } = await startServer(database)

  for (const path of ['/api/node-stats', '/api/auth/user', '/api/nothing']) {
    const { headers } = await fetch(url + path)
    const policy = headers.get('content-security-policy')!
    expect(policy, path).toContain("frame-ancestors 'none'")
    expect(policy, path).toContain("script-src 'self';")
    expect(policy, path).toContain("base-uri 'none'")
    expect(policy, path).toContain("form-action 'self'")
    expect(policy, path).not.toContain('unsafe-eval')
    expect(headers.get('x-frame-options'), path).toBe('DENY')
    expect(headers.get('x-content-type-options'), path).toBe('nosniff')
    expect(headers.get('referrer-policy'), path).toBe('same-origin')
  }
})

test('the content security policy allows the workers of the captcha', async () => {
  const { url } = await startServer(database)

  const policy = (await fetch(url + nodes.getNodeStats.path)).headers.get('content-security-policy')

  expect(policy).toContain("worker-src 'self' blob:")
})

test('the page may connect to the reward chain to compare the register with it, to BNB Smart Chain for WalletConnect, and to no other', () => {
  const XCR_WALLET_RPC_URLS = 'https://rpc1.xp.example/path,https://rpc2.xp.example'
  const sourcesOf = (env: Record<string, string>) => {
    const headers = securityHeaders({ ...testConfig({ DATABASE_URL: database.url, ...env, XCR_WALLET_RPC_URLS }), demo: false })
    return /connect-src ([^;]*)/.exec(headers['content-security-policy']!)![1]
  }
  expect(sourcesOf({})).toBe("'self'")
  expect(sourcesOf(REGISTER_ON)).toBe("'self' https://rpc1.xp.example")
  const withWalletConnect = sourcesOf({ WALLETCONNECT_PROJECT_ID: 'x', BSC_WALLET_RPC_URL: 'https://bsc.example/key' })
  expect(withWalletConnect).toMatch(/ https:\/\/bsc\.example$/)
})

test('the redirect to the login stays on this site for every referrer', async () => {
  const { url } = await startServer(database)

  for (const referer of ['https://evil.example/admin', '//evil.example/admin', 'javascript:/admin', 'no address']) {
    const answer = await fetch(`${url}/api/login?next=https://evil.example`, { redirect: 'manual', headers: { referer } })
    expect(['/admin1', '/?login=required'], referer).toContain(answer.headers.get('location'))
  }
})
