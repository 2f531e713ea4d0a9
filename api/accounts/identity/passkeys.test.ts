import { LockMode } from '@mikro-orm/postgresql'
import { describe, expect, test } from 'vitest'
import { getAuthUser, login } from '#shared/contract/identity.ts'
import * as contract from '#shared/contract/passkeys.ts'
import { changePassword, forgotPassword, resetPassword } from '#shared/contract/password.ts'
import { createReservation } from '#shared/contract/purchases.ts'
import { enableOtp, setupOtp, verifyOtp } from '#shared/contract/otp.ts'
import { DAY, MINUTE } from '#shared/dates.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { Passkey } from '#api/entities/Passkey.ts'
import { PasskeyChallenge } from '#api/entities/PasskeyChallenge.ts'
import { StepUpMark } from '#api/entities/StepUpMark.ts'
import { User } from '#api/entities/User.ts'
import { hashSessionId } from '#api/platform/http/namedSession.ts'
import { WebSession } from '#api/platform/tables/WebSession.ts'
import { tidyUp } from '#api/app/tidyUp.ts'
import { useDatabase } from '#api/testing/database.ts'
import { TEST_PASSWORD } from '#api/testing/factories.ts'
import { mailedCode, mailsTo } from '#api/testing/mails.ts'
import { type Buyer, makeBuyer } from '#api/testing/people.ts'
import { createPasskey, type Deviation, type SoftPasskey } from '#api/testing/softAuthenticator.ts'
import { startServer, type TestBrowser, type TestServer } from '#api/testing/server.ts'
import { untilLockWaits } from '#api/testing/lockWaits.ts'
import { testAuthenticator } from '#api/testing/testAuthenticator.ts'
import { resetUserPasskeys } from './changePasskeys.ts'

const database = useDatabase()

const whoAmI = (browser: TestBrowser) => browser.call(getAuthUser, {})
const invalid = { status: 400, code: 'passkey_invalid' }
const expired = { status: 409, code: 'passkey_expired' }
const unknown = { status: 400, code: 'passkey_unknown' }
const disabled = { status: 403, code: 'passkey_disabled' }

/** Begins to add a passkey: with a code, or the password where there is no authenticator. */
async function begin({ browser, user, grantMark }: Buyer) {
  if (user.otpSecret) await grantMark()
  return browser.call(contract.beginPasskey, { body: user.otpSecret ? {} : { password: TEST_PASSWORD } })
}

async function add(buyer: Buyer, { name = 'Phone', ...deviation }: Deviation & { name?: string } = {}): Promise<SoftPasskey> {
  const passkey = createPasskey(await begin(buyer), deviation)
  await buyer.browser.call(contract.addPasskey, { body: { name, passkey: passkey.created } })
  return passkey
}

async function logIn(browser: TestBrowser, passkey: SoftPasskey, deviation?: Deviation) {
  const options = await browser.call(contract.beginPasskeyLogin, {})
  return browser.call(contract.loginByPasskey, { body: { passkey: passkey.sign(options, deviation) } })
}

/** A buyer with a passkey, and another browser. */
async function openOwner(server: TestServer, options: { otp?: boolean } = {}) {
  const buyer = await makeBuyer(server, { otp: false, ...options })
  return { ...buyer, passkey: await add(buyer), phone: server.openBrowser() }
}

const passkeysOf = ({ user }: Buyer) => database.orm.em.fork().find(Passkey, { user: user.id })
const actionsOf = async ({ user }: Buyer) =>
  (await database.orm.em.fork().find(AuditEntry, { target: user.email }, { orderBy: { at: 'asc', id: 'asc' } })).map(
    ({ action }) => action,
  )
const subjectsTo = async ({ user }: Buyer) => (await mailsTo(database, user.email)).map(({ subject }) => subject)

describe('adding a passkey', () => {
  test('needs the password without an authenticator, is listed, audited and told to the owner', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server, { otp: false })
    const begin = (password?: string) => buyer.browser.call(contract.beginPasskey, { body: password ? { password } : {} })
    await expect(begin()).rejects.toMatchObject({ status: 400, code: 'proof_required' })
    await expect(begin('Wr0ng!word')).rejects.toMatchObject({ status: 400, code: 'invalid_credentials' })

    const options = await begin(TEST_PASSWORD)
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'XCR Nodes' },
      user: { name: buyer.user.email },
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    })
    const { created } = createPasskey(options)
    const added = await buyer.browser.call(contract.addPasskey, { body: { name: ' My phone ', passkey: created } })

    expect(added).toMatchObject({ name: 'My phone', lastUsedAt: null, isSynced: false, isDisabled: false })
    expect(await buyer.browser.call(contract.listPasskeys, {})).toEqual([added])
    expect(await actionsOf(buyer)).toEqual(['passkey.add'])
    const [mail] = await mailsTo(database, buyer.user.email)
    expect(mail).toMatchObject({ subject: 'A passkey was added to your account', text: expect.stringContaining('My phone') })
    expect(mail!.text).toContain('Purchases and withdrawals need the code of your authenticator as before.')
    // It authorizes no withdrawal, so it puts none on hold.
    expect((await database.orm.em.fork().findOneOrFail(User, buyer.user.id)).withdrawalsReviewedUntil).toBeNull()
  })

  test('with an authenticator uses up a code; the password is not enough', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const begin = (body = {}) => buyer.browser.call(contract.beginPasskey, { body })
    await expect(begin({ password: TEST_PASSWORD })).rejects.toMatchObject({ status: 403, code: 'otp_required' })

    await buyer.browser.call(verifyOtp, { body: { token: await buyer.code() } })
    await begin()
    await expect(begin()).rejects.toMatchObject({ status: 403, code: 'otp_required' })
  })

  test('with an authenticator of less than a day needs the password too: a thief with a session could have set it up', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server)
    const em = database.orm.em.fork()
    await em.nativeUpdate(User, { id: buyer.user.id }, { otpEnabledAt: server.clock.now() })
    await buyer.browser.call(verifyOtp, { body: { token: await buyer.code() } })
    const begin = (body = {}) => buyer.browser.call(contract.beginPasskey, { body })
    await expect(begin()).rejects.toMatchObject({ status: 400, code: 'proof_required' })
    await expect(begin({ password: 'Wr0ng!word' })).rejects.toMatchObject({ code: 'invalid_credentials' })
    await begin({ password: TEST_PASSWORD })
  })

  test.each([
    ['ahead of', 2 * DAY],
    ['behind', -2 * DAY],
  ])('with an authenticator enabled now needs the password too at a server whose clock is %s the database', async (_, by) => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server, { otp: false })
    if (by < 0) server.clock.advance(by)
    const { secret } = await buyer.browser.call(setupOtp, { body: {} })
    const { code } = testAuthenticator(server, secret)
    await buyer.browser.call(enableOtp, { body: { secret, token: await code() } })
    if (by < 0) server.clock.advance(-by)
    else server.clock.advanceMachine(by)
    await buyer.browser.call(verifyOtp, { body: { token: await code() } })
    await expect(buyer.browser.call(contract.beginPasskey, { body: {} })).rejects.toMatchObject({ code: 'proof_required' })
  })

  const wrong: [string, Deviation, object][] = [
    ['of a foreign origin', { origin: 'https://evil.example' }, invalid],
    ['for another site', { rpId: 'evil.example' }, invalid],
    ['of a page in a frame', { isInFrame: true }, invalid],
    ['without user verification', { isVerified: false }, invalid],
    ['of another challenge', { challenge: 'A'.repeat(43) }, expired],
  ]
  test.for(wrong)('an answer %s is refused', async ([, deviation, refused]) => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server, { otp: false })

    await expect(add(buyer, deviation)).rejects.toMatchObject(refused)

    expect(await passkeysOf(buyer)).toEqual([])
  })

  test('a challenge counts once, for five minutes, in its session and for its purpose', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server, { otp: false })
    const other = await makeBuyer(server, { otp: false })
    const { created } = createPasskey(await begin(buyer))
    const send = ({ browser }: Pick<Buyer, 'browser'>, passkey = created) =>
      browser.call(contract.addPasskey, { body: { name: 'x', passkey } })

    await expect(send(other)).rejects.toMatchObject(expired)
    await send(buyer)
    await expect(send(buyer)).rejects.toMatchObject(expired)

    const late = createPasskey(await begin(buyer))
    server.clock.advance(5 * MINUTE)
    await expect(send(buyer, late.created)).rejects.toMatchObject(expired)

    const { challenge } = await buyer.browser.call(contract.beginPasskeyLogin, {})
    const ofLogin = createPasskey(await begin(buyer), { challenge })
    await expect(send(buyer, ofLogin.created)).rejects.toMatchObject(expired)
    expect(await passkeysOf(buyer)).toHaveLength(1)
  })

  test('the same answer twice at the same time adds one passkey', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server, { otp: false })
    const { created: passkey } = createPasskey(await begin(buyer))

    const answers = await Promise.allSettled(
      Array.from({ length: 4 }, () => buyer.browser.call(contract.addPasskey, { body: { name: 'x', passkey } })),
    )

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await passkeysOf(buyer)).toHaveLength(1)
  })

  test('a passkey belongs to one account, and an account has ten at most', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server, { otp: false })
    const { created } = createPasskey(await begin(buyer))
    await buyer.browser.call(contract.addPasskey, { body: { name: 'x', passkey: created } })
    const thief = await makeBuyer(server, { otp: false })
    const { challenge } = await begin(thief)
    const data = { type: 'webauthn.create', challenge, origin: 'http://localhost:3000', crossOrigin: false }
    const clientDataJSON = Buffer.from(JSON.stringify(data)).toString('base64url')
    const copied = { ...created, response: { ...created.response, clientDataJSON } }
    await expect(thief.browser.call(contract.addPasskey, { body: { name: 'x', passkey: copied } })).rejects.toMatchObject({
      code: 'passkey_taken',
    })

    for (let count = 1; count < 9; count += 1) await add(buyer)
    // Authenticators refuse to register twice.
    expect((await begin(buyer)).excludeCredentials).toHaveLength(9)
    await add(buyer)
    await expect(begin(buyer)).rejects.toMatchObject({ status: 409, code: 'passkeys_too_many' })
  })
})

describe('a login by passkey', () => {
  test('needs no password and no captcha, tells nothing about accounts, and makes the browser known', async () => {
    const server = await startServer(database)
    const owner = await openOwner(server)
    const { phone, passkey, user } = owner
    const options = await phone.call(contract.beginPasskeyLogin, {})
    expect(options).toEqual({ rpId: 'localhost', challenge: expect.any(String), timeout: 300_000, userVerification: 'required' })
    expect(phone.cookie('user_session')).toBeUndefined()

    expect(await phone.call(contract.loginByPasskey, { body: { passkey: passkey.sign(options) } })).toEqual({ email: user.email })

    expect(await whoAmI(phone)).toMatchObject({ id: user.id })
    expect(await owner.browser.call(contract.listPasskeys, {})).toMatchObject([{ lastUsedAt: server.clock.now() }])
    const [mail] = await mailsTo(database, user.email)
    expect(mail).toMatchObject({
      subject: 'New login to your account',
      text: expect.stringContaining('with one of your passkeys'),
    })
  })

  test('sets no step-up mark: purchases still need a code', async () => {
    const server = await startServer(database)
    const { phone, passkey, user } = await openOwner(server, { otp: true })
    await database.orm.em.fork().nativeDelete(StepUpMark, { user: user.id })

    await logIn(phone, passkey)

    expect(await database.orm.em.fork().count(StepUpMark, { user: user.id })).toBe(0)
    await expect(phone.call(createReservation, { body: { requestedQuantity: 1 } })).rejects.toMatchObject({
      code: 'otp_required',
    })
  })

  const wrong: [string, Deviation][] = [
    ['of a foreign origin', { origin: 'https://evil.example' }],
    ['of the same host on another port', { origin: 'http://localhost:3001' }],
    ['for another site', { rpId: 'evil.example' }],
    ['of a page in a frame', { isInFrame: true }],
    ['without user verification', { isVerified: false }],
    ['signed by another key', { isForged: true }],
    ['for another account', { userHandle: 'AAAAAAAAAAAAAAAAAAAAAA' }],
  ]
  test.for(wrong)('an answer %s is refused', async ([, deviation]) => {
    const server = await startServer(database)
    const { phone, passkey } = await openOwner(server)

    await expect(logIn(phone, passkey, deviation)).rejects.toMatchObject(invalid)

    await expect(whoAmI(phone)).rejects.toMatchObject({ status: 401 })
    await logIn(phone, passkey)
  })

  test('a challenge counts once, for five minutes, in its session and for its purpose', async () => {
    const server = await startServer(database)
    const owner = await openOwner(server)
    const { phone, passkey } = owner
    const send = (browser: TestBrowser, answer: contract.PasskeyAnswer) =>
      browser.call(contract.loginByPasskey, { body: { passkey: answer } })
    const answer = passkey.sign(await phone.call(contract.beginPasskeyLogin, {}))

    await expect(send(server.openBrowser(), answer)).rejects.toMatchObject(expired)
    const other = server.openBrowser()
    await other.call(contract.beginPasskeyLogin, {})
    await expect(send(other, answer)).rejects.toMatchObject(expired)
    await send(phone, answer)
    await expect(send(phone, answer)).rejects.toMatchObject(expired)

    const late = passkey.sign(await other.call(contract.beginPasskeyLogin, {}))
    server.clock.advance(5 * MINUTE)
    await expect(send(other, late)).rejects.toMatchObject(expired)

    const { challenge } = await begin(owner)
    const ofRegistration = passkey.sign({ challenge, rpId: 'localhost', timeout: 1, userVerification: 'required' })
    await expect(send(owner.browser, ofRegistration)).rejects.toMatchObject(expired)
    await tidyUp.run({ orm: database.orm })
    expect(await database.orm.em.fork().count(PasskeyChallenge, { expiresAt: { $lt: new Date() } })).toBe(0)
  })

  test('a refused answer uses up its challenge', async () => {
    const server = await startServer(database)
    const { phone, passkey } = await openOwner(server)
    const options = await phone.call(contract.beginPasskeyLogin, {})
    const send = (deviation?: Deviation) =>
      phone.call(contract.loginByPasskey, { body: { passkey: passkey.sign(options, deviation) } })

    await expect(send({ isVerified: false })).rejects.toMatchObject(invalid)
    await expect(send()).rejects.toMatchObject(expired)
  })

  test('of the same answer sent several times at once, one logs in', async () => {
    const server = await startServer(database)
    const { phone, passkey } = await openOwner(server)
    const answer = passkey.sign(await phone.call(contract.beginPasskeyLogin, {}))
    const visitor = phone.cookie('visitor')!
    const thieves = Array.from({ length: 4 }, () => {
      const browser = server.openBrowser()
      browser.setCookie('visitor', visitor)
      return browser
    })

    const answers = await Promise.allSettled(
      thieves.map((browser) => browser.call(contract.loginByPasskey, { body: { passkey: answer } })),
    )

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('an unknown passkey and a removed one are refused', async () => {
    const server = await startServer(database)
    const owner = await openOwner(server)
    const { phone, passkey, browser } = owner
    const foreign = createPasskey(await begin(owner))
    await expect(logIn(phone, foreign)).rejects.toMatchObject(unknown)

    const [row] = await passkeysOf(owner)
    await browser.call(contract.removePasskey, { params: { id: row!.id } })
    await expect(logIn(phone, passkey)).rejects.toMatchObject(unknown)
  })

  test('a passkey without a counter, as those that are synced, logs in again and again', async () => {
    const server = await startServer(database)
    const buyer = await makeBuyer(server, { otp: false })
    const passkey = await add(buyer, { counter: 0 })
    for (let times = 0; times < 2; times += 1) await logIn(server.openBrowser(), passkey, { counter: 0 })
  })

  test.for([
    ['the same', 2],
    ['a lower', 1],
    ['no', 0],
  ] as const)('%s counter disables the passkey, ends all sessions, and is audited and told', async ([, counter]) => {
    const server = await startServer(database)
    const owner = await openOwner(server)
    const { phone, passkey, user, browser } = owner
    await logIn(phone, passkey, { counter: 2 })

    await expect(logIn(server.openBrowser(), passkey, { counter })).rejects.toMatchObject(disabled)

    await expect(whoAmI(phone)).rejects.toMatchObject({ status: 401 })
    await expect(whoAmI(browser)).rejects.toMatchObject({ status: 401 })
    await expect(logIn(phone, passkey, { counter: 50 })).rejects.toMatchObject(disabled)
    expect(await actionsOf(owner)).toEqual(['passkey.add', 'passkey.copied'])
    expect(await mailsTo(database, user.email)).toMatchObject([{ subject: 'A passkey was disabled' }, {}, {}])
    await phone.call(login, { body: { email: user.email, password: TEST_PASSWORD } })
    expect(await phone.call(contract.listPasskeys, {})).toMatchObject([{ isDisabled: true }])
  })

  test('a low counter that the passkey has not signed disables nothing', async () => {
    const server = await startServer(database)
    const { phone, passkey } = await openOwner(server)
    await logIn(phone, passkey, { counter: 5 })

    await expect(logIn(server.openBrowser(), passkey, { counter: 1, isForged: true })).rejects.toMatchObject(invalid)

    await logIn(phone, passkey, { counter: 6 })
  })
})

describe('removing passkeys', () => {
  test('needs only the session, ends the other sessions, is audited and told; those of other accounts do not exist', async () => {
    const server = await startServer(database)
    const owner = await openOwner(server)
    const { phone, passkey, browser } = owner
    await logIn(phone, passkey)
    const [row] = await passkeysOf(owner)
    const stranger = await makeBuyer(server)
    const remove = (one: TestBrowser) => one.call(contract.removePasskey, { params: { id: row!.id } })
    await expect(remove(stranger.browser)).rejects.toMatchObject({ status: 404 })

    await remove(browser)

    await expect(whoAmI(phone)).rejects.toMatchObject({ status: 401 })
    await whoAmI(browser)
    expect(await passkeysOf(owner)).toEqual([])
    expect(await actionsOf(owner)).toEqual(['passkey.add', 'passkey.remove', 'sessions.end_others'])
    expect((await subjectsTo(owner))[0]).toBe('A passkey was removed from your account')
    await expect(remove(browser)).rejects.toMatchObject({ status: 404 })
  })

  test('a changed password removes the passkeys that a thief may have added, and says so', async () => {
    const server = await startServer(database)
    const owner = await openOwner(server)
    const { phone, passkey, browser, user } = owner

    await browser.call(changePassword, { body: { currentPassword: TEST_PASSWORD, newPassword: 'N3w!password' } })

    await expect(logIn(phone, passkey)).rejects.toMatchObject(unknown)
    const [mail] = await mailsTo(database, user.email)
    expect(mail!.text).toContain('Your passkeys were removed. You can add them again in Security Settings.')
  })

  test('a password reset by mail removes them too; without passkeys the mail says nothing of them', async () => {
    const server = await startServer(database)
    const owner = await openOwner(server)
    const reset = async ({ user: { email } }: Buyer) => {
      const browser = server.openBrowser()
      await browser.call(forgotPassword, { body: { email } })
      const code = await mailedCode(database, email)
      await browser.call(resetPassword, { body: { email, code, newPassword: 'N3w!password' } })
      return (await mailsTo(database, email))[0]!.text
    }

    expect(await reset(owner)).toContain('Your passkeys were removed.')
    await expect(logIn(owner.phone, owner.passkey)).rejects.toMatchObject(unknown)
    expect(await reset(await makeBuyer(server, { otp: false }))).not.toContain('passkeys')
  })

  test('a passkey that is being added while the password changes is refused', async () => {
    const server = await startServer(database)
    const owner = await openOwner(server)
    const thief = server.openBrowser()
    await logIn(thief, owner.passkey)
    const { created } = createPasskey(await thief.call(contract.beginPasskey, { body: { password: TEST_PASSWORD } }))

    await owner.browser.call(changePassword, { body: { currentPassword: TEST_PASSWORD, newPassword: 'N3w!password' } })

    await expect(thief.call(contract.addPasskey, { body: { name: 'x', passkey: created } })).rejects.toMatchObject({
      status: 401,
    })
    expect(await passkeysOf(owner)).toEqual([])
  })

  const endings: [string, (owner: Awaited<ReturnType<typeof openOwner>>, server: TestServer) => Promise<unknown>][] = [
    [
      'the owner removes the passkey',
      async (owner) => owner.browser.call(contract.removePasskey, { params: { id: (await passkeysOf(owner))[0]!.id } }),
    ],
    [
      'the operator removes all passkeys',
      ({ user }, { services, clock }) =>
        database.orm.em
          .fork()
          .transactional((em) => resetUserPasskeys(em, services, { user, actor: 'operator', now: clock.now() })),
    ],
    [
      'a copy of the passkey is used',
      async ({ passkey }, server) => {
        const copy = logIn(server.openBrowser(), passkey, { counter: 1 })
        await expect(copy).rejects.toMatchObject(disabled)
      },
    ],
    [
      'the password changes',
      ({ browser }) => browser.call(changePassword, { body: { currentPassword: TEST_PASSWORD, newPassword: 'N3w!password' } }),
    ],
  ]
  test.for(endings)('a login that is verified while %s is dead', async ([, end]) => {
    const server = await startServer(database)
    const owner = await openOwner(server)
    const { phone, passkey } = owner
    await logIn(phone, passkey, { counter: 5 })
    // Its session is that of another account, which nothing ends meanwhile.
    phone.setCookie('user_session', (await makeBuyer(server)).browser.cookie('user_session')!)
    const answer = passkey.sign(await phone.call(contract.beginPasskeyLogin, {}), { counter: 6 })
    const held = { idHash: hashSessionId(phone.cookie('user_session')!) }

    // The login is verified and committed, and waits to replace its session.
    const { login } = await database.orm.em.fork().transactional(async (em) => {
      await em.findOneOrFail(WebSession, held, { lockMode: LockMode.PESSIMISTIC_WRITE })
      const login = phone.call(contract.loginByPasskey, { body: { passkey: answer } }).catch(() => undefined)
      await untilLockWaits(database)
      await end(owner, server)
      return { login }
    })
    await login

    await expect(whoAmI(phone)).rejects.toMatchObject({ status: 401 })
  })
})
