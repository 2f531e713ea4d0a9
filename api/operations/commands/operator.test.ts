import { MikroORM } from '@mikro-orm/postgresql'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import * as contract from '#shared/contract/admin/login.ts'
import * as otp from '#shared/contract/otp.ts'
import { HOUR } from '#shared/dates.ts'
import { findNewPasswordProblem, signUpPassword } from '#shared/passwordRules.ts'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { prepareDatabase } from '#api/entities/prepareDatabase.ts'
import type { Environment } from '#api/platform/config.ts'
import { sql } from '#api/platform/db/sql.ts'
import { claimDatabase } from '#api/sale/purchases/restoredDatabase.ts'
import { query } from '#api/entities/tables.ts'
import { openRoles, type RoleUrls } from '#api/dev/openRoles.ts'
import { startPostgres } from '#api/dev/startPostgres.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { Passkey } from '#api/entities/Passkey.ts'
import { newId } from '#api/platform/db/newId.ts'
import { RecoveryCode } from '#api/entities/RecoveryCode.ts'
import { ReviewedWallet } from '#api/entities/ReviewedWallet.ts'
import { StepUpMark } from '#api/entities/StepUpMark.ts'
import { User } from '#api/entities/User.ts'
import { makeAdministrator, openAdministrator } from '#api/testing/administrators.ts'
import { startPaymentChain } from '#api/testing/chains.ts'
import { useDatabase } from '#api/testing/database.ts'
import { TEST_PASSWORD } from '#api/testing/factories.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { makeBuyer } from '#api/testing/people.ts'
import { startServer } from '#api/testing/server.ts'
import { testConfig } from '#api/testing/testConfig.ts'

const database = useDatabase()

interface Outcome {
  code: number
  output: string
  errors: string
}

/** Runs a command like `npm run admin`, on the test's database unless another folder is given. */
async function operate(
  args: readonly string[],
  { dataDir, env = {} }: { dataDir?: string; env?: Environment } = {},
): Promise<Outcome> {
  const { PATH, HOME } = process.env
  const where = dataDir ? { DATA_DIR: dataDir } : { DATABASE_URL: database.url, DATA_DIR: '/nowhere' }
  const command = spawn(process.execPath, [path.join(import.meta.dirname, 'operator.ts'), ...args], {
    env: { PATH, HOME, ...where, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [output, errors] = ['', '']
  command.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  command.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const [code] = (await once(command, 'close')) as [number]
  return { code, output, errors }
}

const lastAudit = (target: string) =>
  database.orm.em.fork().findOneOrFail(AuditEntry, { target }, { orderBy: { at: 'desc', id: 'desc' } })

const byOperator = { actor: `operator:${os.userInfo().username}` }

test('help lists every command; wrong usage prints the help and exits with 2', async () => {
  const help = await operate(['help'])
  expect(help.code).toBe(0)
  for (const name of [
    'reset-otp <',
    'freeze <',
    'thaw <',
    'reset-passkeys <',
    'clear-ips',
    'reset-admin-password [username]',
    'reconcile-payouts',
    'attribute-transfer <',
    'acknowledge-transfer <',
    'forgive-debt <',
    'review-payments <wallets, or none>',
    'archive-months <',
    'migrate',
    'rotate-encryption-key',
    'end-sessions',
  ])
    expect(help.output).toContain(`\n  ${name}`)

  for (const args of [[], ['reset-everything'], ['reset-otp'], ['clear-ips', 'now'], ['constructor']]) {
    expect(await operate(args), args.join(' ')).toMatchObject({ code: 2, output: '', errors: help.output })
  }
})

test('archive-months archives nothing of a young installation, and refuses unknown options', async () => {
  expect(await operate(['archive-months', '/nowhere'])).toMatchObject({
    code: 0,
    output: 'There is nothing to archive: no month is older than thirteen months.\n',
  })
  expect(await operate(['archive-months', '/nowhere', 'drop'])).toMatchObject({
    code: 1,
    errors: 'Use: archive-months <folder> [--drop]\n',
  })
  const withoutFolder = await operate(['archive-months', '--drop'])
  expect(withoutFolder).toMatchObject({ code: 1, errors: expect.stringContaining('Use: archive-months <folder> [--drop]') })
})

test('reset-otp removes a user’s authenticator, ends the sessions, holds withdrawals for a day, and notifies the user', async () => {
  const server = await startServer(database)
  const buyer = await makeBuyer(server)
  await buyer.grantMark()
  const em = database.orm.em.fork()
  em.create(RecoveryCode, { user: buyer.user.id, codeHash: 'h', createdAt: new Date() })
  await em.flush()
  const begun = Date.now()

  const { code, output } = await operate(['reset-otp', ` ${buyer.user.email.toUpperCase()}`])

  expect([code, output]).toEqual([
    0,
    expect.stringMatching(/^The authenticator of .+ is reset.+ on hold for 24 hours and are then paid without a person/),
  ])
  await expect(buyer.browser.call(otp.otpStatus, {})).rejects.toMatchObject({ status: 401 })
  const user = await database.orm.em.fork().findOneOrFail(User, buyer.user.id)
  expect(user.otpSecret).toBeNull()
  expect(user.withdrawalsReviewedUntil!.getTime()).toBeGreaterThanOrEqual(begun + 24 * HOUR)
  expect(await database.orm.em.fork().count(StepUpMark, { user: user.id, consumedAt: null })).toBe(0)
  expect(await database.orm.em.fork().count(RecoveryCode, { user: user.id })).toBe(0)
  expect(await mailsTo(database, user.email)).toMatchObject([{ subject: 'Your authenticator was reset' }])
  expect(await lastAudit(user.email)).toMatchObject({
    ...byOperator,
    action: 'otp.reset',
    before: { recoveryCodesLeft: 1, frozenAt: null },
  })

  expect(await operate(['reset-otp', user.email])).toMatchObject({
    code: 1,
    errors: `The user ${user.email} has no authenticator.\n`,
  })
  expect(await operate(['reset-otp', 'nobody@example.com'])).toMatchObject({
    code: 1,
    errors: 'There is no user nobody@example.com.\n',
  })
})

test('freeze and thaw an account at once with a reason, and tell its owner', async () => {
  const server = await startServer(database)
  const { browser, user } = await makeBuyer(server)
  const read = () => database.orm.em.fork().findOneOrFail(User, user.id)

  for (const command of ['freeze', 'thaw'])
    expect(await operate([command, user.email, ' '])).toMatchObject({ code: 1, errors: 'Give a reason.\n' })
  expect(await operate(['thaw', user.email, 'Known.'])).toMatchObject({ code: 1, errors: 'This account is not frozen.\n' })
  expect((await read()).frozenAt).toBeNull()

  expect(await operate(['freeze', ` ${user.email.toUpperCase()}`, 'Called.'])).toMatchObject({
    code: 0,
    output: `${user.email} is frozen. Withdrawals that were signed already and are paid: 0.\n`,
  })
  expect(await read()).toMatchObject({ frozenAt: expect.any(Date), thawsAt: null })
  await expect(browser.call(otp.otpStatus, {})).rejects.toMatchObject({ status: 401 })
  expect(await lastAudit(user.email)).toMatchObject({ ...byOperator, action: 'account.freeze', after: { reason: 'Called.' } })

  expect(await operate(['thaw', user.email, 'Met in person.'])).toMatchObject({ code: 0 })
  expect(await read()).toMatchObject({ thawsAt: expect.any(Date) })
  expect(await lastAudit(user.email)).toMatchObject({
    ...byOperator,
    action: 'account.thaw',
    after: { reason: 'Met in person.' },
  })
  const mails = await mailsTo(database, user.email)
  expect(mails.map(({ subject }) => subject)).toEqual(['Your account was thawed', 'Your account is frozen'])
  expect(mails[0]!.text).toContain('http://localhost:3000/freeze#token=')
})

test('review-payments takes several wallets or none, and refuses what is not an address', async () => {
  const chain = await startPaymentChain()
  onTestFinished(() => chain.release())
  const { ENCRYPTION_KEY, SMTP_URL, DEPOSIT_ADDRESS, XCR_RPC_URLS, XCR_TOKEN_ADDRESS, PAYOUT_PRIVATE_KEY } = testConfig({
    DATABASE_URL: database.url,
  })
  const others = {
    ENCRYPTION_KEY,
    SMTP_URL,
    DEPOSIT_ADDRESS,
    XCR_RPC_URLS: XCR_RPC_URLS.join(),
    XCR_TOKEN_ADDRESS,
    PAYOUT_PRIVATE_KEY,
  }
  const env = { ...others, BSC_RPC_URLS: chain.url, REGISTER: 'off', PUSH: 'off' }
  const [one, other] = ['0x' + 'AB'.repeat(20), '0x' + '12'.repeat(20)]
  await query(database.orm.em.fork()).updateTable('chain_progress').set({ settledIn: 'another' }).execute()
  expect(await operate(['review-payments', `${one},0x12`], { env })).toMatchObject({
    code: 1,
    errors: expect.stringContaining('0x12 is not'),
  })
  const mistyped = '0x55d398326f99059fF775485246999027B3197956'
  expect(await operate(['review-payments', mistyped], { env })).toMatchObject({
    code: 1,
    errors: `${mistyped} has a typing error: its checksum is wrong. Nothing was changed.\n`,
  })
  expect(await database.orm.em.fork().transactional(claimDatabase)).toBe(false)

  expect(await operate(['review-payments', `${one}, ${other}`], { env })).toMatchObject({
    code: 0,
    output: expect.stringContaining('2 wallets'),
  })
  const wallets = await database.orm.em.fork().findAll(ReviewedWallet, { orderBy: { address: 'asc' } })
  expect(wallets.map(({ address }) => address)).toEqual([other, one.toLowerCase()])
  const { at } = await database.orm.em.fork().findOneOrFail(AuditEntry, { action: 'payments.review' })
  expect(wallets[0]!.until <= at).toBe(true)
  expect(await database.orm.em.fork().transactional(claimDatabase)).toBe(true)

  expect(await operate(['review-payments', 'none'], { env })).toMatchObject({
    code: 0,
    output: 'Payments are credited in this database from now on.\n',
  })
  expect(await operate(['review-payments', 'none'], { env: { ...env, BSC_RPC_URLS: 'http://127.0.0.1:9' } })).toMatchObject({
    code: 1,
    errors: 'Too few endpoints of the payment chain answer. Nothing was changed.\n',
  })
})

test('reset-otp finds an administrator whose name is an address, and refuses to guess if it is also that of a user', async () => {
  const server = await startServer(database)
  const { user } = await makeBuyer(server)
  const { username } = await openAdministrator(server, { otp: true, username: 'alice@example.com' })
  expect(await operate(['reset-otp', username])).toMatchObject({ code: 0, output: expect.stringContaining('administrator') })

  await openAdministrator(server, { otp: true, username: user.email })
  expect(await operate(['reset-otp', user.email])).toMatchObject({
    code: 1,
    errors: expect.stringContaining(`admin:${user.email}`),
  })
  expect((await database.orm.em.fork().findOneOrFail(User, user.id)).otpSecret).not.toBeNull()
  expect(await operate(['reset-otp', `admin:${user.email}`])).toMatchObject({ code: 0 })
  expect(await operate(['reset-otp', `user:${user.email}`])).toMatchObject({ code: 0 })
})

test("reset-otp removes an administrator's authenticator and ends the sessions", async () => {
  const server = await startServer(database)
  const { browser, username } = await openAdministrator(server, { otp: true })

  expect(await operate(['reset-otp', username])).toMatchObject({ code: 0 })

  await expect(browser.call(contract.getAdminUser, {})).rejects.toMatchObject({ status: 401 })
  const body = { username, password: TEST_PASSWORD }
  expect(await browser.call(contract.adminLogin, { body })).toMatchObject({ requiresOtp: false })
  expect(await database.orm.em.fork().count(AuditEntry, { target: username, ...byOperator, action: 'admin.otp_reset' })).toBe(1)
  expect(await operate(['reset-otp', 'nobody'])).toMatchObject({ code: 1, errors: 'There is no administrator "nobody".\n' })
})

test('reset-passkeys removes the passkeys of a user or an administrator, and ends the sessions', async () => {
  const server = await startServer(database)
  const buyer = await makeBuyer(server)
  const { browser, id, username } = await openAdministrator(server)
  const em = database.orm.em.fork()
  for (const owner of [{ user: buyer.user.id }, { administrator: id }, { administrator: id }])
    em.create(Passkey, {
      ...owner,
      credentialId: newId(),
      publicKey: '',
      counter: 0,
      transports: [],
      canBeSynced: false,
      isSynced: false,
      name: 'Key',
      createdAt: new Date(),
    })
  await em.flush()

  expect(await operate(['reset-passkeys', ` ${buyer.user.email.toUpperCase()}`])).toMatchObject({
    code: 0,
    output: `The passkeys of ${buyer.user.email} are removed: 1. The user is notified by email.\n`,
  })
  await expect(buyer.browser.call(otp.otpStatus, {})).rejects.toMatchObject({ status: 401 })
  expect(await mailsTo(database, buyer.user.email)).toMatchObject([{ subject: 'Your passkeys were removed' }])
  expect(await lastAudit(buyer.user.email)).toMatchObject({ ...byOperator, action: 'passkey.reset' })
  expect(await operate(['reset-passkeys', buyer.user.email])).toMatchObject({ code: 1 })

  expect(await operate(['reset-passkeys', username])).toMatchObject({
    code: 0,
    output: `The passkeys of the administrator ${username} are removed: 2. Login now requires only the password.\n`,
  })
  await expect(browser.call(contract.getAdminUser, {})).rejects.toMatchObject({ status: 401 })
  const body = { username, password: TEST_PASSWORD }
  expect(await browser.call(contract.adminLogin, { body })).toMatchObject({ requiresOtp: false })
  expect(await lastAudit(username)).toMatchObject({ action: 'admin.login' })
  expect(await operate(['reset-passkeys', username])).toMatchObject({ code: 1 })
})

test('clear-ips allows a locked-out administrator to log in again', async () => {
  const server = await startServer(database)
  const { browser } = await openAdministrator(server)
  await browser.call(contract.setIpAccess, { body: { allowedIPs: ['10.0.0.7'] } })
  await expect(browser.call(contract.getAdminUser, {})).rejects.toMatchObject({ code: 'ip_not_allowed' })

  expect(await operate(['clear-ips'])).toMatchObject({ code: 0 })

  expect(await browser.call(contract.getIpAccess, {})).toMatchObject({ isRestricted: false })
  const [record] = await database.orm.em
    .fork()
    .find(AuditEntry, { action: 'admin.ip_access' }, { orderBy: { at: 'desc', id: 'desc' }, limit: 1 })
  expect(record).toMatchObject({ ...byOperator, before: { allowedIPs: ['10.0.0.7'] }, after: { allowedIPs: null } })
})

test('reset-admin-password prints a working password, ends the sessions, and stores no plain text of it', async () => {
  const server = await startServer(database)
  for (const table of ['half_logins', 'known_devices', 'administrators'])
    await sql(database.orm.em.fork(), `delete from ${table}`)
  const { browser, username } = await openAdministrator(server)

  const { code, output } = await operate(['reset-admin-password'])

  expect(code).toBe(0)
  const password = /The temporary password of \S+ is (\S+)\n/.exec(output)![1]!
  expect(signUpPassword.safeParse(password).success).toBe(true)
  expect(findNewPasswordProblem(password)).toBeUndefined()
  await expect(browser.call(contract.getAdminUser, {})).rejects.toMatchObject({ status: 401 })
  const old = browser.call(contract.adminLogin, { body: { username, password: TEST_PASSWORD } })
  await expect(old).rejects.toMatchObject({ code: 'invalid_credentials' })
  await browser.call(contract.adminLogin, { body: { username, password } })
  const records = await database.orm.em.fork().find(AuditEntry, { target: username })
  expect(records).toContainEqual(expect.objectContaining({ ...byOperator, action: 'admin.password_reset' }))
  expect(JSON.stringify(records)).not.toContain(password)

  await makeAdministrator(server)
  expect(await operate(['reset-admin-password'])).toMatchObject({ code: 1, output: '' })
  expect(await operate(['reset-admin-password', username])).toMatchObject({ code: 0 })
})

test('without a database it reports the error; on the data of a stopped stack it works and stops the database again', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'stopped-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  expect(await operate(['clear-ips'], { dataDir: folder })).toMatchObject({
    code: 1,
    errors: 'No database found. Set DATABASE_URL, or run npm start once.\n',
  })

  const dataDir = path.join(folder, 'postgres')
  const readIps = async (change?: (orm: MikroORM, roles: RoleUrls) => Promise<unknown>) => {
    const postgres = await startPostgres({ dataDir, unsafe: true })
    const roles = await openRoles(postgres.url)
    const orm = new MikroORM(ormOptions({ url: roles.url }))
    try {
      await change?.(orm, roles)
      return await sql(orm.em.fork(), 'select admin_allowed_ips from installation')
    } finally {
      await orm.close(true)
      await postgres.stop()
    }
  }
  await readIps(async (orm, { url, ownerUrl }) => {
    const config = testConfig({ DATABASE_URL: url, DATABASE_OWNER_URL: ownerUrl })
    await prepareDatabase(orm, { config, directUrl: url, jobNames: [] })
    await sql(orm.em.fork(), `update installation set admin_allowed_ips = '{10.0.0.7}'`)
  })

  expect(await operate(['clear-ips'], { dataDir: folder })).toMatchObject({ code: 0, errors: '' })

  expect(existsSync(path.join(folder, 'stack.json'))).toBe(false)
  expect(await readIps()).toEqual([{ admin_allowed_ips: null }])
})
