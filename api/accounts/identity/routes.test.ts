import { describe, expect, test } from 'vitest'
import * as contract from '#shared/contract/identity.ts'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { EmailCode } from '#api/entities/EmailCode.ts'
import { User } from '#api/entities/User.ts'
import { VerifiedEmail } from '#api/entities/VerifiedEmail.ts'
import { WebSession } from '#api/platform/tables/WebSession.ts'
import { useDatabase } from '#api/testing/database.ts'
import { makeUser, TEST_PASSWORD } from '#api/testing/factories.ts'
import { mailedCode, mailsTo } from '#api/testing/mails.ts'
import { grantCaptcha, makeBuyer } from '#api/testing/people.ts'
import { startServer, type TestBrowser } from '#api/testing/server.ts'
import { codeOf } from '#api/testing/codeOf.ts'
import { endRateLimits } from '#api/testing/endRateLimits.ts'
import { registerUser } from './registerUser.ts'

const database = useDatabase()

let addresses = 0
const newEmail = () => `visitor${++addresses}@example.com`

const sendCode = (browser: TestBrowser, email: string) => browser.call(contract.sendVerificationCode, { body: { email } })
const verifyCode = (browser: TestBrowser, email: string, code: string) =>
  browser.call(contract.verifyCode, { body: { email, code } })
const register = (browser: TestBrowser, email: string, password = TEST_PASSWORD) =>
  browser.call(contract.register, { body: { email, password } })
const logIn = (browser: TestBrowser, email: string, password = TEST_PASSWORD) =>
  browser.call(contract.login, { body: { email, password } })
const whoAmI = (browser: TestBrowser) => browser.call(contract.getAuthUser, {})

async function verifyEmail(browser: TestBrowser, email: string) {
  await sendCode(browser, email)
  await verifyCode(browser, email, await mailedCode(database, email))
}

/** Sends requests that our own client would reject, because it validates its input first. */
const post = (url: string, { path }: { path: string }, body: object, send = fetch) =>
  send(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

const otherThan = (code: string) => (code === '000000' ? '111111' : '000000')

describe('signing up', () => {
  test('takes the emailed code and a password, and logs in', async () => {
    const { openBrowser } = await startServer(database)
    const browser = openBrowser()
    const email = newEmail()

    await verifyEmail(browser, email)
    expect(await register(browser, email)).toEqual({ email })

    expect(await whoAmI(browser)).toEqual({
      id: expect.any(String),
      email,
      walletAddress: null,
      walletProven: false,
      balance: { availableXcr: 0n, totalEarnedXcr: 0n },
      totalNodes: 0,
      withdrawn: { totalAmount: 0n, count: 0 },
    })
    const user = await database.orm.em.fork().findOneOrFail(User, { email })
    expect(user.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })

  test('the code email uses the page’s language, and so do emails to the new account', async () => {
    const { openBrowser } = await startServer(database)
    const signUp = async (headers: Record<string, string>) => {
      const browser = openBrowser()
      const email = newEmail()
      await browser.call(contract.sendVerificationCode, { body: { email } }, { headers })
      const [mail] = await mailsTo(database, email)
      await verifyCode(browser, email, await mailedCode(database, email))
      await browser.call(contract.register, { body: { email, password: TEST_PASSWORD } }, { headers })
      const { language } = await database.orm.em.fork().findOneOrFail(User, { email })
      return { subject: mail!.subject, text: mail!.text.replace(/\d{6}/, '…'), language }
    }

    const english = {
      subject: 'Your verification code',
      text: `This is your code to sign up:

…

It expires in 10 minutes and works once. Didn't request it? Ignore this email.

XCR Nodes
Questions? support@example.com`,
      language: 'en',
    }
    const korean = {
      subject: '이메일 인증 코드',
      text: `회원가입을 위한 인증 코드입니다:

…

이 코드는 10분 동안 한 번만 사용하실 수 있습니다. 직접 요청하지 않으셨다면 이 이메일을 무시하세요.

XCR Nodes
문의: support@example.com`,
      language: 'ko',
    }
    expect(await signUp({ 'accept-language': 'en' })).toEqual(english)
    expect(await signUp({ 'accept-language': 'ko' })).toEqual(korean)
    // Accept-Language headers of other clients: several languages, or none that we support.
    expect(await signUp({ 'accept-language': 'ko-KR,ko;q=0.9,en-US;q=0.8' })).toEqual(korean)
    for (const unknown of ['', 'fr', '*', 'klingon;;q=,', 'x'.repeat(5_000)])
      expect(await signUp({ 'accept-language': unknown })).toEqual(english)
  })

  test('the email contains the code as its first six-digit number; the database does not contain it', async () => {
    const { openBrowser } = await startServer(database)
    const email = newEmail()

    const answer = await sendCode(openBrowser(), email)

    expect(answer.expiresInSeconds).toBe(600)
    const [mail] = await mailsTo(database, email)
    const code = await mailedCode(database, email)
    expect(mail!.html).toContain(code)
    const stored = await database.orm.em.fork().findOneOrFail(EmailCode, { email })
    expect(JSON.stringify(stored)).not.toContain(code)
    expect(stored.codeHash).toMatch(/^[0-9a-f]{64}$/)
  })

  test('whoever has not verified an address does not learn from a sign-up whether it has an account', async () => {
    const { openBrowser } = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())

    await expect(register(openBrowser(), user.email)).rejects.toMatchObject({ code: 'email_not_verified' })
  })

  test('whoever repeats a sign-up whose answer was lost is sent to the login', async () => {
    const { openBrowser } = await startServer(database)
    const [browser, email] = [openBrowser(), newEmail()]
    await verifyEmail(browser, email)
    const again = openBrowser()
    again.setCookie('visitor', browser.cookie('visitor')!)
    await register(browser, email)

    await expect(register(again, email)).rejects.toMatchObject({ serverMessage: expect.stringContaining('log in') })
  })

  test('from the fourth code on, a registered address needs a captcha for each answer, as others do', async () => {
    const server = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    const browser = server.openBrowser()
    const ask = () => sendCode(browser, user.email).catch(codeOf)

    expect([await ask(), await ask(), await ask(), await ask()]).toEqual([
      'email_taken',
      'email_taken',
      'email_taken',
      'captcha_required',
    ])
    await grantCaptcha(server, browser)
    expect([await ask(), await ask()]).toEqual(['email_taken', 'captcha_required'])
  })

  test('a registered address is refused when the code is requested, in any letter case', async () => {
    const { url } = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())

    const answer = await post(url, contract.sendVerificationCode, { email: ` ${user.email.toUpperCase()} ` })

    expect(answer.status).toBe(409)
    expect(await answer.json()).toMatchObject({ code: 'email_taken' })
    expect(await mailsTo(database, user.email)).toEqual([])
  })

  test('is refused without a verified address or with another one', async () => {
    const { openBrowser } = await startServer(database)
    const browser = openBrowser()
    const refused = { status: 403, code: 'email_not_verified' }

    await expect(register(browser, newEmail())).rejects.toMatchObject(refused)
    await verifyEmail(browser, newEmail())
    await expect(register(browser, newEmail())).rejects.toMatchObject(refused)
  })

  test('the verification belongs to the session that entered the code', async () => {
    const { openBrowser } = await startServer(database)
    const email = newEmail()
    await verifyEmail(openBrowser(), email)

    await expect(register(openBrowser(), email)).rejects.toMatchObject({ code: 'email_not_verified' })
  })

  test('without a correct code no session begins and nothing is stored about the caller', async () => {
    const browser = (await startServer(database)).openBrowser()
    const email = newEmail()
    await sendCode(browser, email)

    await expect(verifyCode(browser, email, otherThan(await mailedCode(database, email)))).rejects.toMatchObject({ status: 400 })
    await expect(register(browser, email)).rejects.toMatchObject({ code: 'email_not_verified' })

    expect(browser.cookie('visitor')).toBeUndefined()
  })

  test('the verification is consumed in the transaction that creates the account', async () => {
    const { clock } = await startServer(database)
    const em = database.orm.em.fork()
    const verified = { email: newEmail(), sessionKey: crypto.randomUUID(), now: clock.now() }
    const account = { ...verified, language: 'en' as const, passwordHash: '-', createdAt: clock.now() }
    const registerIn = (request: typeof account) => em.fork().transactional((em) => registerUser(em, request))
    const expiresAt = new Date(clock.now().getTime() + MINUTE)
    em.create(VerifiedEmail, { sessionKey: verified.sessionKey, email: verified.email, expiresAt })
    await em.flush()

    const elsewhere = { ...account, sessionKey: crypto.randomUUID() }
    await expect(registerIn(elsewhere)).rejects.toMatchObject({ code: 'email_not_verified' })
    await registerIn(account)
    await sql(em, 'delete from users where email = $1', [verified.email])
    await expect(registerIn(account)).rejects.toMatchObject({ code: 'email_not_verified' })
  })

  test('the verification is valid for 30 minutes', async () => {
    const { openBrowser, clock } = await startServer(database)
    const browser = openBrowser()
    const email = newEmail()
    await verifyEmail(browser, email)

    clock.advance(30 * MINUTE)

    await expect(register(browser, email)).rejects.toMatchObject({ code: 'email_not_verified' })
  })

  test('of two concurrent registrations of one address, from one session or two, one creates the account', async () => {
    const { openBrowser, clock } = await startServer(database)
    const [first, second] = [openBrowser(), openBrowser()]
    const email = newEmail()
    await verifyEmail(first, email)
    clock.advance(MINUTE)
    await verifyEmail(second, email)

    const answers = await Promise.allSettled([first, first, second, second].map((browser) => register(browser, email)))

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const answer of answers) {
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ status: 409, code: 'email_taken' })
    }
    expect(await database.orm.em.fork().count(User, { email })).toBe(1)
  })

  test('a weak password returns the specified message and keeps the verification', async () => {
    const { openBrowser, url } = await startServer(database)
    const browser = openBrowser()
    const email = newEmail()
    await verifyEmail(browser, email)

    const answer = await post(url, contract.register, { email, password: 'password' }, browser.fetch)

    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      message: 'Password must contain uppercase, lowercase, numbers, and special characters',
    })
    await register(browser, email)
  })
})

describe('emailed codes', () => {
  test('another one may be requested after 60 seconds', async () => {
    const { openBrowser, clock, url } = await startServer(database)
    const browser = openBrowser()
    const email = newEmail()
    await sendCode(browser, email)

    clock.advance(59 * SECOND)
    await expect(sendCode(browser, email)).rejects.toMatchObject({
      status: 429,
      code: 'code_cooldown',
      details: { secondsLeft: '1' },
    })
    const refused = await post(url, contract.sendVerificationCode, { email })
    expect(refused.headers.get('retry-after')).toBe('1')
    clock.advance(SECOND)
    await sendCode(browser, email)
    expect(await mailsTo(database, email)).toHaveLength(2)
  })

  test('concurrent requests send one email', async () => {
    const { openBrowser } = await startServer(database)
    const email = newEmail()

    await Promise.allSettled(Array.from({ length: 6 }, () => sendCode(openBrowser(), email)))

    expect(await mailsTo(database, email)).toHaveLength(1)
  })

  test('a newer code replaces the older one', async () => {
    const { openBrowser, clock } = await startServer(database)
    const browser = openBrowser()
    const email = newEmail()
    await sendCode(browser, email)
    const older = await mailedCode(database, email)
    clock.advance(MINUTE)
    await sendCode(browser, email)
    const newer = await mailedCode(database, email)

    if (older !== newer) await expect(verifyCode(browser, email, older)).rejects.toMatchObject({ code: 'code_invalid' })
    await verifyCode(browser, email, newer)
  })

  test('a code is valid for ten minutes and works once', async () => {
    const { openBrowser, clock } = await startServer(database)
    const browser = openBrowser()
    const [late, twice] = [newEmail(), newEmail()]
    await sendCode(browser, late)
    clock.advance(10 * MINUTE)
    await expect(verifyCode(browser, late, await mailedCode(database, late))).rejects.toMatchObject({ code: 'code_invalid' })

    await verifyEmail(browser, twice)
    await expect(verifyCode(openBrowser(), twice, await mailedCode(database, twice))).rejects.toMatchObject({
      status: 400,
      code: 'code_invalid',
    })
  })

  test('a code is invalid after five wrong tries', async () => {
    const { openBrowser } = await startServer(database)
    const browser = openBrowser()
    const email = newEmail()
    await sendCode(browser, email)
    const code = await mailedCode(database, email)

    for (let tries = 0; tries < 5; tries++) {
      await expect(verifyCode(browser, email, otherThan(code))).rejects.toMatchObject({
        serverMessage: 'The verification code is incorrect. Please check your email and try again.',
      })
    }
    await expect(verifyCode(browser, email, code)).rejects.toMatchObject({
      status: 400,
      code: 'code_invalid',
      serverMessage: 'This code is no longer valid. Please request a new one.',
    })
  })

  test('concurrent guesses get at most five tries', async () => {
    const { openBrowser } = await startServer(database)
    const email = newEmail()
    await sendCode(openBrowser(), email)
    const wrong = otherThan(await mailedCode(database, email))

    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        verifyCode(openBrowser(), email, wrong).catch((error: { serverMessage: string }) => error.serverMessage),
      ),
    )

    expect(answers.filter((message) => (message as string).startsWith('The verification code is incorrect'))).toHaveLength(5)
    expect((await database.orm.em.fork().findOneOrFail(EmailCode, { email })).wrongTries).toBe(5)
  })

  test('an address gets 20 wrong tries and 10 codes a day, however many codes are requested', async () => {
    const server = await startServer(database)
    const { clock } = server
    const browser = server.openBrowser()
    const email = newEmail()
    let wrong = 0
    for (let codes = 0; codes < 10; codes++) {
      if (codes >= 3) {
        await expect(sendCode(browser, email)).rejects.toMatchObject({ status: 403, code: 'captcha_required' })
        await grantCaptcha(server, browser)
      }
      await sendCode(browser, email)
      const code = await mailedCode(database, email)
      for (let tries = 0; tries < 5; tries++) {
        const error = await verifyCode(browser, email, otherThan(code)).catch(codeOf)
        if (error === 'code_invalid') wrong += 1
        else expect(error).toBe('rate_limited')
      }
      clock.advance(MINUTE)
    }

    expect(wrong).toBe(20)
    await grantCaptcha(server, browser)
    await expect(sendCode(browser, email)).rejects.toMatchObject({ status: 429, code: 'rate_limited' })
    await expect(verifyCode(browser, email, await mailedCode(database, email))).rejects.toMatchObject({ code: 'rate_limited' })
  })
})

describe('logging in', () => {
  test('takes email and password and opens the account', async () => {
    const { openBrowser } = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    const browser = openBrowser()

    expect(await logIn(browser, user.email)).toEqual({ email: user.email })

    expect(await whoAmI(browser)).toMatchObject({ id: user.id, email: user.email })
  })

  test('a wrong password and an unknown address return the same error, which clients do not take for a lost session', async () => {
    const { openBrowser } = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    const refused = { status: 400, code: 'invalid_credentials', serverMessage: 'Invalid email or password.' }

    const wrong = await logIn(openBrowser(), user.email, 'Wr0ng!word').catch((error: Error) => error)
    const unknown = await logIn(openBrowser(), newEmail()).catch((error: Error) => error)

    expect(wrong).toMatchObject(refused)
    expect(unknown).toMatchObject(refused)
    expect((wrong as Error).message).toBe((unknown as Error).message)
    expect((wrong as Error).message).not.toContain('Unauthorized')
  })

  test('concurrent guesses get three tries, then each needs a captcha; other accounts are not affected', async () => {
    const { openBrowser } = await startServer(database)
    const em = database.orm.em.fork()
    const [{ user: victim }, { user: other }] = [await makeUser(em), await makeUser(em)]

    const guesses = await Promise.all(
      Array.from({ length: 16 }, () => logIn(openBrowser(), victim.email, 'Wr0ng!word').catch(codeOf)),
    )

    expect(guesses.filter((code) => code === 'invalid_credentials')).toHaveLength(3)
    expect(guesses.filter((code) => code === 'captcha_required')).toHaveLength(13)
    await logIn(openBrowser(), other.email)
  })

  test('an address without an account requires a captcha like one with an account', async () => {
    const { openBrowser } = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    const guessAt = async (email: string) => {
      const answers: unknown[] = []
      for (let tries = 0; tries < 4; tries++) {
        answers.push(await logIn(openBrowser(), email, 'Wr0ng!word').catch((error: Error) => error.message))
      }
      return answers
    }

    expect(await guessAt(newEmail())).toEqual(await guessAt(user.email))
  })

  test('a captcha allows one guess, and after ten failures even the correct password waits', async () => {
    const server = await startServer(database)
    const em = database.orm.em.fork()
    const [{ user: victim }, { user: other }] = [await makeUser(em), await makeUser(em)]
    const browser = server.openBrowser()
    const guess = () => logIn(browser, victim.email, 'Wr0ng!word').catch(codeOf)
    for (let tries = 0; tries < 3; tries++) expect(await guess()).toBe('invalid_credentials')
    expect(await guess()).toBe('captcha_required')
    for (let tries = 0; tries < 7; tries++) {
      await grantCaptcha(server, browser)
      expect(await guess()).toBe('invalid_credentials')
    }

    await grantCaptcha(server, browser)
    await expect(logIn(browser, victim.email)).rejects.toMatchObject({ status: 429, code: 'rate_limited' })
    const refused = await post(server.url, contract.login, { email: victim.email, password: TEST_PASSWORD })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    await logIn(browser, other.email)
    await endRateLimits(database)
    await logIn(server.openBrowser(), victim.email)
  })

  test('with a captcha the correct password logs in after three failures', async () => {
    const server = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    const browser = server.openBrowser()
    for (let tries = 0; tries < 3; tries++) await logIn(browser, user.email, 'Wr0ng!word').catch(codeOf)

    await expect(logIn(browser, user.email)).rejects.toMatchObject({ status: 403, code: 'captcha_required' })
    await grantCaptcha(server, browser)
    await logIn(browser, user.email)
  })

  test('correct passwords never count as failures', async () => {
    const { openBrowser } = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())

    for (let times = 0; times < 12; times++) await logIn(openBrowser(), user.email)
  })

  test('forgets the visitor, whose cookie is no session', async () => {
    const { openBrowser } = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    const browser = openBrowser()
    await verifyEmail(browser, newEmail())
    expect(browser.cookie('user_session')).toBeUndefined()
    expect(browser.cookie('visitor')).toMatch(/^[\w-]{43}$/)

    await logIn(browser, user.email)

    expect(browser.cookie('visitor')).toBeUndefined()
  })

  test('gives the browser a new session, and the old session ID is invalid', async () => {
    const { openBrowser } = await startServer(database)
    const { user } = await makeUser(database.orm.em.fork())
    const browser = openBrowser()
    await logIn(browser, user.email)
    const planted = browser.cookie('user_session')!

    await logIn(browser, user.email)

    expect(browser.cookie('user_session')).not.toBe(planted)
    const thief = openBrowser()
    thief.setCookie('user_session', planted)
    await expect(whoAmI(thief)).rejects.toMatchObject({ status: 401 })
  })

  test('a raised epoch ends the sessions made before it', async () => {
    const server = await startServer(database)
    const { browser, user } = await makeBuyer(server)
    expect(await whoAmI(browser)).toMatchObject({ id: user.id })

    await sql(database.orm.em.fork(), 'update users set session_epoch = session_epoch + 1 where id = $1', [user.id])

    await expect(whoAmI(browser)).rejects.toMatchObject({ status: 401, serverMessage: 'Unauthorized' })
  })
})

describe('logging out', () => {
  test('ends the session on the server, so that a copy of its cookie is invalid', async () => {
    const server = await startServer(database)
    const { browser, user } = await makeBuyer(server)
    const thief = server.openBrowser()
    thief.setCookie('user_session', browser.cookie('user_session')!)

    await browser.call(contract.logout, {})

    await expect(whoAmI(browser)).rejects.toMatchObject({ status: 401 })
    await expect(whoAmI(thief)).rejects.toMatchObject({ status: 401 })
    expect(await database.orm.em.fork().count(WebSession, { accountId: user.id })).toBe(0)
  })

  test('succeeds without a session', async () => {
    const { openBrowser } = await startServer(database)

    await openBrowser().call(contract.logout, {})
  })
})
