import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { getAuthUser, login, sendVerificationCode, verifyCode } from '#shared/contract/identity.ts'
import { renewRecoveryCodes } from '#shared/contract/otp.ts'
import { changePassword, forgotPassword, resetPassword } from '#shared/contract/password.ts'
import { DAY, MINUTE, SECOND } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { EmailCode } from '#api/entities/EmailCode.ts'
import { OutgoingMail } from '#api/platform/tables/OutgoingMail.ts'
import { User } from '#api/entities/User.ts'
import { WebSession } from '#api/platform/tables/WebSession.ts'
import { useDatabase } from '#api/testing/database.ts'
import { makeUser, TEST_PASSWORD } from '#api/testing/factories.ts'
import { untilLockWaits } from '#api/testing/lockWaits.ts'
import { mailedCode, mailsTo } from '#api/testing/mails.ts'
import { grantCaptcha, logIn, makeBuyer } from '#api/testing/people.ts'
import { startServer, type TestBrowser, type TestServer } from '#api/testing/server.ts'
import { codeOf } from '#api/testing/codeOf.ts'
import { endRateLimits } from '#api/testing/endRateLimits.ts'
import { hashPassword } from './hashPassword.ts'

const database = useDatabase()

const NEW_PASSWORD = 'An0ther(word)'

const whoAmI = (browser: TestBrowser) => browser.call(getAuthUser, {})
const logInWith = (browser: TestBrowser, email: string, password: string) => browser.call(login, { body: { email, password } })
const change = (browser: TestBrowser, currentPassword = TEST_PASSWORD, newPassword = NEW_PASSWORD) =>
  browser.call(changePassword, { body: { currentPassword, newPassword } })
const userOf = (id: string) => database.orm.em.fork().findOneOrFail(User, id)

/** Takes all places among the hashes, until the returned function is called. */
function keepHashing(): () => Promise<void> {
  let isOn = true
  const hashers = Array.from({ length: 40 }, async () => {
    while (isOn) await hashPassword('a').catch(() => nextTurn())
  })
  const stop = async () => {
    isOn = false
    await Promise.all(hashers)
  }
  onTestFinished(stop)
  return stop
}

describe('changing the password', () => {
  test('requires the current one; then only the new one logs in', async () => {
    const server = await startServer(database)
    const { browser, user } = await makeBuyer(server)

    expect(await change(browser)).toEqual({ message: expect.any(String) })

    const elsewhere = server.openBrowser()
    await expect(logInWith(elsewhere, user.email, TEST_PASSWORD)).rejects.toMatchObject({ code: 'invalid_credentials' })
    await logInWith(elsewhere, user.email, NEW_PASSWORD)
  })

  test('keeps this session under a new ID, ends all others, and invalidates a copy of the old cookie', async () => {
    const server = await startServer(database)
    const { browser, user } = await makeBuyer(server)
    const [elsewhere, thief] = [server.openBrowser(), server.openBrowser()]
    await logIn(server, elsewhere, user)
    const before = browser.cookie('user_session')!
    thief.setCookie('user_session', before)

    await change(browser)

    expect(browser.cookie('user_session')).not.toBe(before)
    expect(await whoAmI(browser)).toMatchObject({ id: user.id })
    await expect(whoAmI(elsewhere)).rejects.toMatchObject({ status: 401 })
    await expect(whoAmI(thief)).rejects.toMatchObject({ status: 401 })
    // The new epoch also ends a session of a concurrent login with the old password.
    expect((await userOf(user.id)).sessionEpoch).toBe(user.sessionEpoch + 1)
    expect(await database.orm.em.fork().count(WebSession, { accountId: user.id })).toBe(1)
  })

  test('is emailed to the owner and audited, without either password', async () => {
    const server = await startServer(database)
    const { browser, user } = await makeBuyer(server)

    await change(browser)

    const mails = await mailsTo(database, user.email)
    expect(mails.map(({ subject }) => subject)).toEqual(['Your password was changed'])
    const em = database.orm.em.fork()
    const audited = await em.find(AuditEntry, { actor: `user:${user.email}` })
    expect(audited).toMatchObject([{ action: 'password.change', ipAddress: '127.0.0.1' }])
    for (const written of [JSON.stringify(mails), JSON.stringify(audited)]) {
      expect(written).not.toContain(NEW_PASSWORD)
      expect(written).not.toContain(TEST_PASSWORD)
    }
  })

  test('a wrong current password is refused with an error that clients do not take for a lost session, and changes nothing', async () => {
    const server = await startServer(database)
    const { browser, user } = await makeBuyer(server)

    const error = await change(browser, 'Wr0ng!word').catch((error: Error) => error)

    expect(error).toMatchObject({ status: 400, code: 'invalid_credentials', serverMessage: 'The current password is incorrect.' })
    expect((error as Error).message).not.toContain('Unauthorized')
    expect(await userOf(user.id)).toMatchObject({ passwordHash: user.passwordHash, sessionEpoch: user.sessionEpoch })
  })

  test('each violated rule of a new password returns its specified message', async () => {
    const server = await startServer(database)
    const { browser } = await makeBuyer(server)
    const refusals = {
      'Sh0rt!': 'New password must be at least 8 characters long.',
      'l0wercase!': 'Password must contain at least one uppercase letter.',
      'UPPERCASE0!': 'Password must contain at least one lowercase letter.',
      'NoNumber!': 'Password must contain at least one number.',
      N0SpecialLetter: 'Password must contain at least one special character (!@#$%^&*(),.?":{}|<>).',
    }

    for (const [newPassword, message] of Object.entries(refusals)) {
      const answer = await browser.fetch(server.url + changePassword.path, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ currentPassword: TEST_PASSWORD, newPassword }),
      })
      expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([400, message])
    }
  })

  test('allows ten wrong guesses in fifteen minutes per account', async () => {
    const server = await startServer(database)
    const [victim, other] = [await makeBuyer(server), await makeBuyer(server)]

    const guesses = await Promise.all(Array.from({ length: 14 }, () => change(victim.browser, 'Wr0ng!word').catch(codeOf)))

    expect(guesses.filter((code) => code === 'invalid_credentials')).toHaveLength(10)
    await expect(change(victim.browser)).rejects.toMatchObject({ status: 429, code: 'rate_limited' })
    await change(other.browser)
    await endRateLimits(database)
    await change(victim.browser)
  })

  test('of two concurrent changes one succeeds, and its password is valid', async () => {
    const server = await startServer(database)
    const { browser, user } = await makeBuyer(server)
    const second = server.openBrowser()
    await logIn(server, second, user)
    const passwords = ['F1rst(word)', 'Sec0nd(word)']

    const answers = await Promise.allSettled([
      change(browser, TEST_PASSWORD, passwords[0]),
      change(second, TEST_PASSWORD, passwords[1]),
    ])

    const winner = answers.findIndex(({ status }) => status === 'fulfilled')
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await logInWith(server.openBrowser(), user.email, passwords[winner]!)
  })
})

const forget = (browser: TestBrowser, email: string) => browser.call(forgotPassword, { body: { email } })
const reset = (browser: TestBrowser, body: { email: string; code: string; token?: string; newPassword?: string }) =>
  browser.call(resetPassword, { body: { newPassword: NEW_PASSWORD, ...body } })

async function askForCode(server: TestServer, email: string): Promise<string> {
  await forget(server.openBrowser(), email)
  return mailedCode(database, email)
}

const otherThan = (code: string) => (code === '000000' ? '111111' : '000000')

describe('a forgotten password', () => {
  test('is reset with an emailed code: the new one logs in, all sessions end, the owner is notified', async () => {
    const server = await startServer(database)
    const { browser, user } = await makeBuyer(server, { otp: false })
    const code = await askForCode(server, user.email)

    await reset(server.openBrowser(), { email: user.email, code })

    await expect(whoAmI(browser)).rejects.toMatchObject({ status: 401 })
    expect((await userOf(user.id)).sessionEpoch).toBe(user.sessionEpoch + 1)
    expect(await database.orm.em.fork().count(WebSession, { accountId: user.id })).toBe(0)
    await expect(logInWith(browser, user.email, TEST_PASSWORD)).rejects.toMatchObject({ code: 'invalid_credentials' })
    await logInWith(browser, user.email, NEW_PASSWORD)
    const em = database.orm.em.fork()
    expect(await em.count(OutgoingMail, { to: user.email, subject: 'A new password was set for your account' })).toBe(1)
    expect(await em.count(AuditEntry, { actor: `user:${user.email}`, action: 'password.reset' })).toBe(1)
  })

  test('the code email uses the page’s language, the notification the account’s', async () => {
    const server = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    const browser = server.openBrowser()
    await browser.call(forgotPassword, { body: { email: user.email } }, { headers: { 'accept-language': 'ko' } })
    expect(await mailsTo(database, user.email)).toMatchObject([{ subject: '비밀번호 재설정 코드' }])

    const code = await mailedCode(database, user.email)
    await browser.call(
      resetPassword,
      { body: { email: user.email, code, newPassword: NEW_PASSWORD } },
      { headers: { 'accept-language': 'ko' } },
    )
    expect((await mailsTo(database, user.email))[0]).toMatchObject({ subject: 'A new password was set for your account' })
  })

  test('requires a manual review of withdrawals for a day', async () => {
    const server = await startServer(database)
    const { user } = await makeBuyer(server, { otp: false })

    await reset(server.openBrowser(), { email: user.email, code: await askForCode(server, user.email) })

    expect((await userOf(user.id)).withdrawalsReviewedUntil).toEqual(new Date(server.clock.now().getTime() + DAY))
  })

  test('requires a code of an enabled authenticator; the emailed code stays valid meanwhile', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const { email } = buyer.user
    const browser = server.openBrowser()
    const code = await askForCode(server, email)
    const token = await buyer.code()

    await expect(reset(browser, { email, code })).rejects.toMatchObject({ status: 403, code: 'otp_required' })
    await expect(reset(browser, { email, code, token: otherThan(token) })).rejects.toMatchObject({
      status: 400,
      code: 'otp_invalid',
    })
    expect(await userOf(buyer.user.id)).toMatchObject({ passwordHash: buyer.user.passwordHash, otpFailures: 1 })
    await reset(browser, { email, code, token })
    await logInWith(browser, email, NEW_PASSWORD)
  })

  test('a reset that waits while the authenticator is being enabled requires its code', async () => {
    const server = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    const code = await askForCode(server, user.email)
    const waiting = await database.orm.em.fork().transactional(async (em) => {
      await sql(em, `update users set otp_secret = 'a secret', otp_enabled_at = now() where id = $1`, [user.id])
      const answer = reset(server.openBrowser(), { email: user.email, code }).catch((error: unknown) => error)
      await untilLockWaits(database)
      return { answer }
    })
    expect(await waiting.answer).toMatchObject({ status: 403, code: 'otp_required' })
    expect(await userOf(user.id)).toMatchObject({ passwordHash: user.passwordHash })
  })

  test('accepts a recovery code instead of the authenticator’s, and a locked authenticator stays locked', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const { email } = buyer.user
    await buyer.grantMark()
    const [recoveryCode = ''] = (await buyer.browser.call(renewRecoveryCodes, {})).codes
    const code = await (async () => {
      await forget(server.openBrowser(), email)
      const mail = (await mailsTo(database, email)).find(({ subject }) => subject === 'Your code to set a new password')
      return /\d{6}/.exec(mail!.text)![0]
    })()
    const browser = server.openBrowser()

    for (let tries = 0; tries < 5; tries++) await reset(browser, { email, code, token: 'AAAAA-AAAAA' }).catch(codeOf)
    await expect(reset(browser, { email, code, token: recoveryCode })).rejects.toMatchObject({ status: 429, code: 'otp_locked' })
    await sql(database.orm.em.fork(), 'update users set otp_locked_until = null where email = $1', [email])
    await reset(browser, { email, code, token: recoveryCode })

    await logInWith(browser, email, NEW_PASSWORD)
  })

  test('the responses for an address without an account are the same at each step', async () => {
    const server = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    const unknown = 'nobody-there@example.com'
    const raw = async ({ path }: { path: string }, body: object) => {
      const answer = await fetch(server.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      const headers = [...answer.headers].filter(([name]) => !['date', 'content-length'].includes(name))
      return { status: answer.status, body: await answer.text(), headers }
    }
    const guess = { code: 'xxxxxx', newPassword: NEW_PASSWORD }

    for (const step of [
      (email: string) => raw(resetPassword, { email, ...guess }),
      (email: string) => raw(forgotPassword, { email }),
      (email: string) => raw(forgotPassword, { email }),
      (email: string) => raw(resetPassword, { email, ...guess }),
    ]) {
      expect(await step(unknown)).toEqual(await step(user.email))
    }
    expect(await mailsTo(database, unknown)).toEqual([])
    expect(await mailsTo(database, user.email)).toHaveLength(1)
    expect(await database.orm.em.fork().count(EmailCode, { email: unknown })).toBe(1)
  })

  test('a request for an address whose code nobody requested takes no place among the hashes', async () => {
    const server = await startServer(database)
    const guess = { email: 'nobody-asked@example.com', code: '123456', newPassword: NEW_PASSWORD }
    const tryReset = () => reset(server.openBrowser(), guess).catch(codeOf)
    const freePlaces = keepHashing()

    expect(await tryReset()).toBe('code_invalid')
    await server.openBrowser().call(forgotPassword, { body: { email: guess.email } })
    expect(await tryReset()).toBe('busy')

    await freePlaces()
    expect(await tryReset()).toBe('code_invalid')
  })

  test('a code is valid for ten minutes, works once, and is replaced by a newer one', async () => {
    const server = await startServer(database)
    const browser = server.openBrowser()
    const { user } = await makeUser(database.orm.em.fork())
    const refused = {
      status: 400,
      code: 'code_invalid',
      serverMessage: 'This code is no longer valid. Please request a new one.',
    }

    const late = await askForCode(server, user.email)
    server.clock.advance(10 * MINUTE)
    await expect(reset(browser, { email: user.email, code: late })).rejects.toMatchObject(refused)

    const older = await askForCode(server, user.email)
    server.clock.advance(MINUTE)
    const newer = await askForCode(server, user.email)
    if (older !== newer)
      await expect(reset(browser, { email: user.email, code: older })).rejects.toMatchObject({ code: 'code_invalid' })
    await reset(browser, { email: user.email, code: newer })
    await expect(reset(browser, { email: user.email, code: newer })).rejects.toMatchObject(refused)
  })

  test('another code is emailed only after 60 seconds', async () => {
    const server = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    await askForCode(server, user.email)

    server.clock.advance(59 * SECOND)
    await forget(server.openBrowser(), user.email)
    expect(await mailsTo(database, user.email)).toHaveLength(1)
    server.clock.advance(SECOND)
    await forget(server.openBrowser(), user.email)
    expect(await mailsTo(database, user.email)).toHaveLength(2)
  })

  test('concurrent guesses get five tries, then the code is invalid', async () => {
    const server = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    const code = await askForCode(server, user.email)

    await Promise.all(
      Array.from({ length: 10 }, () => reset(server.openBrowser(), { email: user.email, code: otherThan(code) }).catch(codeOf)),
    )

    expect((await database.orm.em.fork().findOneOrFail(EmailCode, { email: user.email })).wrongTries).toBe(5)
    await expect(reset(server.openBrowser(), { email: user.email, code })).rejects.toMatchObject({ code: 'code_invalid' })
  })

  test('an address gets 20 wrong tries and 10 codes a day; other addresses and sign-up codes are not affected', async () => {
    const server = await startServer(database)
    const [{ user }, { user: other }] = [await makeUser(database.orm.em.fork()), await makeUser(database.orm.em.fork())]
    const browser = server.openBrowser()
    const errors: (string | undefined)[] = []
    for (let codes = 0; codes < 10; codes++) {
      await grantCaptcha(server, browser)
      await forget(browser, user.email)
      for (let tries = 0; tries < 3; tries++) {
        const code = otherThan(await mailedCode(database, user.email))
        errors.push(await reset(browser, { email: user.email, code }).then(() => undefined, codeOf))
      }
      server.clock.advance(MINUTE)
    }

    expect(errors.filter((code) => code === 'code_invalid')).toHaveLength(20)
    expect(errors.filter((code) => code === 'rate_limited')).toHaveLength(10)
    await grantCaptcha(server, browser)
    await expect(forget(browser, user.email)).rejects.toMatchObject({ status: 429, code: 'rate_limited' })
    await reset(browser, { email: other.email, code: await askForCode(server, other.email) })
    await endRateLimits(database)
    await reset(browser, { email: user.email, code: await askForCode(server, user.email) })
  })

  test('a sign-up code resets no password, and a reset code verifies no address', async () => {
    const server = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    const browser = server.openBrowser()
    const email = 'someone-new@example.com'
    await browser.call(sendVerificationCode, { body: { email } })
    const signUpCode = await mailedCode(database, email)
    const resetCode = await askForCode(server, user.email)

    await expect(reset(browser, { email, code: signUpCode })).rejects.toMatchObject({ code: 'code_invalid' })
    await expect(browser.call(verifyCode, { body: { email: user.email, code: resetCode } })).rejects.toMatchObject({
      code: 'code_invalid',
    })
  })

  test('a user locked out by guesses may log in with the new password at once', async () => {
    const server = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    const browser = server.openBrowser()
    for (let tries = 0; tries < 10; tries++) {
      await grantCaptcha(server, browser)
      await logInWith(browser, user.email, 'Wr0ng!word').catch(codeOf)
    }
    await expect(logInWith(browser, user.email, TEST_PASSWORD)).rejects.toMatchObject({ status: 429 })

    await reset(browser, { email: user.email, code: await askForCode(server, user.email) })

    await logInWith(browser, user.email, NEW_PASSWORD)
  })
})
