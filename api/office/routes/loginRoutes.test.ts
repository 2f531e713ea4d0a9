import { describe, expect, test } from 'vitest'
import * as contract from '#shared/contract/admin/login.ts'
import { HOUR, MINUTE } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { completeHalfLogin } from '../administrators/completeHalfLogin.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { HalfLogin } from '#api/entities/HalfLogin.ts'
import { WebSession } from '#api/platform/tables/WebSession.ts'
import { hashSessionId } from '#api/platform/http/namedSession.ts'
import { logInAdministrator, makeAdministrator, openAdministrator, type TestAdministrator } from '#api/testing/administrators.ts'
import { useDatabase } from '#api/testing/database.ts'
import { TEST_ENCRYPTION_KEY, TEST_PASSWORD } from '#api/testing/factories.ts'
import { makeBuyer } from '#api/testing/people.ts'
import { startServer, type TestBrowser, type TestServer } from '#api/testing/server.ts'
import { codeOf } from '#api/testing/codeOf.ts'
import { endRateLimits } from '#api/testing/endRateLimits.ts'

const database = useDatabase()

const COOKIE = 'admin_session'

const logIn = (browser: TestBrowser, { username }: Pick<TestAdministrator, 'username'>, password = TEST_PASSWORD) =>
  browser.call(contract.adminLogin, { body: { username, password } })

const verify = (browser: TestBrowser, token: string) => browser.call(contract.adminVerifyOtp, { body: { token } })

const who = (browser: TestBrowser) => browser.call(contract.getAdminUser, {})

const unauthorized = { status: 401, code: 'unauthenticated', serverMessage: 'Unauthorized' }

/** A browser with only this cookie. */
function withCookie(server: TestServer, value: string | undefined): TestBrowser {
  const browser = server.openBrowser()
  browser.setCookie(COOKIE, value ?? '')
  return browser
}

const auditOf = (target: string) => database.orm.em.fork().find(AuditEntry, { target }, { orderBy: { at: 'asc', id: 'asc' } })

describe('a visitor', () => {
  test('has no login and no rights', async () => {
    const browser = (await startServer(database)).openBrowser()

    expect(await browser.call(contract.adminLoginStatus, {})).toEqual({
      isLoggedIn: false,
      loginTime: null,
      username: null,
      role: null,
    })
    await expect(who(browser)).rejects.toMatchObject(unauthorized)
    expect(browser.cookie(COOKIE)).toBeUndefined()
  })

  test('with a session as a user has no rights in the back office', async () => {
    const server = await startServer(database)
    const { browser } = await makeBuyer(server)
    browser.setCookie(COOKIE, browser.cookie('user_session')!)

    await expect(who(browser)).rejects.toMatchObject(unauthorized)
  })
})

describe('logging in by password', () => {
  test('begins a session of at most 8 hours under a new ID and returns its start', async () => {
    const server = await startServer(database)
    const administrator = await makeAdministrator(server)
    const browser = server.openBrowser()

    expect(await logIn(browser, administrator)).toMatchObject({ requiresOtp: false })

    expect(await who(browser)).toEqual({ username: administrator.username, adminId: administrator.id, role: 'owner' })
    const { loginTime, ...status } = await browser.call(contract.adminLoginStatus, {})
    expect(status).toEqual({ isLoggedIn: true, username: administrator.username, role: 'owner' })
    const session = await database.orm.em.fork().findOneOrFail(WebSession, hashSessionId(browser.cookie(COOKIE)!))
    expect(loginTime).toEqual(session.createdAt)
    const life = session.expiresAt.getTime() - session.createdAt.getTime()
    expect(Math.round(life / MINUTE)).toBe(8 * 60)

    // Half of it has passed; a user's session would be extended now.
    await sql(database.orm.em.fork(), `update web_sessions set data = jsonb_set(data, '{_expire}', to_jsonb($1::bigint))`, [
      Date.now() + HOUR,
    ])
    await who(browser)
    expect((await database.orm.em.fork().findOneOrFail(WebSession, session.idHash)).expiresAt).toEqual(session.expiresAt)
  })

  test('gives a new ID each time, and the previous one is invalid', async () => {
    const server = await startServer(database)
    const { browser, ...administrator } = await openAdministrator(server)
    const stolen = browser.cookie(COOKIE)!

    await logIn(browser, administrator)

    expect(browser.cookie(COOKIE)).not.toBe(stolen)
    await who(browser)
    await expect(who(withCookie(server, stolen))).rejects.toMatchObject(unauthorized)
  })

  test('a planted session ID is replaced', async () => {
    const server = await startServer(database)
    const administrator = await makeAdministrator(server)
    const browser = withCookie(server, 'planted-by-somebody-else')

    await logIn(browser, administrator)

    expect(browser.cookie(COOKIE)).not.toBe('planted-by-somebody-else')
    await expect(who(withCookie(server, 'planted-by-somebody-else'))).rejects.toMatchObject(unauthorized)
  })

  test('a wrong password and an unknown name return the same error, and both are audited', async () => {
    const server = await startServer(database)
    const administrator = await makeAdministrator(server)
    const unknown = { username: `${administrator.username}-not` }

    for (const { username } of [administrator, unknown]) {
      await expect(logIn(server.openBrowser(), { username }, 'a guess')).rejects.toMatchObject({
        status: 400,
        code: 'invalid_credentials',
        serverMessage: 'Invalid username or password.',
      })
      expect(await auditOf(username)).toMatchObject([
        { actor: 'visitor', action: 'admin.login_failed', ipAddress: '127.0.0.1', after: { reason: 'invalid_credentials' } },
      ])
    }
    expect(JSON.stringify(await auditOf(administrator.username))).not.toContain('a guess')
  })

  test('ten failures lock the account until the window ends, even if concurrent, and lock no other account', async () => {
    const server = await startServer(database)
    const victim = await makeAdministrator(server)
    const other = await makeAdministrator(server)

    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => logIn(server.openBrowser(), victim, 'a guess')))

    const codes = answers.map((answer) => (answer as PromiseRejectedResult).reason as { code: string })
    expect(codes.filter(({ code }) => code === 'invalid_credentials')).toHaveLength(10)
    expect(codes.filter(({ code }) => code === 'rate_limited')).toHaveLength(10)
    await expect(logIn(server.openBrowser(), victim)).rejects.toMatchObject({ status: 429, code: 'rate_limited' })
    expect(await auditOf(victim.username)).toHaveLength(21)
    await logIn(server.openBrowser(), other)

    await endRateLimits(database)
    await logIn(server.openBrowser(), victim)
  })
})

describe('logging in with an authenticator', () => {
  test('is a half-login without rights until the code is shown; each step has its own session ID', async () => {
    const server = await startServer(database)
    const administrator = await makeAdministrator(server, { otp: true })
    const browser = server.openBrowser()

    expect(await logIn(browser, administrator)).toMatchObject({ requiresOtp: true })
    const half = browser.cookie(COOKIE)!
    expect(await auditOf(administrator.username), 'a guessed password is seen without a code').toMatchObject([
      { actor: 'visitor', action: 'admin.password_accepted', ipAddress: '127.0.0.1' },
    ])
    await expect(who(browser)).rejects.toMatchObject(unauthorized)
    await expect(browser.call(contract.getIpAccess, {})).rejects.toMatchObject(unauthorized)
    expect(await browser.call(contract.adminLoginStatus, {})).toMatchObject({ isLoggedIn: false })

    await verify(browser, await administrator.code())
    expect(browser.cookie(COOKIE)).not.toBe(half)
    expect(await who(browser)).toMatchObject({ username: administrator.username })
    await expect(who(withCookie(server, half))).rejects.toMatchObject(unauthorized)
    expect((await auditOf(administrator.username)).map(({ action }) => action)).toEqual([
      'admin.password_accepted',
      'admin.login',
    ])
  })

  test('an existing session of another account ends when the password is shown', async () => {
    const server = await startServer(database)
    const { browser } = await openAdministrator(server)
    const administrator = await makeAdministrator(server, { otp: true })

    await logIn(browser, administrator)

    await expect(who(browser)).rejects.toMatchObject(unauthorized)
  })

  test('the code is refused without the password, in another browser, after 5 minutes, and a second time', async () => {
    const server = await startServer(database)
    const administrator = await makeAdministrator(server, { otp: true })
    const browser = server.openBrowser()
    const expired = { status: 403, code: 'login_expired', serverMessage: 'Your login has expired. Please log in again.' }

    await expect(verify(browser, await administrator.code())).rejects.toMatchObject(expired)
    await logIn(browser, administrator)
    await expect(verify(server.openBrowser(), await administrator.code())).rejects.toMatchObject(expired)
    server.clock.advance(5 * MINUTE)
    await expect(verify(browser, await administrator.code())).rejects.toMatchObject(expired)

    await logIn(browser, administrator)
    const half = browser.cookie(COOKIE)
    await verify(browser, await administrator.code())
    await expect(verify(withCookie(server, half), await administrator.code())).rejects.toMatchObject(expired)
  })

  test('of two concurrent logins with one code, one succeeds', async () => {
    const server = await startServer(database)
    const administrator = await makeAdministrator(server, { otp: true })
    const browsers = [server.openBrowser(), server.openBrowser()]
    for (const browser of browsers) await logIn(browser, administrator)
    const token = await administrator.code()

    const answers = await Promise.allSettled(browsers.map((browser) => verify(browser, token)))

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('a half-login is completed once, even if another valid code arrives before its session has ended', async () => {
    const server = await startServer(database)
    const administrator = await makeAdministrator(server, { otp: true })
    await logIn(server.openBrowser(), administrator)
    const { sessionKey } = await database.orm.em.fork().findOneOrFail(HalfLogin, { administrator: administrator.id })
    const complete = async () => {
      const code = { sessionKey, token: await administrator.code(), encryptionKey: TEST_ENCRYPTION_KEY, browserToken: 'x' }
      return database.orm.em
        .fork()
        .transactional((em) => completeHalfLogin(em, { ...code, clientAddress: '127.0.0.1', now: server.clock.now() }))
    }

    expect(await complete()).toEqual({ id: administrator.id, epoch: 0 })
    expect(await complete()).toMatchObject({ code: 'login_expired' })
  })

  test('five wrong codes over all logins lock the account for 15 minutes, and each failure is audited', async () => {
    const server = await startServer(database)
    const administrator = await makeAdministrator(server, { otp: true })
    const browser = server.openBrowser()
    for (const tries of [3, 2]) {
      await logIn(browser, administrator)
      for (let index = 0; index < tries; index += 1) {
        await expect(verify(browser, await administrator.wrongCode())).rejects.toMatchObject({
          status: 400,
          code: 'otp_invalid',
          serverMessage: 'Invalid verification code. Please try again.',
        })
      }
    }

    await logIn(browser, administrator)
    await expect(verify(browser, await administrator.code())).rejects.toMatchObject({ status: 429, code: 'otp_locked' })
    const failed = (await auditOf(administrator.username)).filter(({ action }) => action === 'admin.login_failed')
    expect(failed.map(({ after }) => (after as { reason: string }).reason)).toEqual([
      ...Array.from({ length: 5 }, () => 'otp_invalid'),
      'otp_locked',
    ])

    server.clock.advance(15 * MINUTE)
    await logInAdministrator(browser, administrator)
    await who(browser)
  })

  test('one half-login has five tries, even if they are concurrent', async () => {
    const server = await startServer(database)
    const administrator = await makeAdministrator(server, { otp: true })
    const browser = server.openBrowser()
    await logIn(browser, administrator)
    // Otherwise the account's own lock would stop the guesses.
    await sql(database.orm.em.fork(), 'update administrators set otp_failures = -100 where id = $1', [administrator.id])
    const guess = await administrator.wrongCode()

    const answers = await Promise.allSettled(Array.from({ length: 8 }, () => verify(browser, guess)))

    const codes = answers.map((answer) => ((answer as PromiseRejectedResult).reason as { code: string }).code)
    expect(codes.toSorted()).toEqual([...Array(3).fill('login_expired'), ...Array(5).fill('otp_invalid')])
  })
})

describe('a known browser of the administrator', () => {
  /** Logs in and out again, so that the browser keeps only its device cookie. */
  async function openKnown(server: TestServer, options?: { otp?: boolean }) {
    const administrator = await openAdministrator(server, options)
    await administrator.browser.call(contract.adminLogout, {})
    return administrator
  }

  test('can log in though guesses from unknown browsers have used up their tries and the logins of its network', async () => {
    const server = await startServer(database, { env: { TRUSTED_PROXIES: '1', RATE_LIMITS: 'admin_login_ip=20/900' } })
    const owner = await openKnown(server, { otp: true })
    const from = (browser: TestBrowser, password: string) =>
      browser.fetch(server.url + contract.adminLogin.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.60' },
        body: JSON.stringify({ username: owner.username, password }),
      })
    for (let tries = 0; tries < 21; tries += 1) await from(server.openBrowser(), 'a guess')
    expect((await from(server.openBrowser(), TEST_PASSWORD)).status).toBe(429)

    expect((await from(owner.browser, TEST_PASSWORD)).status).toBe(200)
    await verify(owner.browser, await owner.code())
    await owner.browser.call(contract.changeAdminCredentials, {
      body: { currentPassword: TEST_PASSWORD, newPassword: 'another' },
    })
    await logIn(owner.browser, owner, 'another')
  })

  test('is not locked by a password thief’s wrong authenticator codes', async () => {
    const server = await startServer(database)
    const owner = await openKnown(server, { otp: true })
    const thief = server.openBrowser()
    await logIn(thief, owner)
    for (let tries = 0; tries < 5; tries += 1) await verify(thief, await owner.wrongCode()).catch(codeOf)
    await logIn(thief, owner)
    await expect(verify(thief, await owner.wrongCode())).rejects.toMatchObject({ code: 'otp_locked' })

    await logInAdministrator(owner.browser, owner)
    await who(owner.browser)
  })

  test('has its own limits, and becomes unknown when the credentials are changed elsewhere', async () => {
    const server = await startServer(database, { env: { RATE_LIMITS: 'admin_login_failures=2/900' } })
    const owner = await openKnown(server)
    for (let tries = 0; tries < 2; tries += 1)
      expect(await logIn(owner.browser, owner, 'a guess').catch(codeOf)).toBe('invalid_credentials')
    expect(await logIn(owner.browser, owner).catch(codeOf)).toBe('rate_limited')

    const elsewhere = server.openBrowser()
    await logIn(elsewhere, owner)
    await elsewhere.call(contract.changeAdminCredentials, { body: { currentPassword: TEST_PASSWORD, newPassword: 'another' } })
    for (let tries = 0; tries < 2; tries += 1) await logIn(server.openBrowser(), owner, 'a guess').catch(codeOf)
    expect(await logIn(owner.browser, owner, 'another').catch(codeOf)).toBe('rate_limited')
    await endRateLimits(database)
    await logIn(owner.browser, owner, 'another')
  })
})

describe('logging out', () => {
  test('ends the session, invalidates its cookie, and always succeeds', async () => {
    const server = await startServer(database)
    const { browser, username } = await openAdministrator(server)
    const stolen = browser.cookie(COOKIE)!

    await browser.call(contract.adminLogout, {})
    await browser.call(contract.adminLogout, {})

    await expect(who(browser)).rejects.toMatchObject(unauthorized)
    await expect(who(withCookie(server, stolen))).rejects.toMatchObject(unauthorized)
    const logouts = await database.orm.em.fork().count(AuditEntry, { actor: `admin:${username}`, action: 'admin.logout' })
    expect(logouts).toBe(1)
  })
})
