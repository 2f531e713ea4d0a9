import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { expect, onTestFinished, test } from 'vitest'
import * as contract from '#shared/contract/captcha.ts'
import { login, sendVerificationCode } from '#shared/contract/identity.ts'
import { forgotPassword } from '#shared/contract/password.ts'
import { getConfig } from '#shared/contract/settings.ts'
import { MINUTE } from '#shared/dates.ts'
import { useDatabase } from '#api/testing/database.ts'
import { makeUser, TEST_PASSWORD } from '#api/testing/factories.ts'
import { grantCaptcha } from '#api/testing/people.ts'
import { startServer, type TestBrowser, type TestServer } from '#api/testing/server.ts'
import { codeOf } from '#api/testing/codeOf.ts'
import { createPuzzle } from './altchaPuzzle.ts'
import { checkTurnstile } from './checkTurnstile.ts'

const database = useDatabase()

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')

/** The widget's result for an easy puzzle, signed like the server's puzzles. */
async function solvedToken({ services: { config }, clock }: TestServer, { time = 1 } = {}): Promise<string> {
  const challenge = await createPuzzle({ encryptionKey: config.ENCRYPTION_KEY, now: clock.now(), tries: 3 })
  const solution = await solveChallenge({ challenge, deriveKey })
  return encode({ challenge, solution: { ...solution, time } })
}

const verify = (browser: TestBrowser, captchaToken: string) => browser.call(contract.verifyCaptcha, { body: { captchaToken } })

/** Fails to log in until a captcha is required. */
async function guessThrice(browser: TestBrowser, email: string) {
  for (let tries = 0; tries < 3; tries++) await browser.call(login, { body: { email, password: 'Wr0ng!word' } }).catch(codeOf)
}

test('a solved puzzle of the server allows a login that requires a captcha', async () => {
  const server = await startServer(database)
  const browser = server.openBrowser()
  const { user } = await makeUser(database.orm.em.fork())
  const drawn = await browser.call(contract.captchaChallenge, {})
  expect(drawn).toMatchObject({ parameters: { algorithm: 'PBKDF2/SHA-256', cost: 5_000 }, signature: expect.any(String) })
  await guessThrice(browser, user.email)
  const credentials = { email: user.email, password: TEST_PASSWORD }
  await expect(browser.call(login, { body: credentials })).rejects.toMatchObject({ status: 403, code: 'captcha_required' })

  await verify(browser, await solvedToken(server))

  await browser.call(login, { body: credentials })
})

test('a token works once, in any session and any encoding', async () => {
  const server = await startServer(database)
  const token = await solvedToken(server)
  const failed = { status: 400, code: 'captcha_failed', serverMessage: 'CAPTCHA verification failed. Please try again.' }
  const { challenge, solution } = JSON.parse(Buffer.from(token, 'base64').toString()) as { challenge: object; solution: object }

  const answers = await Promise.allSettled(Array.from({ length: 6 }, () => verify(server.openBrowser(), token)))

  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  await expect(verify(server.openBrowser(), token)).rejects.toMatchObject(failed)
  await expect(verify(server.openBrowser(), encode({ challenge, solution: { ...solution, time: 2 } }))).rejects.toMatchObject(
    failed,
  )
})

test('malformed, foreign, changed, wrong and expired tokens are refused and begin no session', async () => {
  const server = await startServer(database)
  const good = JSON.parse(Buffer.from(await solvedToken(server), 'base64').toString()) as {
    challenge: { parameters: object; signature: string }
    solution: { counter: number; derivedKey: string }
  }
  server.clock.advance(-6 * MINUTE)
  const late = await solvedToken(server)
  const otherKey = await createPuzzle({ encryptionKey: '99'.repeat(32), now: new Date(), tries: 3 })
  const tokens = [
    'no captcha',
    encode('no captcha'),
    encode({ ...good, challenge: { ...good.challenge, signature: '' } }),
    encode({ ...good, challenge: { ...good.challenge, parameters: { ...good.challenge.parameters, cost: 1 } } }),
    encode({ ...good, challenge: { parameters: { ...good.challenge.parameters, expiresAt: undefined }, signature: 'aa' } }),
    encode({
      ...good,
      solution: { counter: 3, derivedKey: good.solution.derivedKey.replace(/^./, (letter) => (letter === '0' ? '1' : '0')) },
    }),
    encode({ challenge: otherKey, solution: await solveChallenge({ challenge: otherKey, deriveKey }) }),
    late,
  ]

  for (const token of tokens) {
    const browser = server.openBrowser()
    await expect(verify(browser, token), token).rejects.toMatchObject({ status: 400, code: 'captcha_failed' })
    expect(browser.cookie('visitor')).toBeUndefined()
  }
})

test('a solved captcha allows one call in its own session within ten minutes', async () => {
  const server = await startServer(database)
  const { user } = await makeUser(database.orm.em.fork())
  const [solver, other] = [server.openBrowser(), server.openBrowser()]
  const guess = (browser: TestBrowser) =>
    browser.call(login, { body: { email: user.email, password: 'Wr0ng!word' } }).catch(codeOf)
  await guessThrice(solver, user.email)

  await grantCaptcha(server, solver)
  expect(await guess(other)).toBe('captcha_required')
  const answers = await Promise.all([guess(solver), guess(solver), guess(solver)])
  expect(answers.toSorted()).toEqual(['captcha_required', 'captcha_required', 'invalid_credentials'])

  await grantCaptcha(server, solver)
  server.clock.advance(10 * MINUTE)
  expect(await guess(solver)).toBe('captcha_required')
})

test('emails to one address require a captcha after the third within an hour, counted by kind, with or without an account', async () => {
  const server = await startServer(database)
  const { user } = await makeUser(database.orm.em.fork())
  const browser = server.openBrowser()
  const calls = [
    () => browser.call(sendVerificationCode, { body: { email: 'new@example.com' } }),
    () => browser.call(forgotPassword, { body: { email: user.email } }),
    () => browser.call(forgotPassword, { body: { email: 'nobody@example.com' } }),
  ]
  for (const call of calls) {
    for (let mails = 0; mails < 3; mails++) {
      await call()
      server.clock.advance(MINUTE)
    }
    await expect(call()).rejects.toMatchObject({ status: 403, code: 'captcha_required' })
    await grantCaptcha(server, browser)
    await call()
  }
})

test('a network address needs a captcha after ten failed logins of any accounts, and after thirty emails', async () => {
  const server = await startServer(database, { env: { TRUSTED_PROXIES: '1' } })
  const from = (ip: string, { path }: { path: string }, body: object) =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': ip },
      body: JSON.stringify(body),
    })
  const codesOf = async (path: { path: string }, times: number, body: (call: number) => object) => {
    const codes: (string | undefined)[] = []
    for (let call = 0; call < times; call++) {
      const answer = await from('203.0.113.7', path, body(call))
      codes.push(((await answer.json()) as { code?: string }).code)
    }
    return codes
  }

  const logins = await codesOf(login, 11, (call) => ({ email: `person${call}@example.com`, password: 'Wr0ng!word' }))
  const mails = await codesOf(sendVerificationCode, 31, (call) => ({ email: `newcomer${call}@example.com` }))

  expect(logins).toEqual([...Array.from({ length: 10 }, () => 'invalid_credentials'), 'captcha_required'])
  expect(mails).toEqual([...Array.from({ length: 30 }, () => undefined), 'captcha_required'])
  const elsewhere = await from('203.0.113.8', login, { email: 'person11@example.com', password: 'Wr0ng!word' })
  expect(elsewhere.status).toBe(400)
})

test('puzzles and answers are limited per network address, with Retry-After', async () => {
  const server = await startServer(database, { env: { TRUSTED_PROXIES: '1', RATE_LIMITS: 'captcha_ip=2/900' } })
  const headers = { 'x-forwarded-for': '203.0.113.9', 'content-type': 'application/json' }
  const ask = () => fetch(server.url + contract.captchaChallenge.path, { headers })
  const answer = () =>
    fetch(server.url + contract.verifyCaptcha.path, { method: 'POST', headers, body: JSON.stringify({ captchaToken: 'x' }) })

  expect([(await ask()).status, (await answer()).status]).toEqual([200, 400])
  for (const refused of [await ask(), await answer()]) {
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(800)
    expect(await refused.json()).toMatchObject({ message: 'Too many attempts. Please try again in 15 minutes.' })
  }
})

test('with Turnstile there is no puzzle endpoint, and the page allows only its script', async () => {
  const env = { CAPTCHA_PROVIDER: 'turnstile', CAPTCHA_SITE_KEY: 'site', CAPTCHA_SECRET_KEY: 'secret' }
  const server = await startServer(database, { env })

  const answer = await fetch(server.url + contract.captchaChallenge.path)

  expect(answer.status).toBe(404)
  const policy = answer.headers.get('content-security-policy')!
  expect(policy).toContain("script-src 'self' https://challenges.cloudflare.com;")
  expect(policy).toContain('frame-src https://challenges.cloudflare.com;')
  expect((await server.openBrowser().call(getConfig, {})).captcha).toEqual({
    provider: 'turnstile',
    siteKey: 'site',
    scriptUrl: 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit',
  })
})

/** Responds like Cloudflare, with the given body. */
async function startSiteVerify(answer: string) {
  const asked: URLSearchParams[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => (body += part.toString()))
    request.on('end', () => {
      asked.push(new URLSearchParams(body))
      response.end(answer)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('a Turnstile token is verified by Cloudflare with the secret key', async () => {
  const question = { secretKey: 'secret', clientAddress: '203.0.113.7' }
  const good = await startSiteVerify('{"success":true}')
  const bad = await startSiteVerify('{"success":false,"error-codes":["timeout-or-duplicate"]}')

  expect(await checkTurnstile('token', { ...question, url: good.url })).toBe(true)
  expect(await checkTurnstile('token', { ...question, url: bad.url })).toBe(false)
  expect(Object.fromEntries(good.asked[0]!)).toEqual({ secret: 'secret', response: 'token', remoteip: '203.0.113.7' })
})

test('if Cloudflare is unreachable or responds with invalid JSON, the error asks for a retry', async () => {
  const question = { secretKey: 'secret', clientAddress: '203.0.113.7' }
  const broken = await startSiteVerify('<html>')

  for (const url of ['http://127.0.0.1:9', broken.url]) {
    await expect(checkTurnstile('token', { ...question, url })).rejects.toMatchObject({
      status: 400,
      code: 'captcha_failed',
      message: 'The verification service could not be reached. Please try again in a moment.',
    })
  }
})
