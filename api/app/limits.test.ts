import { expect, test } from 'vitest'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import * as access from '#shared/contract/admin/login.ts'
import * as administrators from '#shared/contract/admin/administrators.ts'
import * as adminPasskeys from '#shared/contract/admin/passkeys.ts'
import { approveProposal } from '#shared/contract/admin/proposals.ts'
import { resetUserAuthenticator } from '#shared/contract/admin/users.ts'
import { findAnything } from '#shared/contract/admin/find.ts'
import { startIncident, updateIncident } from '#shared/contract/admin/incidents.ts'
import { sendAnnouncement } from '#shared/contract/admin/announcements.ts'
import { captchaChallenge, verifyCaptcha } from '#shared/contract/captcha.ts'
import * as demo from '#shared/contract/demo.ts'
import { freezeAccount, freezeByLink, readFreezeLink, thawAccount } from '#shared/contract/freezes.ts'
import { login, register, sendVerificationCode } from '#shared/contract/identity.ts'
import { disableOtp, enableOtp, renewRecoveryCodes, setupOtp, verifyOtp } from '#shared/contract/otp.ts'
import { addPasskey, beginPasskey, beginPasskeyLogin, loginByPasskey } from '#shared/contract/passkeys.ts'
import { changePassword, forgotPassword, resetPassword } from '#shared/contract/password.ts'
import { createPurchase, createReservation } from '#shared/contract/purchases.ts'
import { initializeSetup } from '#shared/contract/setup.ts'
import { updateWallet } from '#shared/contract/wallet.ts'
import { changeDailyLimit, requestWithdrawal } from '#shared/contract/withdrawals.ts'
import { demoRoutes } from '#api/dev/demo/demoRoutes.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { makeAdministrator, openAdministrator } from '#api/testing/administrators.ts'
import { useDatabase } from '#api/testing/database.ts'
import { TEST_PASSWORD } from '#api/testing/factories.ts'
import { makeBuyer } from '#api/testing/people.ts'
import { openSession } from '#api/testing/openSession.ts'
import { nameOf, readContract } from '#api/testing/readContract.ts'
import { startServer, type TestServer } from '#api/testing/server.ts'
import { createRateLimiter, type RateLimitName } from '#api/platform/http/limitRate.ts'

const database = useDatabase()

const PASSWORD = 'Passw0rd!word'
const email = 'person@example.com'
let visitors = 0

/** Sends a call from another network address. */
const callFrom = (server: TestServer, ip: string, { method, path }: Endpoint, body: object | undefined) =>
  fetch(server.url + path, {
    method,
    headers: { 'x-forwarded-for': ip, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })

const named = { id: 'AA', rawId: 'AA', type: 'public-key' }
const passkeyAnswer = { ...named, response: { clientDataJSON: 'AA', authenticatorData: 'AA', signature: 'AA' } }
const newPasskey = { ...named, response: { clientDataJSON: 'AA', attestationObject: 'AA' } }

const perAddress: [RateLimitName, Endpoint, object | undefined][] = [
  ['login_ip', login, { email, password: PASSWORD }],
  ['codes_sent_ip', sendVerificationCode, { email }],
  ['codes_sent_ip', forgotPassword, { email }],
  ['captcha_ip', captchaChallenge, undefined],
  ['freeze_ip', freezeByLink, { token: 'none' }],
  ['freeze_link_ip', readFreezeLink, { token: 'none' }],
  ['register_ip', register, { email, password: PASSWORD }],
  ['login_ip', beginPasskeyLogin, undefined],
  ['login_ip', loginByPasskey, { passkey: passkeyAnswer }],
  ['reset_ip', resetPassword, { email, code: '123456', newPassword: PASSWORD }],
]

test.for(perAddress)(
  '%s: too many calls from one network address are refused, calls from another are not',
  async ([name, endpoint, body]) => {
    const server = await startServer(database, { env: { TRUSTED_PROXIES: '1', RATE_LIMITS: `${name}=2/600` } })
    const [mine, theirs] = [`203.0.113.${++visitors}`, `203.0.113.${++visitors}`]
    const isLimited = async (answer: Response) => ((await answer.json()) as { code?: string }).code === 'rate_limited'
    for (let calls = 0; calls < 2; calls++) expect(await isLimited(await callFrom(server, mine, endpoint, body))).toBe(false)

    const refused = await callFrom(server, mine, endpoint, body)

    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(590)
    expect(await refused.json()).toEqual({ code: 'rate_limited', message: 'Too many attempts. Please try again in 10 minutes.' })
    expect(await isLimited(await callFrom(server, theirs, endpoint, body))).toBe(false)
  },
)

test('all addresses of one IPv6 network share a limit', async () => {
  const server = await startServer(database, { env: { TRUSTED_PROXIES: '1', RATE_LIMITS: 'login_ip=2/600' } })
  const tryFrom = async (ip: string) => (await callFrom(server, ip, login, { email, password: PASSWORD })).status
  for (const mine of ['2001:db8:1:2::1', '2001:db8:1:2:ffff::1']) expect(await tryFrom(mine)).not.toBe(429)

  expect(await tryFrom('2001:db8:1:2:0:1:0:1')).toBe(429)
  expect(await tryFrom('2001:db8:1:3::1')).not.toBe(429)
})

test.for([
  ['admin_login_site', access.adminLogin, { username: 'nobody', password: PASSWORD }],
  ['passkey_options_site', beginPasskeyLogin, undefined],
] as [RateLimitName, Endpoint, object | undefined][])(
  '%s: the networks of one IPv6 site share a limit, and another site has its own',
  async ([name, endpoint, body]) => {
    const server = await startServer(database, { env: { TRUSTED_PROXIES: '1', RATE_LIMITS: `${name}=2/600` } })
    const tryFrom = async (ip: string) => (await callFrom(server, ip, endpoint, body)).status
    for (const mine of ['2001:db8:5:1::1', '2001:db8:5:2::1']) expect(await tryFrom(mine)).not.toBe(429)

    expect(await tryFrom('2001:db8:5:3::1')).toBe(429)
    expect(await tryFrom('2001:db8:6:1::1')).not.toBe(429)
  },
)

const perAccount: [RateLimitName, Endpoint, object | undefined][] = [
  ['otp', setupOtp, undefined],
  ['otp', enableOtp, { secret: 'ABC', token: '123456' }],
  ['otp', verifyOtp, { token: '123456' }],
  ['otp', disableOtp, { token: '123456' }],
  ['otp', renewRecoveryCodes, undefined],
  ['otp', thawAccount, { password: PASSWORD, token: '123456' }],
  ['password', freezeAccount, { password: 'Wr0ng!word' }],
  ['otp', beginPasskey, {}],
  ['otp', addPasskey, { name: '', passkey: newPasskey }],
  ['password', changePassword, { currentPassword: 'Wr0ng!word', newPassword: PASSWORD }],
  ['password_change', changePassword, { currentPassword: 'Wr0ng!word', newPassword: PASSWORD }],
]

test.for(perAccount)(
  '%s: too many calls of one account are refused, calls of another are not',
  async ([name, endpoint, body]) => {
    const server = await startServer(database, { env: { RATE_LIMITS: `${name}=2/600` } })
    const [mine, theirs] = [await makeBuyer(server), await makeBuyer(server)]
    const call = async ({ browser }: typeof mine) =>
      browser.fetch(server.url + endpoint.path, {
        method: endpoint.method,
        ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      })
    for (let calls = 0; calls < 2; calls++) expect((await call(mine)).status).not.toBe(429)

    const refused = await call(mine)

    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(590)
    expect((await call(theirs)).status).not.toBe(429)
  },
)

test('a change of the password is counted with the right password too, also of a frozen account', async () => {
  const server = await startServer(database, { env: { RATE_LIMITS: 'password_change=2/600' } })
  const { browser, user } = await makeBuyer(server)
  await sql(database.orm.em.fork(), 'update users set frozen_at = now() where id = $1', [user.id])
  const change = () =>
    browser
      .call(changePassword, { body: { currentPassword: TEST_PASSWORD, newPassword: PASSWORD } })
      .catch((error: unknown) => error)
  for (let calls = 0; calls < 2; calls++) expect(await change()).toMatchObject({ code: 'account_frozen' })

  expect(await change()).toMatchObject({ status: 429, code: 'rate_limited' })
})

test('a change of an administrator’s credentials is counted with the right password too', async () => {
  const server = await startServer(database, { env: { RATE_LIMITS: 'password_change=2/600' } })
  const [{ browser }, { username }] = [await openAdministrator(server), await openAdministrator(server)]
  const body = { currentPassword: TEST_PASSWORD, newUsername: username, newPassword: PASSWORD }
  const change = () => browser.call(access.changeAdminCredentials, { body }).catch((error: unknown) => error)
  for (let calls = 0; calls < 2; calls++) expect(await change()).toMatchObject({ status: 400, code: 'invalid_request' })

  expect(await change()).toMatchObject({ status: 429, code: 'rate_limited' })
})

const wallet = `0x${'0'.repeat(39)}1`
const credentials = { username: 'owner', password: PASSWORD }
/** Valid bodies for every endpoint with a limit that has one. */
const bodies = new Map<Endpoint, object>([
  [login, { email, password: PASSWORD }],
  [sendVerificationCode, { email }],
  [forgotPassword, { email }],
  [verifyCaptcha, { captchaToken: 'none' }],
  [freezeByLink, { token: 'none' }],
  [readFreezeLink, { token: 'none' }],
  [thawAccount, { password: PASSWORD, token: '123456' }],
  [register, { email, password: PASSWORD }],
  [resetPassword, { email, code: '123456', newPassword: PASSWORD }],
  [changePassword, { currentPassword: PASSWORD, newPassword: PASSWORD }],
  [access.changeAdminCredentials, { currentPassword: PASSWORD, newPassword: PASSWORD }],
  [initializeSetup, { ...credentials, confirmPassword: PASSWORD, allowedIps: ['127.0.0.1'] }],
  [sendAnnouncement, { title: { en: 'One', ko: '하나' }, text: { en: 'Two', ko: '둘' } }],
  [startIncident, { title: { en: 'One' }, text: { en: 'Two' } }],
  [updateIncident, { title: { en: 'One' }, text: { en: 'Two' } }],
  [administrators.inviteAdministrator, { email, role: 'viewer' }],
  [administrators.changeAdministrator, { role: 'viewer' }],
  [administrators.removeAdministrator, {}],
  [approveProposal, { hash: 'none' }],
  [resetUserAuthenticator, { reason: 'Lost' }],
  [administrators.acceptInvitation, { token: 'none', ...credentials }],
  [access.adminLogin, credentials],
  [access.adminVerifyOtp, { token: '123456' }],
  [access.adminEnableOtp, { secret: 'ABC', token: '123456' }],
  [access.adminDisableOtp, { token: '123456' }],
  [loginByPasskey, { passkey: passkeyAnswer }],
  [beginPasskey, {}],
  [addPasskey, { name: '', passkey: newPasskey }],
  [adminPasskeys.beginAdminPasskey, {}],
  [adminPasskeys.addAdminPasskey, { name: '', passkey: newPasskey }],
  [adminPasskeys.removeAdminPasskey, {}],
  [adminPasskeys.loginAdminByPasskey, { passkey: passkeyAnswer }],
  [demo.fundDemoWallet, { address: wallet }],
  [demo.advanceDemoClock, { advanceHours: 1 }],
  [enableOtp, { secret: 'ABC', token: '123456' }],
  [verifyOtp, { token: '123456' }],
  [disableOtp, { token: '123456' }],
  [updateWallet, { walletAddress: wallet }],
  [createReservation, { requestedQuantity: 1 }],
  [createPurchase, { requestedQuantity: 1, purchaseAmountUsdt: '1' }],
  [changeDailyLimit, { limit: '1' }],
  [requestWithdrawal, { amount: '1', signature: '0x00', signedMessage: 'none', signerAddress: wallet }],
])

test('every endpoint of the contract with a limit counts its calls', async () => {
  const limited = (await readContract()).filter(({ limit }) => limit !== 'none' && limit !== 'failures')
  const env = { TRUSTED_PROXIES: '1', RATE_LIMITS: limited.map(({ limit }) => `${limit}=0/600`).join(' ') }
  const server = await startServer(database, { env, extraRoutes: [demoRoutes] })
  const sessionOf = (realm: 'user' | 'admin', accountId: string) =>
    openSession(database.orm.em.fork(), { realm, accountId, accountEpoch: 0 })
  const user = await sessionOf('user', (await makeBuyer(server)).user.id)
  const admin = await sessionOf('admin', (await makeAdministrator(server)).id)
  const callOnce = async (endpoint: Endpoint) => {
    const body = bodies.get(endpoint)
    const path = endpoint === findAnything ? `${endpoint.path}?text=somebody` : endpoint.path.replace(':id', newId())
    const answer = await fetch(server.url + path, {
      method: endpoint.method,
      headers: {
        'x-forwarded-for': '203.0.113.240',
        cookie: endpoint.access === 'admin' ? admin : user,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    return `${nameOf(endpoint)}: ${((await answer.json()) as { code?: string }).code}`
  }

  expect(limited.length).toBeGreaterThan(20)
  // One after the other: more files at once than may be prepared are refused as busy.
  const answers: string[] = []
  for (const endpoint of limited) answers.push(await callOnce(endpoint))
  expect(answers).toEqual(limited.map((endpoint) => `${nameOf(endpoint)}: rate_limited`))
})

test('only outside production, limits per network address do not apply to this machine; limits per account always apply', async () => {
  const tries = async (production: boolean, name: RateLimitName, key: string) => {
    const limits = createRateLimiter({ url: database.url, production, overrides: `${name}=1/600` })
    await limits.clear(name, key)
    const answers = await Promise.allSettled([limits.count(name, key), limits.count(name, key)])
    await limits.stop()
    return answers.map(({ status }) => status)
  }

  expect(await tries(false, 'login_ip', '127.0.0.1')).toEqual(['fulfilled', 'fulfilled'])
  expect(await tries(true, 'login_ip', '127.0.0.1')).toContain('rejected')
  expect(await tries(false, 'login_ip', '203.0.113.250')).toContain('rejected')
  expect(await tries(false, 'login_failures', email)).toContain('rejected')
})

test('the longest possible email address can be counted', async () => {
  const limits = createRateLimiter({ url: database.url, production: false, overrides: 'codes_sent=1/600' })
  const key = `register ${'x'.repeat(242)}@example.com`

  await limits.count('codes_sent', key)
  await expect(limits.count('codes_sent', key)).rejects.toMatchObject({ code: 'rate_limited' })
  await limits.uncount('codes_sent', key)
  expect(await limits.countBeyond('codes_sent', key)).toBe(true)
  await limits.stop()
  expect(await sql(database.orm.em.fork(), `select from rate_limits where key like 'codes_sent:%xxx%'`)).toEqual([])
})
