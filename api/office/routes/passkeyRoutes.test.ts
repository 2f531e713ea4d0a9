import { LockMode } from '@mikro-orm/postgresql'
import { generate } from 'otplib'
import { describe, expect, test } from 'vitest'
import * as access from '#shared/contract/admin/login.ts'
import * as contract from '#shared/contract/admin/passkeys.ts'
import { beginPasskeyLogin, loginByPasskey } from '#shared/contract/passkeys.ts'
import { HOUR, MINUTE, SECOND } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { hashSessionId } from '#api/platform/http/namedSession.ts'
import { WebSession } from '#api/platform/tables/WebSession.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { Passkey } from '#api/entities/Passkey.ts'
import { resetAdministratorOtp } from '../administrators/resetAdministratorOtp.ts'
import { resetAdministratorPassword } from '../administrators/resetAdministratorPassword.ts'
import { logInAdministrator, openAdministrator, type TestAdministrator } from '#api/testing/administrators.ts'
import { useDatabase } from '#api/testing/database.ts'
import { TEST_PASSWORD, TEST_PASSWORD_HASH } from '#api/testing/factories.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { createPasskey, type Deviation, type SoftPasskey } from '#api/testing/softAuthenticator.ts'
import { startServer, type TestBrowser, type TestServer } from '#api/testing/server.ts'
import { untilLockWaits } from '#api/testing/lockWaits.ts'
import { codeOf } from '#api/testing/codeOf.ts'

const database = useDatabase()

type Administrator = TestAdministrator & { browser: TestBrowser }

const who = (browser: TestBrowser) => browser.call(access.getAdminUser, {})
const refusedWith = (code: string) => ({ code })

const readState = ({ browser }: Administrator) => browser.call(contract.listAdminPasskeys, {})
const actionsOf = async (username: string) =>
  (await database.orm.em.fork().find(AuditEntry, { target: username }, { orderBy: { at: 'asc', id: 'asc' } })).map(
    ({ action }) => action,
  )

/** Adds a passkey, confirmed by a code, another passkey, or the password. */
async function add(one: Administrator, by: 'code' | 'password' | SoftPasskey = 'code', name = 'Key'): Promise<SoftPasskey> {
  const passkey = createPasskey(await one.browser.call(contract.beginAdminPasskey, { body: await proofOf(one, by) }))
  await one.browser.call(contract.addAdminPasskey, { body: { name, passkey: passkey.created } })
  return passkey
}

async function proofOf(one: Administrator, by: 'code' | 'password' | SoftPasskey) {
  if (by === 'code') return { token: await one.code() }
  if (by === 'password') return { password: TEST_PASSWORD }
  return { passkey: by.sign(await one.browser.call(contract.beginAdminProof, {})) }
}

/** An administrator with an authenticator and two passkeys. */
async function openWithPasskeys(server: TestServer) {
  const one = await openAdministrator(server, { otp: true })
  return { ...one, passkeys: [await add(one), await add(one)] as const }
}

/** The same without codes. */
async function openWithoutCodes(server: TestServer) {
  const one = await openWithPasskeys(server)
  await one.browser.call(access.adminDisableOtp, { body: { token: await one.code() } })
  return one
}

const showPassword = (browser: TestBrowser, { username }: Pick<TestAdministrator, 'username'>) =>
  browser.call(access.adminLogin, { body: { username, password: TEST_PASSWORD } })

async function usePasskey(browser: TestBrowser, passkey: SoftPasskey, deviation?: Deviation) {
  const options = await browser.call(contract.beginAdminPasskeyLogin, {})
  return browser.call(contract.loginAdminByPasskey, { body: { passkey: passkey.sign(options, deviation) } })
}

async function removeFirst(one: Administrator, by: 'code' | SoftPasskey) {
  const [first] = (await readState(one)).passkeys
  return one.browser.call(contract.removeAdminPasskey, { params: { id: first!.id }, body: await proofOf(one, by) })
}

describe('adding a passkey', () => {
  test('is confirmed with what the login asks for: the password alone, then a code, or a passkey', async () => {
    const server = await startServer(database)
    const one = await openAdministrator(server)
    const begin = (body: object) => one.browser.call(contract.beginAdminPasskey, { body })
    await expect(begin({})).rejects.toMatchObject({ status: 400, code: 'proof_required' })
    await expect(begin({ token: '123456' })).rejects.toMatchObject({ status: 400, code: 'proof_required' })
    await expect(begin({ password: 'a guess' })).rejects.toMatchObject({ status: 400, code: 'invalid_credentials' })

    await add(one, 'password')
    // One alone is not asked for yet.
    expect((await readState(one)).factors).toEqual([])
    expect(await showPassword(server.openBrowser(), one)).toMatchObject({ requiresOtp: false, factors: [] })
    const second = await add(one, 'password')
    expect((await readState(one)).factors).toEqual(['passkey'])
    await expect(begin({ password: TEST_PASSWORD })).rejects.toMatchObject({ status: 400, code: 'proof_required' })
    await add(one, second)

    const other = await openAdministrator(server, { otp: true })
    await expect(other.browser.call(contract.beginAdminPasskey, { body: { password: TEST_PASSWORD } })).rejects.toMatchObject({
      status: 400,
      code: 'proof_required',
    })
    await expect(
      other.browser.call(contract.beginAdminPasskey, { body: { token: await other.wrongCode() } }),
    ).rejects.toMatchObject({ status: 400, code: 'otp_invalid' })
    await add(other)
    expect((await readState(other)).factors).toEqual(['code', 'passkey'])
    expect(await actionsOf(other.username)).toEqual([
      'admin.password_accepted',
      'admin.login',
      'admin.proof_refused',
      'admin.proof_refused',
      'admin.passkey_add',
    ])
  })

  test('its options let only verified users answer, and offer the passkey to nobody who logs in as a buyer', async () => {
    const server = await startServer(database)
    const one = await openAdministrator(server)
    const options = await one.browser.call(contract.beginAdminPasskey, { body: { password: TEST_PASSWORD } })
    expect(options).toMatchObject({
      rp: { id: 'localhost' },
      user: { name: `${one.username} (XCR Nodes admin)` },
      authenticatorSelection: { residentKey: 'discouraged', userVerification: 'required' },
    })

    const passkey = await add(one, 'password')
    const buyer = server.openBrowser()
    const request = await buyer.call(beginPasskeyLogin, {})
    await expect(buyer.call(loginByPasskey, { body: { passkey: passkey.sign(request) } })).rejects.toMatchObject({
      code: 'passkey_unknown',
    })
  })

  const wrong: [string, Deviation][] = [
    ['of a foreign origin', { origin: 'https://evil.example' }],
    ['for another site', { rpId: 'evil.example' }],
    ['without user verification', { isVerified: false }],
  ]
  test.for(wrong)('an answer %s is refused', async ([, deviation]) => {
    const server = await startServer(database)
    const one = await openAdministrator(server)
    const options = await one.browser.call(contract.beginAdminPasskey, { body: { password: TEST_PASSWORD } })
    const { created: passkey } = createPasskey(options, deviation)

    await expect(one.browser.call(contract.addAdminPasskey, { body: { name: '', passkey } })).rejects.toMatchObject({
      code: 'passkey_invalid',
    })

    expect((await readState(one)).passkeys).toEqual([])
  })

  test('a confirmation with a passkey counts once, in its session, and for nothing else', async () => {
    const server = await startServer(database)
    const one = await openWithoutCodes(server)
    const begin = (browser: TestBrowser, passkey: ReturnType<SoftPasskey['sign']>) =>
      browser.call(contract.beginAdminPasskey, { body: { passkey } })
    const elsewhere = server.openBrowser()
    await showPassword(elsewhere, one)
    const ofLogin = one.passkeys[0].sign(await elsewhere.call(contract.beginAdminPasskeyLogin, {}))
    await usePasskey(elsewhere, one.passkeys[0])

    const answer = one.passkeys[0].sign(await one.browser.call(contract.beginAdminProof, {}))
    await expect(begin(elsewhere, answer)).rejects.toMatchObject(refusedWith('passkey_expired'))
    await expect(begin(one.browser, ofLogin)).rejects.toMatchObject(refusedWith('passkey_expired'))
    await begin(one.browser, answer)
    await expect(begin(one.browser, answer)).rejects.toMatchObject(refusedWith('passkey_expired'))
  })
})

describe('a login by passkey', () => {
  test('follows the password instead of a code, under a new session ID, and is audited', async () => {
    const server = await startServer(database)
    const one = await openWithPasskeys(server)
    const browser = server.openBrowser()

    expect(await showPassword(browser, one)).toEqual({
      requiresOtp: true,
      factors: ['code', 'passkey'],
      message: 'Please use a passkey or enter the code of your authenticator.',
    })
    await expect(who(browser)).rejects.toMatchObject({ status: 401 })
    const half = browser.cookie('admin_session')
    const options = await browser.call(contract.beginAdminPasskeyLogin, {})
    expect(options.allowCredentials?.map(({ id }) => id).toSorted()).toEqual(
      one.passkeys.map(({ created }) => created.id).toSorted(),
    )
    await browser.call(contract.loginAdminByPasskey, { body: { passkey: one.passkeys[1].sign(options) } })

    expect(browser.cookie('admin_session')).not.toBe(half)
    expect(await who(browser)).toMatchObject({ username: one.username })
    const logins = await database.orm.em
      .fork()
      .find(AuditEntry, { target: one.username, action: 'admin.login' }, { orderBy: { id: 'asc' } })
    expect(logins.map(({ after }) => after)).toEqual([null, { by: 'passkey' }])
  })

  test('needs the password first, and in the same browser', async () => {
    const server = await startServer(database)
    const one = await openWithPasskeys(server)
    const browser = server.openBrowser()
    await showPassword(browser, one)
    const answer = one.passkeys[0].sign(await browser.call(contract.beginAdminPasskeyLogin, {}))
    const stranger = server.openBrowser()

    await expect(stranger.call(contract.beginAdminPasskeyLogin, {})).rejects.toMatchObject(refusedWith('login_expired'))
    await expect(stranger.call(contract.loginAdminByPasskey, { body: { passkey: answer } })).rejects.toMatchObject(
      refusedWith('login_expired'),
    )
    server.clock.advance(5 * MINUTE)
    await expect(browser.call(contract.loginAdminByPasskey, { body: { passkey: answer } })).rejects.toMatchObject(
      refusedWith('login_expired'),
    )
  })

  test('ends with a half-login that a changed password has ended', async () => {
    const server = await startServer(database)
    const one = await openWithPasskeys(server)
    const browser = server.openBrowser()
    await showPassword(browser, one)
    const answer = one.passkeys[0].sign(await browser.call(contract.beginAdminPasskeyLogin, {}))
    await one.browser.call(access.changeAdminCredentials, { body: { currentPassword: TEST_PASSWORD, newPassword: 'another' } })

    await expect(browser.call(contract.loginAdminByPasskey, { body: { passkey: answer } })).rejects.toMatchObject(
      refusedWith('login_expired'),
    )
  })

  test('has five tries, which codes and passkeys share; failures are audited and lock no account', async () => {
    const server = await startServer(database)
    const one = await openWithPasskeys(server)
    const browser = server.openBrowser()
    await showPassword(browser, one)
    const tries = [
      await usePasskey(browser, one.passkeys[0], { isVerified: false }).catch(codeOf),
      await usePasskey(browser, one.passkeys[0], { origin: 'https://evil.example' }).catch(codeOf),
      await browser.call(access.adminVerifyOtp, { body: { token: await one.wrongCode() } }).catch(codeOf),
      await usePasskey(browser, one.passkeys[0], { isForged: true }).catch(codeOf),
      await usePasskey(browser, one.passkeys[0], { challenge: 'A'.repeat(43) }).catch(codeOf),
      await usePasskey(browser, one.passkeys[0]).catch(codeOf),
    ]

    expect(tries).toEqual([
      'passkey_invalid',
      'passkey_invalid',
      'otp_invalid',
      'passkey_invalid',
      'passkey_expired',
      'login_expired',
    ])
    expect((await actionsOf(one.username)).filter((action) => action === 'admin.login_failed')).toHaveLength(5)
    await logInAdministrator(browser, one)
    await who(browser)
  })

  test('works while wrong codes have locked the authenticator', async () => {
    const server = await startServer(database)
    const one = await openWithPasskeys(server)
    const thief = server.openBrowser()
    await showPassword(thief, one)
    for (let tries = 0; tries < 5; tries += 1)
      await thief.call(access.adminVerifyOtp, { body: { token: await one.wrongCode() } }).catch(codeOf)

    const browser = server.openBrowser()
    await showPassword(browser, one)
    await usePasskey(browser, one.passkeys[0])
    await who(browser)
  })

  test('of the same answer sent several times at once, one logs in', async () => {
    const server = await startServer(database)
    const one = await openWithPasskeys(server)
    const browser = server.openBrowser()
    await showPassword(browser, one)
    const passkey = one.passkeys[0].sign(await browser.call(contract.beginAdminPasskeyLogin, {}))
    const session = browser.cookie('admin_session')!
    const copies = Array.from({ length: 4 }, () => {
      const copy = server.openBrowser()
      copy.setCookie('admin_session', session)
      return copy
    })

    const answers = await Promise.allSettled(copies.map((copy) => copy.call(contract.loginAdminByPasskey, { body: { passkey } })))

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('a copied passkey is disabled, audited and mailed to the operator, all sessions end, and the password alone is not enough', async () => {
    const server = await startServer(database, { env: { ALERT_EMAIL: 'alerts@example.com' } })
    const one = await openWithoutCodes(server)
    const thief = server.openBrowser()
    await showPassword(thief, one)
    await usePasskey(thief, one.passkeys[0], { counter: 7 })
    await showPassword(thief, one)

    await expect(usePasskey(thief, one.passkeys[0], { counter: 7 })).rejects.toMatchObject(refusedWith('passkey_disabled'))

    await expect(who(one.browser)).rejects.toMatchObject({ status: 401 })
    expect(await actionsOf(one.username)).toContain('admin.passkey_copied')
    const [mail] = await mailsTo(database, 'alerts@example.com')
    expect(mail).toMatchObject({
      subject: 'A passkey of an administrator was disabled',
      text: expect.stringContaining(one.username),
    })
    expect(await showPassword(thief, one)).toMatchObject({ requiresOtp: true, factors: ['passkey'] })
    await usePasskey(one.browser, one.passkeys[1]).catch(codeOf)
    await showPassword(one.browser, one)
    await usePasskey(one.browser, one.passkeys[1])
    expect((await readState(one)).passkeys.map(({ isDisabled }) => isDisabled)).toEqual([true, false])
  })

  test('a login that is verified while a copy of the passkey is used is dead', async () => {
    const server = await startServer(database)
    const one = await openWithPasskeys(server)
    const [browser, thief] = [server.openBrowser(), server.openBrowser()]
    await showPassword(thief, one)
    await showPassword(browser, one)
    const answer = one.passkeys[0].sign(await browser.call(contract.beginAdminPasskeyLogin, {}), { counter: 7 })
    const held = { idHash: hashSessionId(browser.cookie('admin_session')!) }

    // The login is verified and committed, and waits to replace its session.
    const { login } = await database.orm.em.fork().transactional(async (em) => {
      await em.findOneOrFail(WebSession, held, { lockMode: LockMode.PESSIMISTIC_WRITE })
      const login = browser.call(contract.loginAdminByPasskey, { body: { passkey: answer } }).catch(codeOf)
      await untilLockWaits(database)
      await expect(usePasskey(thief, one.passkeys[0], { counter: 7 })).rejects.toMatchObject(refusedWith('passkey_disabled'))
      return { login }
    })

    expect(await login).toBe('passkey_unknown')
    await expect(who(browser)).rejects.toMatchObject({ status: 401 })
  })
})

test('a code of an authenticator that is newer than the session confirms only with the password', async () => {
  const server = await startServer(database)
  const thief = await openAdministrator(server)
  // The database's clock dates sessions, the test's clock the authenticator: an hour ago the session, then the authenticator.
  await sql(database.orm.em.fork(), `update web_sessions set created_at = now() - interval '1 hour'`)
  server.clock.advance(-30 * MINUTE)
  const { secret } = await thief.browser.call(access.adminSetupOtp, { body: {} })
  const code = async () => {
    server.clock.advance(MINUTE)
    return generate({ secret, epoch: Math.floor(server.clock.now().getTime() / SECOND) })
  }
  await thief.browser.call(access.adminEnableOtp, { body: { secret, token: await code() } })
  expect(await thief.browser.call(contract.listAdminPasskeys, {})).toMatchObject({ factors: ['code'], needsPassword: true })
  const add = async (browser: TestBrowser, proof: object = {}) =>
    browser.call(contract.beginAdminPasskey, { body: { token: await code(), ...proof } })
  await expect(add(thief.browser)).rejects.toMatchObject(refusedWith('proof_required'))
  await expect(add(thief.browser, { password: 'wrong' })).rejects.toMatchObject(refusedWith('invalid_credentials'))
  await add(thief.browser, { password: TEST_PASSWORD })

  const later = server.openBrowser()
  await logInAdministrator(later, { ...thief, code })
  expect(await later.call(contract.listAdminPasskeys, {})).toMatchObject({ needsPassword: false })
  await add(later)
})

test.each([
  ['two hours', 2 * HOUR],
  ['a minute', MINUTE],
])(
  'an authenticator that a server whose clock is %s behind the database enables is newer than the session, too',
  async (_, by) => {
    const server = await startServer(database)
    const thief = await openAdministrator(server)
    server.clock.advance(-by)
    const { secret } = await thief.browser.call(access.adminSetupOtp, { body: {} })
    const token = await generate({ secret, epoch: Math.floor(server.clock.now().getTime() / SECOND) })
    await thief.browser.call(access.adminEnableOtp, { body: { secret, token } })
    expect(await thief.browser.call(contract.listAdminPasskeys, {})).toMatchObject({ factors: ['code'], needsPassword: true })
  },
)

test('where the login asks for a passkey, a session and the password alone enable no authenticator', async () => {
  const server = await startServer(database)
  const one = await openWithoutCodes(server)
  const enable = async (proof: object) => {
    server.clock.advance(MINUTE)
    const { secret } = await one.browser.call(access.adminSetupOtp, { body: {} })
    const token = await generate({ secret, epoch: Math.floor(server.clock.now().getTime() / SECOND) })
    return one.browser.call(access.adminEnableOtp, { body: { secret, token, ...proof } })
  }

  await expect(enable({})).rejects.toMatchObject(refusedWith('proof_required'))
  await expect(enable({ password: TEST_PASSWORD })).rejects.toMatchObject(refusedWith('proof_required'))
  expect((await readState(one)).factors).toEqual(['passkey'])

  await enable(await proofOf(one, one.passkeys[1]))
  expect((await readState(one)).factors).toEqual(['code', 'passkey'])
})

describe('switching codes off', () => {
  test('needs two passkeys; the login then asks for a passkey and takes no code', async () => {
    const server = await startServer(database)
    const one = await openAdministrator(server, { otp: true })
    const passkey = await add(one)
    const disable = async () => one.browser.call(access.adminDisableOtp, { body: { token: await one.code() } })
    await expect(disable()).rejects.toMatchObject({ status: 409, code: 'passkeys_too_few' })
    await add(one)
    await disable()

    expect((await readState(one)).factors).toEqual(['passkey'])
    const browser = server.openBrowser()
    expect(await showPassword(browser, one)).toMatchObject({ requiresOtp: true, factors: ['passkey'] })
    await expect(browser.call(access.adminVerifyOtp, { body: { token: await one.code() } })).rejects.toMatchObject(
      refusedWith('otp_not_enabled'),
    )
    await usePasskey(browser, passkey)
    await who(browser)
  })

  test('without passkeys leaves the password alone, as before', async () => {
    const server = await startServer(database)
    const one = await openAdministrator(server, { otp: true })
    await one.browser.call(access.adminDisableOtp, { body: { token: await one.code() } })
    expect(await showPassword(server.openBrowser(), one)).toMatchObject({ requiresOtp: false, factors: [] })
  })

  test('keeps the last two passkeys, however many are removed at once', async () => {
    const server = await startServer(database)
    const one = await openWithoutCodes(server)
    const [first, second] = one.passkeys
    const third = await add(one, first)
    const ids = (await readState(one)).passkeys.map(({ id }) => id)
    const proofs = [await proofOf(one, first), await proofOf(one, second), await proofOf(one, third)]

    const answers = await Promise.allSettled(
      ids.map((id, index) => one.browser.call(contract.removeAdminPasskey, { params: { id }, body: proofs[index]! })),
    )

    const outcomes = answers.map((answer) =>
      answer.status === 'fulfilled' ? 'removed' : (codeOf(answer.reason) ?? String(answer.reason)),
    )
    expect(outcomes.toSorted()).toEqual(['passkeys_too_few', 'passkeys_too_few', 'removed'])
    expect((await readState(one)).passkeys).toHaveLength(2)
  })

  test('and removing one of two passkeys at the same time leaves no single one', async () => {
    const server = await startServer(database)
    const one = await openWithPasskeys(server)
    const [first] = (await readState(one)).passkeys
    const proof = await proofOf(one, one.passkeys[1])
    const token = await one.code()

    const answers = await Promise.allSettled([
      one.browser.call(access.adminDisableOtp, { body: { token } }),
      one.browser.call(contract.removeAdminPasskey, { params: { id: first!.id }, body: proof }),
    ])

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const { passkeys, factors } = await readState(one)
    expect([passkeys.length, factors]).toEqual(factors.includes('code') ? [1, ['code', 'passkey']] : [2, ['passkey']])
  })
})

describe('removing a passkey', () => {
  test('is confirmed and audited; a disabled one confirms nothing and may go only if two others remain', async () => {
    const server = await startServer(database)
    const one = await openWithPasskeys(server)
    const [first] = (await readState(one)).passkeys
    const remove = (body: object) => one.browser.call(contract.removeAdminPasskey, { params: { id: first!.id }, body })
    await expect(remove({})).rejects.toMatchObject(refusedWith('proof_required'))
    await expect(remove({ password: TEST_PASSWORD })).rejects.toMatchObject(refusedWith('proof_required'))
    await sql(database.orm.em.fork(), 'update passkeys set disabled_at = now() where id = $1', [first!.id])
    await expect(removeFirst(one, one.passkeys[0])).rejects.toMatchObject(refusedWith('passkey_disabled'))
    await removeFirst(one, one.passkeys[1])
    expect(await actionsOf(one.username)).toContain('admin.passkey_remove')
    await expect(
      one.browser.call(contract.removeAdminPasskey, { params: { id: first!.id }, body: { token: await one.code() } }),
    ).rejects.toMatchObject({ status: 404 })

    const other = await openWithoutCodes(server)
    const [copied] = (await readState(other)).passkeys
    await sql(database.orm.em.fork(), 'update passkeys set disabled_at = now() where id = $1', [copied!.id])
    await expect(removeFirst(other, other.passkeys[1])).rejects.toMatchObject(refusedWith('passkeys_too_few'))
    await add(other, other.passkeys[1])
    await removeFirst(other, other.passkeys[1])
    expect((await readState(other)).passkeys).toHaveLength(2)
  })

  test('of another administrator is not possible', async () => {
    const server = await startServer(database)
    const one = await openWithPasskeys(server)
    const other = await openWithPasskeys(server)
    const [theirs] = (await readState(other)).passkeys

    await expect(
      one.browser.call(contract.removeAdminPasskey, { params: { id: theirs!.id }, body: { token: await one.code() } }),
    ).rejects.toMatchObject({ status: 404 })
    // Nor does a passkey of another administrator confirm anything.
    const options = await one.browser.call(contract.beginAdminProof, {})
    await expect(
      one.browser.call(contract.beginAdminPasskey, { body: { passkey: other.passkeys[0].sign(options) } }),
    ).rejects.toMatchObject(refusedWith('passkey_unknown'))
  })
})

test('a new password and a reset authenticator leave the passkeys, so that neither reduces the login to one factor', async () => {
  const server = await startServer(database)
  const one = await openWithPasskeys(server)
  await one.browser.call(access.changeAdminCredentials, { body: { currentPassword: TEST_PASSWORD, newPassword: 'another' } })
  await database.orm.em.fork().transactional(async (em) => {
    await resetAdministratorPassword(em, { administrator: one, actor: 'operator:me', passwordHash: TEST_PASSWORD_HASH })
    await resetAdministratorOtp(em, { administrator: one, actor: 'operator:me' })
  })

  expect(await showPassword(server.openBrowser(), one)).toMatchObject({ factors: ['passkey'] })
  expect(await database.orm.em.fork().count(Passkey, { administrator: one.id })).toBe(2)
})
