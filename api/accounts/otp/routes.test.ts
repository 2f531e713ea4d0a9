import { generate, generateSecret } from 'otplib'
import { describe, expect, test } from 'vitest'
import * as contract from '#shared/contract/otp.ts'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { OutgoingMail } from '#api/platform/tables/OutgoingMail.ts'
import { StepUpMark } from '#api/entities/StepUpMark.ts'
import { User } from '#api/entities/User.ts'
import { useDatabase } from '#api/testing/database.ts'
import { type Buyer, logIn, makeBuyer } from '#api/testing/people.ts'
import { startServer, type TestBrowser, type TestServer } from '#api/testing/server.ts'
import { countLockWaits } from '#api/testing/lockWaits.ts'
import { endRateLimits } from '#api/testing/endRateLimits.ts'
import { consumeStepUpMark } from './consumeStepUpMark.ts'
import { TIME_STEP } from './findTimeStep.ts'

const database = useDatabase()

const codeAt = (server: TestServer, secret: string, ahead = 0) =>
  generate({ secret, epoch: Math.floor((server.clock.now().getTime() + ahead) / SECOND) })

const verify = (browser: TestBrowser, token: string) => browser.call(contract.verifyOtp, { body: { token } })

const verifyWrong = async (buyer: Buyer) => verify(buyer.browser, await buyer.wrongCode())

/** Waits until a statement in this database waits for a lock, or until the given work is done. */
async function untilSomebodyWaits(work: Promise<unknown>): Promise<void> {
  let done = false
  const finish = () => void (done = true)
  work.then(finish, finish)
  while (!done && (await countLockWaits(database)) === 0);
}

const marksOf = (buyer: Buyer) => database.orm.em.fork().count(StepUpMark, { user: buyer.user.id, consumedAt: null })

const consume = (server: TestServer, buyer: Buyer, { sessionKey = buyer.sessionKey, purpose = 'purchase' as const } = {}) =>
  database.orm.em
    .fork()
    .transactional((em) => consumeStepUpMark(em, { userId: buyer.user.id, sessionKey, purpose, now: server.clock.now() }))

async function enableFor(server: TestServer, buyer: Buyer) {
  const { secret, qrCode, manualEntryKey } = await buyer.browser.call(contract.setupOtp, { body: {} })
  const token = await codeAt(server, secret)
  await buyer.browser.call(contract.enableOtp, { body: { secret, token } })
  return { secret, token, qrCode, manualEntryKey }
}

describe('setting up', () => {
  test('shows a QR code and a key, and enables with a code of that secret', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server, { otp: false })

    const { qrCode, manualEntryKey, secret } = await enableFor(server, buyer)

    expect(qrCode).toMatch(/^data:image\/png;base64,/)
    expect(manualEntryKey).toBe(secret)
    expect(await buyer.browser.call(contract.otpStatus, {})).toEqual({ otpEnabled: true, recoveryCodesLeft: 10 })
    const em = database.orm.em.fork()
    const user = await em.findOneOrFail(User, buyer.user.id)
    expect(user.otpSecret).not.toContain(secret)
    expect(await em.count(AuditEntry, { actor: `user:${user.email}`, action: 'otp.enable' })).toBe(1)
    expect(await em.findOneOrFail(OutgoingMail, { to: user.email })).toMatchObject({ subject: 'Your authenticator is enabled' })
  })

  test('a secret that was not shown to this session is refused, even one of another session', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server, { otp: false })
    const elsewhere = server.openBrowser()
    await logIn(server, elsewhere, buyer.user)
    const foreign = generateSecret()
    const shown = await elsewhere.call(contract.setupOtp, { body: {} })
    await buyer.browser.call(contract.setupOtp, { body: {} })

    for (const secret of [foreign, shown.secret]) {
      const answer = buyer.browser.call(contract.enableOtp, { body: { secret, token: await codeAt(server, secret) } })
      await expect(answer).rejects.toMatchObject({ status: 409, code: 'otp_setup_expired' })
    }
    expect(await buyer.browser.call(contract.otpStatus, {})).toEqual({ otpEnabled: false, recoveryCodesLeft: 0 })
  })

  test('shows a page the same secret again within 30 minutes if it names it, and then another one', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server, { otp: false })
    const { secret } = await buyer.browser.call(contract.setupOtp, { body: {} })
    server.clock.advance(20 * MINUTE)
    expect(await buyer.browser.call(contract.setupOtp, { body: { secret } })).toMatchObject({ secret, manualEntryKey: secret })

    server.clock.advance(30 * MINUTE)
    const next = await buyer.browser.call(contract.setupOtp, { body: { secret } })
    expect(next.secret).not.toBe(secret)
    const token = await codeAt(server, next.secret)
    await buyer.browser.call(contract.enableOtp, { body: { secret: next.secret, token } })
  })

  test('a copy of the cookie is never shown the secret that its owner enables', async () => {
    const server = await startServer(database)
    const { browser } = await makeBuyer(server, { otp: false })
    const thief = server.openBrowser()
    thief.setCookie('user_session', browser.cookie('user_session')!)
    const ask = async (caller: TestBrowser, secret?: string) =>
      (await caller.call(contract.setupOtp, { body: { ...(secret !== undefined && { secret }) } })).secret

    const before = await ask(thief)
    const shown = await ask(browser)
    expect(shown).not.toBe(before)
    for (const guess of [undefined, before, generateSecret(), '']) expect(await ask(thief, guess)).not.toBe(shown)

    const enable = browser.call(contract.enableOtp, { body: { secret: shown, token: await codeAt(server, shown) } })
    await expect(enable).rejects.toMatchObject({ code: 'otp_setup_expired' })
  })

  test('shows a new secret to a call without a body, as pages of an earlier release send it', async () => {
    const server = await startServer(database)
    const { browser } = await makeBuyer(server, { otp: false })
    const { method, path } = contract.setupOtp
    const answers = [await browser.fetch(server.url + path, { method }), await browser.fetch(server.url + path, { method })]
    const secrets = await Promise.all(answers.map(async (answer) => ((await answer.json()) as { secret: string }).secret))
    expect(secrets).toEqual([expect.stringMatching(/^[A-Z2-7]{32}$/), expect.stringMatching(/^[A-Z2-7]{32}$/)])
    expect(secrets[0]).not.toBe(secrets[1])
  })

  test('shows a new secret after the authenticator was disabled', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server, { otp: false })
    const { secret } = await enableFor(server, buyer)
    server.clock.advance(MINUTE)
    await buyer.browser.call(contract.disableOtp, { body: { token: await codeAt(server, secret) } })
    expect((await buyer.browser.call(contract.setupOtp, { body: {} })).secret).not.toBe(secret)
  })

  test('a secret may be enabled within 30 minutes', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server, { otp: false })
    const { secret } = await buyer.browser.call(contract.setupOtp, { body: {} })

    server.clock.advance(30 * MINUTE)
    const answer = buyer.browser.call(contract.enableOtp, { body: { secret, token: await codeAt(server, secret) } })

    await expect(answer).rejects.toMatchObject({ code: 'otp_setup_expired' })
  })

  test('is refused while an authenticator is enabled', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)

    await expect(buyer.browser.call(contract.setupOtp, { body: {} })).rejects.toMatchObject({
      status: 409,
      code: 'otp_already_enabled',
    })
  })

  test('a wrong code does not enable, returns the specified message, and counts', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server, { otp: false })
    const { secret } = await buyer.browser.call(contract.setupOtp, { body: {} })
    const token = (await codeAt(server, secret)) === '000000' ? '000001' : '000000'

    await expect(buyer.browser.call(contract.enableOtp, { body: { secret, token } })).rejects.toMatchObject({
      status: 400,
      code: 'otp_invalid',
      serverMessage: 'Invalid verification code. Please try again.',
    })
    expect((await database.orm.em.fork().findOneOrFail(User, buyer.user.id)).otpFailures).toBe(1)
  })
})

describe('the enabling code', () => {
  test('allows one purchase and is accepted once more in the same session', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server, { otp: false })
    const { token } = await enableFor(server, buyer)

    await verify(buyer.browser, token)
    await expect(verify(buyer.browser, token)).rejects.toMatchObject({ status: 400, code: 'otp_invalid' })

    await consume(server, buyer)
    await expect(consume(server, buyer)).rejects.toMatchObject({ code: 'otp_required' })
  })

  test('is not accepted in another session', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server, { otp: false })
    const elsewhere = server.openBrowser()
    await logIn(server, elsewhere, buyer.user)
    const { token } = await enableFor(server, buyer)

    await expect(verify(elsewhere, token)).rejects.toMatchObject({ status: 400, code: 'otp_invalid' })
  })

  test('sent twice concurrently is accepted once', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server, { otp: false })
    const { token } = await enableFor(server, buyer)

    const answers = await Promise.allSettled([1, 2, 3, 4].map(() => verify(buyer.browser, token)))

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await marksOf(buyer)).toBe(1)
  })
})

describe('verifying', () => {
  test('a code works once, even for many concurrent requests', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const token = await buyer.code()

    const answers = await Promise.allSettled(Array.from({ length: 8 }, () => verify(buyer.browser, token)))

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await marksOf(buyer)).toBe(1)
    await expect(verify(buyer.browser, token)).rejects.toMatchObject({
      serverMessage: 'This code has already been used. Please wait for the next one.',
    })
  })

  test('a clock may be off by one step and not by two, and older steps are invalid after a newer one', async () => {
    const server = await startServer(database)
    const early = await makeBuyer(server)
    const late = await makeBuyer(server)

    await verify(early.browser, await early.codeAt(TIME_STEP))
    await expect(verify(early.browser, await early.codeAt(0))).rejects.toMatchObject({ code: 'otp_invalid' })
    await verify(late.browser, await late.codeAt(-TIME_STEP))
    await expect(verify(late.browser, await late.codeAt(-2 * TIME_STEP))).rejects.toMatchObject({ code: 'otp_invalid' })
    await expect(verify(late.browser, await late.codeAt(2 * TIME_STEP))).rejects.toMatchObject({ code: 'otp_invalid' })
  })

  test('a wrong code returns the specified message', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)

    await expect(verifyWrong(buyer)).rejects.toMatchObject({
      status: 400,
      code: 'otp_invalid',
      serverMessage: 'Invalid OTP code. Please try again.',
    })
  })

  test('is refused without an authenticator', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server, { otp: false })

    await expect(verify(buyer.browser, '123456')).rejects.toMatchObject({ status: 409, code: 'otp_not_enabled' })
    await expect(buyer.browser.call(contract.disableOtp, { body: { token: '123456' } })).rejects.toMatchObject({
      code: 'otp_not_enabled',
    })
  })
})

describe('wrong codes', () => {
  test('five lock the account, in every session, for 15 minutes, then for an hour, then for a day', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const elsewhere = server.openBrowser()
    await logIn(server, elsewhere, buyer.user)

    for (const minutes of [15, 60, 24 * 60, 24 * 60]) {
      for (let tries = 0; tries < 5; tries++) {
        await expect(verifyWrong(buyer)).rejects.toMatchObject({ code: 'otp_invalid' })
      }
      await expect(verify(elsewhere, await buyer.code())).rejects.toMatchObject({ status: 429, code: 'otp_locked' })
      await expect(buyer.browser.call(contract.disableOtp, { body: { token: '123456' } })).rejects.toMatchObject({
        code: 'otp_locked',
      })
      server.clock.advance(minutes * MINUTE - TIME_STEP - SECOND)
      await expect(verify(buyer.browser, await buyer.codeAt(0))).rejects.toMatchObject({ code: 'otp_locked' })
      server.clock.advance(TIME_STEP + SECOND)
      await endRateLimits(database)
    }
    await verify(buyer.browser, await buyer.code())
    const user = await database.orm.em.fork().findOneOrFail(User, buyer.user.id)
    expect(user).toMatchObject({ otpFailures: 0, otpLocks: 0, otpLockedUntil: null })
  })

  test('concurrent guesses get at most five tries', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const token = await buyer.wrongCode()

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => verify(buyer.browser, token).catch((error: { code: string }) => error.code)),
    )

    expect(answers.filter((code) => code === 'otp_invalid')).toHaveLength(5)
    expect(answers.filter((code) => code === 'otp_locked')).toHaveLength(15)
  })

  test('a correct code resets the count of wrong ones; a used one changes nothing', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const failures = async () => (await database.orm.em.fork().findOneOrFail(User, buyer.user.id)).otpFailures
    for (let tries = 0; tries < 4; tries++) await verifyWrong(buyer).catch(() => {})
    expect(await failures()).toBe(4)

    const token = await buyer.code()
    await verify(buyer.browser, token)
    expect(await failures()).toBe(0)
    await verify(buyer.browser, token).catch(() => {})
    expect(await failures()).toBe(0)
  })
})

describe('disabling', () => {
  test('takes a code, revokes what earlier codes allowed, notifies the owner, and allows a new authenticator at once', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    await verify(buyer.browser, await buyer.code())

    await expect(buyer.browser.call(contract.disableOtp, { body: { token: await buyer.wrongCode() } })).rejects.toMatchObject({
      serverMessage: 'Invalid verification code. Please try again.',
    })
    await buyer.browser.call(contract.disableOtp, { body: { token: await buyer.code() } })

    expect(await buyer.browser.call(contract.otpStatus, {})).toEqual({ otpEnabled: false, recoveryCodesLeft: 0 })
    await expect(consume(server, buyer)).rejects.toMatchObject({ code: 'otp_required' })
    const em = database.orm.em.fork()
    expect(await em.count(AuditEntry, { actor: `user:${buyer.user.email}`, action: 'otp.disable' })).toBe(1)
    expect(await em.count(OutgoingMail, { to: buyer.user.email, subject: 'Your authenticator is disabled' })).toBe(1)
    await enableFor(server, buyer)
  })
})

describe('the permission of a code', () => {
  test('allows one purchase within 30 minutes or one withdrawal within 10, in the session that showed the code', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const required = { status: 403, code: 'otp_required', message: 'Please verify your authenticator code first.' }

    await buyer.grantMark()
    await expect(consume(server, buyer, { sessionKey: crypto.randomUUID() })).rejects.toMatchObject(required)
    server.clock.advance(10 * MINUTE)
    await expect(consume(server, buyer, { purpose: 'withdrawal' as never })).rejects.toMatchObject(required)
    await consume(server, buyer)
    await expect(consume(server, buyer)).rejects.toMatchObject(required)

    await buyer.grantMark()
    server.clock.advance(30 * MINUTE)
    await expect(consume(server, buyer)).rejects.toMatchObject(required)
  })

  test('concurrent requests use each mark once and use all of them', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    for (let marks = 0; marks < 3; marks++) await buyer.grantMark()

    const answers = await Promise.allSettled(Array.from({ length: 8 }, () => consume(server, buyer)))

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    expect(await marksOf(buyer)).toBe(0)
  })

  test('a request whose mark is locked by another one waits and takes the next mark, if there is one', async () => {
    const server = await startServer(database)
    for (const marks of [1, 2]) {
      const buyer = await makeBuyer(server)
      for (let mark = 0; mark < marks; mark++) await buyer.grantMark()
      const step = { userId: buyer.user.id, sessionKey: buyer.sessionKey, purpose: 'purchase' as const, now: server.clock.now() }

      let second: Promise<string> | undefined
      await database.orm.em.fork().transactional(async (em) => {
        await consumeStepUpMark(em, step)
        second = consume(server, buyer).then(
          () => 'allowed',
          (error: { code: string }) => error.code,
        )
        await untilSomebodyWaits(second)
      })

      expect(await second).toBe(marks === 1 ? 'otp_required' : 'allowed')
      expect(await marksOf(buyer)).toBe(0)
    }
  })

  test('a failed action returns the mark, also to a waiting request', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    await buyer.grantMark()
    const step = { userId: buyer.user.id, sessionKey: buyer.sessionKey, purpose: 'purchase' as const, now: server.clock.now() }

    let second: Promise<void> | undefined
    const failing = database.orm.em.fork().transactional(async (em) => {
      await consumeStepUpMark(em, step)
      second = consume(server, buyer)
      await untilSomebodyWaits(second)
      throw new Error('no supply')
    })

    await expect(failing).rejects.toThrow('no supply')
    await second
  })
})
