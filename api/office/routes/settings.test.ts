import { generate } from 'otplib'
import { beforeEach, describe, expect, test } from 'vitest'
import * as contract from '#shared/contract/admin/login.ts'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { SECOND } from '#shared/dates.ts'
import { errorBody } from '#shared/errors.ts'
import { sql } from '#api/platform/db/sql.ts'
import { Administrator } from '#api/entities/Administrator.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { logInAdministrator, makeAdministrator, openAdministrator } from '#api/testing/administrators.ts'
import { useDatabase } from '#api/testing/database.ts'
import { TEST_PASSWORD } from '#api/testing/factories.ts'
import { startServer, type TestBrowser, type TestServer } from '#api/testing/server.ts'
import { endRateLimits } from '#api/testing/endRateLimits.ts'

const database = useDatabase()

beforeEach(() => sql(database.orm.em.fork(), 'update installation set admin_allowed_ips = null, admin_initial_ips = null'))

const who = (browser: TestBrowser) => browser.call(contract.getAdminUser, {})
/** Skips the client's validation. */
async function refusalOf(
  server: TestServer,
  browser: TestBrowser,
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  body: object,
) {
  const headers = { 'content-type': 'application/json' }
  const answer = await browser.fetch(server.url + path, { method, headers, body: JSON.stringify(body) })
  return { status: answer.status, ...errorBody.parse(await answer.json()) }
}

const unauthorized = { status: 401, serverMessage: 'Unauthorized' }

const lastAudit = (username: string) =>
  database.orm.em.fork().findOneOrFail(AuditEntry, { actor: `admin:${username}` }, { orderBy: { at: 'desc', id: 'desc' } })

describe('the credentials', () => {
  const change = (browser: TestBrowser, body: { currentPassword: string; newUsername?: string; newPassword?: string }) =>
    browser.call(contract.changeAdminCredentials, { body })

  test('a change ends every other session and half-login and gives this session a new ID', async () => {
    const server = await startServer(database)
    const { browser, ...administrator } = await openAdministrator(server)
    const elsewhere = server.openBrowser()
    await logInAdministrator(elsewhere, administrator)
    const before = browser.cookie('admin_session')!
    const username = `${administrator.username}-2`

    const answer = await change(browser, { currentPassword: TEST_PASSWORD, newUsername: ` ${username} `, newPassword: 'x' })

    expect(answer.username).toBe(username)
    expect(browser.cookie('admin_session')).not.toBe(before)
    expect(await browser.call(contract.getAdminCredentials, {})).toEqual({ username })
    await expect(who(elsewhere)).rejects.toMatchObject(unauthorized)
    const stolen = server.openBrowser()
    stolen.setCookie('admin_session', before)
    await expect(who(stolen)).rejects.toMatchObject(unauthorized)
    await stolen.call(contract.adminLogin, { body: { username, password: 'x' } })
    expect(await lastAudit(administrator.username)).toMatchObject({
      action: 'admin.credentials',
      before: { username: administrator.username },
      after: { username, passwordChanged: true },
    })
  })

  test('a change between password and code ends the half-login', async () => {
    const server = await startServer(database)
    const { browser, ...administrator } = await openAdministrator(server, { otp: true })
    const half = server.openBrowser()
    await half.call(contract.adminLogin, { body: { username: administrator.username, password: TEST_PASSWORD } })

    await change(browser, { currentPassword: TEST_PASSWORD, newPassword: 'another' })

    const answer = half.call(contract.adminVerifyOtp, { body: { token: await administrator.code() } })
    await expect(answer).rejects.toMatchObject({ code: 'login_expired' })
  })

  test('are unchanged by a wrong current password (which counts), an empty change, or a taken name', async () => {
    const server = await startServer(database)
    const { browser, ...administrator } = await openAdministrator(server)
    const other = await makeAdministrator(server)

    const wrong = { status: 400, code: 'invalid_credentials', serverMessage: 'The current password is incorrect.' }
    for (let tries = 0; tries < 10; tries += 1) {
      await expect(change(browser, { currentPassword: 'a guess', newPassword: 'x' })).rejects.toMatchObject(wrong)
    }
    await expect(change(browser, { currentPassword: TEST_PASSWORD, newPassword: 'x' })).rejects.toMatchObject({ status: 429 })
    await endRateLimits(database)

    expect(await refusalOf(server, browser, contract.changeAdminCredentials, { currentPassword: TEST_PASSWORD })).toMatchObject({
      status: 400,
      message: 'Please enter a new username or a new password.',
    })
    await expect(change(browser, { currentPassword: TEST_PASSWORD, newUsername: other.username })).rejects.toMatchObject({
      serverMessage: 'This username is already taken.',
    })
    expect(await who(browser)).toMatchObject({ username: administrator.username })
  })

  test('an earlier name of an administrator is free for nobody, so that the audit log names one person', async () => {
    const server = await startServer(database)
    const [one, two] = [await openAdministrator(server), await openAdministrator(server)]
    const rename = (browser: TestBrowser, newUsername: string) => change(browser, { currentPassword: TEST_PASSWORD, newUsername })
    const renamed = `${one.username}-2`
    await rename(one.browser, renamed)
    const used = { status: 400, serverMessage: 'This username was used before. Please choose another one.' }

    await expect(rename(two.browser, one.username)).rejects.toMatchObject(used)
    await expect(rename(one.browser, one.username)).rejects.toMatchObject(used)

    expect(await rename(one.browser, renamed)).toMatchObject({ username: renamed })
    expect(await who(two.browser)).toMatchObject({ username: two.username })
  })

  test('of two concurrent changes one succeeds', async () => {
    const server = await startServer(database)
    const { browser, id } = await openAdministrator(server)

    const answers = await Promise.allSettled(
      ['one', 'two'].map((newPassword) => change(browser, { currentPassword: TEST_PASSWORD, newPassword })),
    )

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await database.orm.em.fork().findOneOrFail(Administrator, id)).sessionEpoch).toBe(1)
  })
})

describe('the authenticator', () => {
  test('is set up, required at the next login, and disabled with a code; the audit entry contains no secret', async () => {
    const server = await startServer(database)
    const { browser, ...administrator } = await openAdministrator(server)
    const codeOf = (secret: string) => generate({ secret, epoch: Math.floor(server.clock.now().getTime() / SECOND) })
    expect(await browser.call(contract.adminOtpStatus, {})).toEqual({ otpEnabled: false })

    const { secret, qrCode } = await browser.call(contract.adminSetupOtp, { body: {} })
    expect(qrCode).toMatch(/^data:image\/png;base64,/)
    await browser.call(contract.adminEnableOtp, { body: { secret, token: await codeOf(secret) } })
    expect(await browser.call(contract.adminOtpStatus, {})).toEqual({ otpEnabled: true })
    await expect(browser.call(contract.adminSetupOtp, { body: {} })).rejects.toMatchObject({ code: 'otp_already_enabled' })

    const again = server.openBrowser()
    const body = { username: administrator.username, password: TEST_PASSWORD }
    expect(await again.call(contract.adminLogin, { body })).toMatchObject({ requiresOtp: true })
    // Used by enabling.
    const used = again.call(contract.adminVerifyOtp, { body: { token: await codeOf(secret) } })
    await expect(used).rejects.toMatchObject({ code: 'otp_invalid' })
    server.clock.advance(30 * SECOND)
    await again.call(contract.adminVerifyOtp, { body: { token: await codeOf(secret) } })

    server.clock.advance(30 * SECOND)
    await again.call(contract.adminDisableOtp, { body: { token: await codeOf(secret) } })
    expect(await again.call(contract.adminOtpStatus, {})).toEqual({ otpEnabled: false })
    const records = await database.orm.em.fork().find(AuditEntry, { target: administrator.username }, { orderBy: { id: 'asc' } })
    expect(records.map(({ action }) => action)).toEqual([
      'admin.login',
      'admin.otp_setup',
      'admin.otp_enable',
      'admin.password_accepted',
      'admin.login_failed',
      'admin.login',
      'admin.otp_disable',
    ])
    expect(JSON.stringify(records)).not.toContain(secret)
  })

  test('a secret of another session, a wrong code and a code without a secret are refused', async () => {
    const server = await startServer(database)
    const { browser, ...administrator } = await openAdministrator(server)
    const elsewhere = server.openBrowser()
    await logInAdministrator(elsewhere, administrator)
    const { secret } = await elsewhere.call(contract.adminSetupOtp, { body: {} })

    const foreign = browser.call(contract.adminEnableOtp, { body: { secret, token: '123456' } })
    await expect(foreign).rejects.toMatchObject({ status: 409, code: 'otp_setup_expired' })
    const disabled = browser.call(contract.adminDisableOtp, { body: { token: '123456' } })
    await expect(disabled).rejects.toMatchObject({ status: 409, code: 'otp_not_enabled' })
    expect(await browser.call(contract.adminOtpStatus, {})).toEqual({ otpEnabled: false })
  })
})

describe('the allowed addresses', () => {
  const set = (browser: TestBrowser, allowedIPs: string[]) => browser.call(contract.setIpAccess, { body: { allowedIPs } })

  test('are shown, set in normalized form, and removed; each change is audited', async () => {
    const server = await startServer(database)
    const { browser, username } = await openAdministrator(server)
    const open = { isRestricted: false, currentIP: '127.0.0.1', allowedIPs: [], initialIPs: [], maxIPs: 2 }
    expect(await browser.call(contract.getIpAccess, {})).toEqual(open)

    const allowedIPs = ['127.0.0.1', '10.0.0.7']
    expect(await set(browser, [' ::1 ', '::ffff:10.0.0.7'])).toMatchObject({ isRestricted: true, allowedIPs })
    // Two notations of one address.
    await expect(set(browser, ['127.0.0.1', '::1'])).rejects.toMatchObject({
      status: 400,
      serverMessage: 'The list contains an IP address twice.',
    })
    expect(await lastAudit(username)).toMatchObject({
      action: 'admin.ip_access',
      ipAddress: '127.0.0.1',
      before: { allowedIPs: null },
      after: { allowedIPs },
    })

    expect(await browser.call(contract.clearIpAccess, { body: {} })).toMatchObject(open)
    expect(await lastAudit(username)).toMatchObject({ before: { allowedIPs }, after: { allowedIPs: null } })
  })

  test('are limited to two, or to the number entered at set-up', async () => {
    const server = await startServer(database)
    const { browser } = await openAdministrator(server)
    const three = ['127.0.0.1', '10.0.0.1', '10.0.0.2']

    await expect(set(browser, three)).rejects.toMatchObject({
      status: 400,
      serverMessage: 'At most 2 IP addresses can be allowed.',
    })
    await sql(database.orm.em.fork(), 'update installation set admin_initial_ips = $1', [three])
    expect(await set(browser, three)).toMatchObject({ allowedIPs: three, initialIPs: three, maxIPs: 3 })
  })

  test.each([[[]], [['10.0.0.300']], [['']], [['10.0.0.0/8']], [['127.0.0.1', 'localhost']]])(
    '%j is refused, and nothing changes',
    async (allowedIPs) => {
      const server = await startServer(database)
      const { browser } = await openAdministrator(server)

      const refused = { status: 400, code: 'invalid_request' }
      expect(await refusalOf(server, browser, contract.setIpAccess, { allowedIPs })).toMatchObject(refused)
      expect(await browser.call(contract.getIpAccess, {})).toMatchObject({ isRestricted: false })
    },
  )
})
