import { setImmediate } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { login, logout } from '#shared/contract/identity.ts'
import { enableOtp, setupOtp, verifyOtp } from '#shared/contract/otp.ts'
import { beginPasskeyLogin } from '#shared/contract/passkeys.ts'
import { changePassword, forgotPassword, resetPassword } from '#shared/contract/password.ts'
import { DAY, HOUR, MINUTE, SECOND } from '#shared/dates.ts'
import { rateLimits } from '#api/platform/http/limitRate.ts'
import { sql } from '#api/platform/db/sql.ts'
import { KnownDevice } from '#api/entities/KnownDevice.ts'
import { untilLockWaits } from '#api/testing/lockWaits.ts'
import { TIME_STEP } from '../otp/findTimeStep.ts'
import { useDatabase } from '#api/testing/database.ts'
import { makeUser, TEST_PASSWORD } from '#api/testing/factories.ts'
import { mailedCode } from '#api/testing/mails.ts'
import { type Buyer, grantCaptcha, makeBuyer } from '#api/testing/people.ts'
import { startServer, type TestBrowser, type TestServer } from '#api/testing/server.ts'
import { codeOf } from '#api/testing/codeOf.ts'
import { endRateLimits } from '#api/testing/endRateLimits.ts'
import { testAuthenticator } from '#api/testing/testAuthenticator.ts'
import { MAX_KNOWN_DEVICES } from '../devices/knownDevices.ts'
import { verifyPassword } from './hashPassword.ts'

const database = useDatabase()

const NEW_PASSWORD = 'An0ther(word)'
const TRUSTED_PROXY = { env: { TRUSTED_PROXIES: '1' } }

const logIn = (browser: TestBrowser, email: string, password = TEST_PASSWORD) =>
  browser.call(login, { body: { email, password } })

/** Logs in and out again, so that the browser keeps only its device cookie. */
async function makeKnown(browser: TestBrowser, email: string, password = TEST_PASSWORD): Promise<TestBrowser> {
  await logIn(browser, email, password)
  await browser.call(logout, {})
  return browser
}

/** Sends a request without cookies from each of many addresses and returns the codes of the refusals. */
async function attack(server: TestServer, { method, path }: Endpoint, { body, times }: { body: object; times: number }) {
  const codes: (string | undefined)[] = []
  for (let first = 0; first < times; first += 100) {
    const answers = Array.from({ length: Math.min(100, times - first) }, async (_, index) => {
      const address = `198.${51 + Math.floor((first + index) / 250)}.100.${((first + index) % 250) + 1}`
      const answer = await fetch(server.url + path, {
        method,
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: JSON.stringify(body),
      })
      return ((await answer.json()) as { code?: string }).code
    })
    codes.push(...(await Promise.all(answers)))
  }
  return codes
}

const countOf = (codes: (string | undefined)[], code: string | undefined) => codes.filter((one) => one === code).length

describe('passwords guessed from unknown browsers', () => {
  test('200 guesses from many addresses neither lock out a known browser nor make it need a captcha', async () => {
    const server = await startServer(database, TRUSTED_PROXY)
    const { user } = await makeUser(database.orm.em.fork())
    const owner = await makeKnown(server.openBrowser(), user.email)

    const codes = await attack(server, login, { body: { email: user.email, password: 'Wr0ng!word' }, times: 200 })

    expect(countOf(codes, 'invalid_credentials')).toBe(rateLimits.captcha_login.points)
    expect(countOf(codes, 'captcha_required')).toBe(200 - rateLimits.captcha_login.points)
    await logIn(owner, user.email)
  })

  test('with solved captchas they get ten guesses in fifteen minutes, and the known browser can still log in', async () => {
    const server = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    const owner = await makeKnown(server.openBrowser(), user.email)
    const guesses: (string | undefined)[] = []
    for (let tries = 0; tries < 12; tries += 1) {
      const stranger = server.openBrowser()
      await grantCaptcha(server, stranger)
      guesses.push(await logIn(stranger, user.email, 'Wr0ng!word').then(() => undefined, codeOf))
    }

    expect(countOf(guesses, 'invalid_credentials')).toBe(10)
    expect(countOf(guesses, 'rate_limited')).toBe(2)
    await expect(logIn(server.openBrowser(), user.email)).rejects.toMatchObject({ code: 'rate_limited' })
    await logIn(owner, user.email)
  })

  test('unknown browsers on the network of a known browser do not use up its logins', async () => {
    const server = await startServer(database, { env: { TRUSTED_PROXIES: '1', RATE_LIMITS: 'login_ip=5/900' } })
    const { user } = await makeUser(database.orm.em.fork())
    const from = (browser: TestBrowser, password: string) =>
      browser.fetch(server.url + login.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': '203.0.113.50' },
        body: JSON.stringify({ email: user.email, password }),
      })
    const owner = server.openBrowser()
    await from(owner, TEST_PASSWORD)
    for (let tries = 0; tries < 6; tries += 1) await from(server.openBrowser(), 'Wr0ng!word')

    expect((await from(server.openBrowser(), TEST_PASSWORD)).status).toBe(429)
    expect((await from(owner, TEST_PASSWORD)).status).toBe(200)
  })

  test('unknown browsers on the network of a known browser do not use up its logins by passkey', async () => {
    const limits = 'login_ip=5/900 passkey_options_site=5/900'
    const server = await startServer(database, { env: { TRUSTED_PROXIES: '1', RATE_LIMITS: limits } })
    const { user } = await makeUser(database.orm.em.fork())
    const begin = async (browser: TestBrowser) =>
      (
        await browser.fetch(server.url + beginPasskeyLogin.path, {
          method: 'POST',
          headers: { 'x-forwarded-for': '203.0.113.51' },
        })
      ).status
    const owner = await makeKnown(server.openBrowser(), user.email)
    for (let tries = 0; tries < 6; tries += 1) await begin(server.openBrowser())

    expect(await begin(server.openBrowser())).toBe(429)
    const another = await makeKnown(server.openBrowser(), user.email)
    const calls: number[] = []
    for (const browser of [owner, another, owner, another, owner, another]) calls.push(await begin(browser))
    expect(calls, 'the browsers of one account share a limit').toEqual([200, 200, 200, 200, 200, 429])
  })

  test('strangers who fill the queue of hashes turn away no known browser that changes its password', async () => {
    const server = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    const owner = server.openBrowser()
    await logIn(owner, user.email)
    let isOver = false
    const guess = async () => {
      while (!isOver) await verifyPassword('a guess', undefined).catch(() => setImmediate())
    }
    const guesses = Promise.all(Array.from({ length: 40 }, guess))
    onTestFinished(async () => {
      isOver = true
      await guesses
    })

    await owner.call(changePassword, { body: { currentPassword: TEST_PASSWORD, newPassword: NEW_PASSWORD } })
  })

  test('a device cookie of another account or a forged one has no effect', async () => {
    const server = await startServer(database, { env: { RATE_LIMITS: 'login_failures=2/900 captcha_login=99/900' } })
    const [{ user: victim }, { user: thief }] = [await makeUser(database.orm.em.fork()), await makeUser(database.orm.em.fork())]
    const known = await makeKnown(server.openBrowser(), thief.email)
    const forged = server.openBrowser()
    forged.setCookie('browser', 'x'.repeat(43))

    for (const stranger of [server.openBrowser(), known]) await logIn(stranger, victim.email, 'Wr0ng!word').catch(codeOf)

    for (const stranger of [known, forged, server.openBrowser()])
      await expect(logIn(stranger, victim.email)).rejects.toMatchObject({ status: 429, code: 'rate_limited' })
  })

  test('a stolen device cookie has its own limits: it allows no more guesses and locks out only its device', async () => {
    const server = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    const [laptop, phone] = [await makeKnown(server.openBrowser(), user.email), await makeKnown(server.openBrowser(), user.email)]
    const thief = server.openBrowser()
    thief.setCookie('browser', phone.cookie('browser')!)
    const guesses: (string | undefined)[] = []
    for (let tries = 0; tries < 12; tries += 1) {
      if (tries >= 3) await grantCaptcha(server, thief)
      guesses.push(await logIn(thief, user.email, 'Wr0ng!word').then(() => undefined, codeOf))
    }

    expect(guesses).toEqual([...Array(10).fill('invalid_credentials'), 'rate_limited', 'rate_limited'])
    await expect(logIn(phone, user.email)).rejects.toMatchObject({ code: 'rate_limited' })
    await logIn(laptop, user.email)
    await logIn(server.openBrowser(), user.email)
  })

  test('an account knows at most ten browsers, so that the guesses of a day stay bounded', async () => {
    const server = await startServer(database, { env: { RATE_LIMITS: 'login_failures=2/900 captcha_login=99/900' } })
    const { user } = await makeUser(database.orm.em.fork())
    const browsers: TestBrowser[] = []
    for (let count = 0; count < MAX_KNOWN_DEVICES + 2; count += 1) {
      browsers.push(await makeKnown(server.openBrowser(), user.email))
      server.clock.advance(SECOND)
    }

    let guesses = 0
    for (const browser of [...browsers, server.openBrowser()])
      for (let tries = 0; tries < 3; tries += 1)
        if ((await logIn(browser, user.email, 'Wr0ng!word').then(() => undefined, codeOf)) === 'invalid_credentials') guesses += 1

    // The two oldest browsers are unknown again.
    expect(guesses).toBe((1 + MAX_KNOWN_DEVICES) * 2)
    // A window that began on the previous day ends within this day, so one more fits.
    const { points, seconds } = rateLimits.login_failures
    expect((1 + MAX_KNOWN_DEVICES) * points * (DAY / SECOND / seconds + 1)).toBeLessThanOrEqual(10_670)
  })

  test('a browser whose old password was verified before it was replaced stays unknown', async () => {
    const server = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    const waiting = await database.orm.em.fork().transactional(async (em) => {
      await sql(em, 'update users set session_epoch = session_epoch + 1 where id = $1', [user.id])
      const answer = logIn(server.openBrowser(), user.email)
      await untilLockWaits(database)
      return { answer }
    })
    await waiting.answer
    expect(await database.orm.em.fork().count(KnownDevice, { user: user.id })).toBe(0)
  })

  test('a changed password makes all other browsers unknown, a reset all but the one of the reset', async () => {
    const server = await startServer(database, { env: { RATE_LIMITS: 'login_failures=2/900 captcha_login=99/900' } })
    const { user } = await makeUser(database.orm.em.fork())
    const lockOut = async () => {
      await endRateLimits(database)
      for (let tries = 0; tries < 2; tries += 1) await logIn(server.openBrowser(), user.email, 'Wr0ng!word').catch(codeOf)
    }
    const [owner, other] = [server.openBrowser(), await makeKnown(server.openBrowser(), user.email)]
    await logIn(owner, user.email)

    await owner.call(changePassword, { body: { currentPassword: TEST_PASSWORD, newPassword: NEW_PASSWORD } })
    await lockOut()
    await logIn(owner, user.email, NEW_PASSWORD)
    await expect(logIn(other, user.email, NEW_PASSWORD)).rejects.toMatchObject({ code: 'rate_limited' })

    await other.call(forgotPassword, { body: { email: user.email } })
    const code = await mailedCode(database, user.email)
    await other.call(resetPassword, { body: { email: user.email, code, newPassword: TEST_PASSWORD } })
    await lockOut()
    await logIn(other, user.email, TEST_PASSWORD)
    await expect(logIn(owner, user.email, TEST_PASSWORD)).rejects.toMatchObject({ code: 'rate_limited' })
  })
})

test('the many networks of one IPv6 connection share a limit of mailed codes without a captcha', async () => {
  const server = await startServer(database, { env: { ...TRUSTED_PROXY.env, RATE_LIMITS: 'captcha_codes_site=3/3600' } })
  const askFrom = async (address: string) => {
    const answer = await fetch(server.url + forgotPassword.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ email: `${crypto.randomUUID()}@example.com` }),
    })
    return ((await answer.json()) as { code?: string }).code
  }
  for (const network of [1, 2, 3]) expect(await askFrom(`2001:db8:7:${network}::1`)).toBeUndefined()
  expect(await askFrom('2001:db8:7:4::1')).toBe('captcha_required')
  expect(await askFrom('2001:db8:8:1::1')).toBeUndefined()
})

test('the many networks of one IPv6 connection share a limit of logins without a captcha; a known browser has its own', async () => {
  const server = await startServer(database, { env: { ...TRUSTED_PROXY.env, RATE_LIMITS: 'captcha_login_site=3/900' } })
  const { user } = await makeUser(database.orm.em.fork())
  const owner = server.openBrowser()
  const tryFrom = async (
    address: string,
    { browser = server.openBrowser(), email = `${crypto.randomUUID()}@example.com` } = {},
  ) => {
    const answer = await browser.fetch(server.url + login.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ email, password: TEST_PASSWORD }),
    })
    return ((await answer.json()) as { code?: string }).code
  }
  expect(await tryFrom('2001:db8:9:1::1', { browser: owner, email: user.email })).toBeUndefined()

  for (const network of [1, 2, 3]) expect(await tryFrom(`2001:db8:9:${network}::1`)).toBe('invalid_credentials')
  expect(await tryFrom('2001:db8:9:4::1')).toBe('captcha_required')
  expect(await tryFrom('2001:db8:10:1::1')).toBe('invalid_credentials')
  expect(await tryFrom('2001:db8:9:1::1', { browser: owner, email: user.email })).toBeUndefined()
})

describe('reset codes requested and guessed from unknown browsers', () => {
  const forget = (browser: TestBrowser, email: string) => browser.call(forgotPassword, { body: { email } })
  const otherThan = (code: string) => (code === '000000' ? '111111' : '000000')

  test('ten codes and twenty wrong ones use up the daily limit of unknown browsers, not that of a known browser', async () => {
    const server = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    const { email } = user
    const owner = await makeKnown(server.openBrowser(), email)
    const stranger = server.openBrowser()
    const guesses: (string | undefined)[] = []
    for (let codes = 0; codes < 10; codes += 1) {
      await grantCaptcha(server, stranger)
      await forget(stranger, email)
      const code = otherThan(await mailedCode(database, email))
      for (let tries = 0; tries < 3; tries += 1)
        guesses.push(
          await stranger.call(resetPassword, { body: { email, code, newPassword: NEW_PASSWORD } }).then(() => undefined, codeOf),
        )
      server.clock.advance(MINUTE)
    }
    expect(countOf(guesses, 'code_invalid')).toBe(20)
    await grantCaptcha(server, stranger)
    await expect(forget(stranger, email)).rejects.toMatchObject({ code: 'rate_limited' })

    await forget(owner, email)
    const code = await mailedCode(database, email)
    await owner.call(resetPassword, { body: { email, code, newPassword: NEW_PASSWORD } })
    await logIn(owner, email, NEW_PASSWORD)
  })

  test('the code of a known browser is neither replaced by a later request of an unknown browser nor used up by wrong guesses', async () => {
    const server = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    const { email } = user
    const [owner, stranger] = [await makeKnown(server.openBrowser(), email), server.openBrowser()]
    await forget(owner, email)
    const code = await mailedCode(database, email)

    server.clock.advance(MINUTE)
    await forget(stranger, email)
    for (let tries = 0; tries < 5; tries += 1)
      await stranger.call(resetPassword, { body: { email, code: otherThan(code), newPassword: NEW_PASSWORD } }).catch(codeOf)
    // The code is correct, but was emailed for another browser: an unknown browser cannot use it.
    await expect(stranger.call(resetPassword, { body: { email, code, newPassword: NEW_PASSWORD } })).rejects.toMatchObject({
      code: 'code_invalid',
    })

    await owner.call(resetPassword, { body: { email, code, newPassword: NEW_PASSWORD } })
  })

  test('a known browser also gets ten codes and twenty wrong ones a day', async () => {
    const server = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    const { email } = user
    const owner = await makeKnown(server.openBrowser(), email)
    const guesses: (string | undefined)[] = []
    for (let codes = 0; codes < 10; codes += 1) {
      await grantCaptcha(server, owner)
      await forget(owner, email)
      const code = otherThan(await mailedCode(database, email))
      for (let tries = 0; tries < 3; tries += 1)
        guesses.push(
          await owner.call(resetPassword, { body: { email, code, newPassword: NEW_PASSWORD } }).then(() => undefined, codeOf),
        )
      server.clock.advance(MINUTE)
    }

    expect(countOf(guesses, 'code_invalid')).toBe(20)
    expect(countOf(guesses, 'rate_limited')).toBe(10)
    await grantCaptcha(server, owner)
    await expect(forget(owner, email)).rejects.toMatchObject({ code: 'rate_limited' })
    await forget(server.openBrowser(), email)
  })
})

describe('authenticator codes guessed with a stolen password', () => {
  const verify = (browser: TestBrowser, token: string) => browser.call(verifyOtp, { body: { token } })

  /** A user with a known browser that has shown a code of the authenticator. */
  async function makeOwner(server: TestServer): Promise<Buyer> {
    const buyer = await makeBuyer(server)
    await logIn(buyer.browser, buyer.user.email)
    await verify(buyer.browser, await buyer.code())
    return buyer
  }

  test('do not lock the browser that has shown a code; the thief is locked as before', async () => {
    const server = await startServer(database)
    const owner = await makeOwner(server)
    const thief = server.openBrowser()
    await logIn(thief, owner.user.email)
    for (let tries = 0; tries < 5; tries += 1)
      await expect(verify(thief, await owner.wrongCode())).rejects.toMatchObject({ code: 'otp_invalid' })

    await expect(verify(thief, await owner.wrongCode())).rejects.toMatchObject({ code: 'otp_locked' })
    await verify(owner.browser, await owner.code())
    await expect(verify(thief, await owner.wrongCode())).rejects.toMatchObject({ code: 'otp_locked' })
  })

  test.each([
    ['a minute', MINUTE],
    ['two hours', 2 * HOUR],
  ])('do not lock browsers that have shown one to a server whose clock is %s behind the database', async (_, by) => {
    const server = await startServer(database)
    const { browser, user } = await makeBuyer(server, { otp: false })
    await logIn(browser, user.email)
    server.clock.advance(-by)
    const { secret } = await browser.call(setupOtp, { body: {} })
    const { code, wrongCode } = testAuthenticator(server, secret)
    await browser.call(enableOtp, { body: { secret, token: await code() } })
    const other = server.openBrowser()
    await logIn(other, user.email)
    await verify(other, await code())
    const thief = server.openBrowser()
    await logIn(thief, user.email)
    for (let tries = 0; tries < 5; tries += 1) await verify(thief, await wrongCode()).catch(codeOf)

    await expect(verify(thief, await code())).rejects.toMatchObject({ code: 'otp_locked' })
    await verify(browser, await code())
    await verify(other, await code())
  })

  test('get five tries, however many browsers the thief logs in from', async () => {
    const server = await startServer(database)
    const owner = await makeOwner(server)
    const guesses: (string | undefined)[] = []
    for (let browsers = 0; browsers < MAX_KNOWN_DEVICES + 2; browsers += 1) {
      const thief = await makeKnown(server.openBrowser(), owner.user.email)
      await logIn(thief, owner.user.email)
      guesses.push(await verify(thief, await owner.wrongCode()).then(() => undefined, codeOf))
      server.clock.advance(SECOND)
    }

    expect(countOf(guesses, 'otp_invalid')).toBe(5)
    // The thief's browsers do not displace the owner's either.
    for (let tries = 0; tries < 10; tries += 1) {
      const stranger = server.openBrowser()
      await grantCaptcha(server, stranger)
      await logIn(stranger, owner.user.email, 'Wr0ng!word').catch(codeOf)
    }
    await logIn(owner.browser, owner.user.email)
    await verify(owner.browser, await owner.code())
  })

  test('a known browser that guesses has its own lock: five codes, then 15 minutes, an hour, a day', async () => {
    const server = await startServer(database)
    const owner = await makeOwner(server)
    for (const minutes of [15, 60, 24 * 60]) {
      const guess = await owner.wrongCode()
      const answers = Array.from({ length: 8 }, () => verify(owner.browser, guess).then(() => undefined, codeOf))
      const codes = await Promise.all(answers)
      expect([countOf(codes, 'otp_invalid'), countOf(codes, 'otp_locked')]).toEqual([5, 3])
      server.clock.advance(minutes * MINUTE - TIME_STEP)
      await expect(verify(owner.browser, await owner.codeAt(0))).rejects.toMatchObject({ code: 'otp_locked' })
      server.clock.advance(TIME_STEP)
    }
    await verify(owner.browser, await owner.code())
  })
})

test('the 60 authenticator calls and ten wrong passwords of a stolen session do not use up those of a known browser', async () => {
  const server = await startServer(database, { env: { RATE_LIMITS: 'otp=3/900 password=2/900' } })
  const owner = await makeBuyer(server)
  await logIn(owner.browser, owner.user.email)
  await owner.browser.call(verifyOtp, { body: { token: await owner.code() } })
  const thief = server.openBrowser()
  thief.setCookie('user_session', owner.browser.cookie('user_session')!)
  const change = (browser: TestBrowser, currentPassword: string) =>
    browser.call(changePassword, { body: { currentPassword, newPassword: NEW_PASSWORD } })
  for (let tries = 0; tries < 4; tries += 1) {
    await thief.call(verifyOtp, { body: { token: await owner.wrongCode() } }).catch(codeOf)
    await change(thief, 'Wr0ng!word').catch(codeOf)
  }
  await expect(change(thief, TEST_PASSWORD)).rejects.toMatchObject({ code: 'rate_limited' })

  await owner.browser.call(verifyOtp, { body: { token: await owner.code() } })
  await change(owner.browser, TEST_PASSWORD)
})
