import { describe, expect, test, vi } from 'vitest'
import * as contract from '#shared/contract/admin/login.ts'
import { EVENTS_PATH } from '#shared/contract/events.ts'
import * as otp from '#shared/contract/otp.ts'
import type { Environment } from '#api/platform/config.ts'
import { query } from '#api/entities/tables.ts'
import { lead } from '#api/platform/db/lead.ts'
import { leaderRoles } from '#api/platform/db/leaderRoles.ts'
import { sql } from '#api/platform/db/sql.ts'
import { RecoveryCode } from '#api/entities/RecoveryCode.ts'
import { ensureProofKeys } from '#api/accounts/proofs/ensureProofKeys.ts'
import { readIdentities } from '#api/accounts/proofs/readIdentities.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { useDatabase } from '#api/testing/database.ts'
import { TEST_ENCRYPTION_KEY } from '#api/testing/factories.ts'
import { onCleanup } from '#api/testing/onCleanup.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { makeBuyer } from '#api/testing/people.ts'
import { startServer } from '#api/testing/server.ts'
import type { OperatorContext } from './OperatorCommand.ts'
import { REGISTER_ON } from '#api/testing/testConfig.ts'
import { endSessionsCommand, rotateEncryptionKeyCommand } from './keyCommands.ts'

const database = useDatabase()
const NEW_KEY = '33'.repeat(32)

const contextOf = (env: Environment): OperatorContext => ({
  orm: database.orm,
  url: database.url,
  env,
  demo: false,
  readJobNames: async () => [],
  loadRegister: () => Promise.reject(new Error('These commands do not use it.')),
  loadArchive: () => Promise.reject(new Error('These commands do not use it.')),
})

/** Until the end of the test the database has another key. */
async function useNewKey() {
  await rotate({ OLD_ENCRYPTION_KEY: TEST_ENCRYPTION_KEY, ENCRYPTION_KEY: NEW_KEY })
  onCleanup(() => rotate({ OLD_ENCRYPTION_KEY: NEW_KEY, ENCRYPTION_KEY: TEST_ENCRYPTION_KEY }))
}

const rotate = (env: Environment) => rotateEncryptionKeyCommand.run(contextOf(env), [])

test('after a key rotation every authenticator works, and owners of deleted recovery codes are notified', async () => {
  const server = await startServer(database)
  const buyer = await makeBuyer(server)
  const em = database.orm.em.fork()
  em.create(RecoveryCode, { user: buyer.user.id, codeHash: 'h', createdAt: new Date() })
  await em.flush()
  const env = { OLD_ENCRYPTION_KEY: TEST_ENCRYPTION_KEY, ENCRYPTION_KEY: NEW_KEY }

  await useNewKey()
  // A second run, as after a connection lost at the end of the first.
  await rotate(env)

  const after = await startServer(database, { env: { ENCRYPTION_KEY: NEW_KEY } })
  const browser = after.openBrowser()
  browser.setCookie('user_session', buyer.browser.cookie('user_session')!)
  await browser.call(otp.verifyOtp, { body: { token: await buyer.code() } })
  expect(await browser.call(otp.otpStatus, {})).toEqual({ otpEnabled: true, recoveryCodesLeft: 0 })
  expect(await mailsTo(database, buyer.user.email)).toMatchObject([{ subject: 'Your recovery codes no longer work' }])
})

test('after a key rotation every proof key is the same', async () => {
  const server = await startServer(database, { env: REGISTER_ON })
  const ids = [(await makeBuyer(server)).user.id, (await makeBuyer(server)).user.id]
  await database.orm.em.fork().transactional((em) => ensureProofKeys(em, server.services, ids))
  const read = async (ENCRYPTION_KEY: string) =>
    [...(await readIdentities(database.orm.em.fork(), { ENCRYPTION_KEY }, ids)).values()].map(({ all }) => all)
  const before = await read(TEST_ENCRYPTION_KEY)
  expect(before.flat()).toHaveLength(2)
  await rotate({ OLD_ENCRYPTION_KEY: TEST_ENCRYPTION_KEY, ENCRYPTION_KEY: NEW_KEY })
  expect(await read(NEW_KEY)).toEqual(before)
  await rotate({ OLD_ENCRYPTION_KEY: NEW_KEY, ENCRYPTION_KEY: TEST_ENCRYPTION_KEY })
})

const countCodes = async () =>
  (await sql<{ count: number }>(database.orm.em.fork(), 'select count(*)::int as count from recovery_codes'))[0]!.count

test('a rotation to the same key is refused, and recovery codes made since a rotation outlast its repetition', async () => {
  const { user } = await makeBuyer(await startServer(database))
  const add = async (codeHash: string) => {
    const em = database.orm.em.fork()
    em.create(RecoveryCode, { user: user.id, codeHash, createdAt: new Date() })
    await em.flush()
  }
  await add('before')
  await expect(rotate({ OLD_ENCRYPTION_KEY: TEST_ENCRYPTION_KEY, ENCRYPTION_KEY: TEST_ENCRYPTION_KEY })).rejects.toThrow(
    'are the same. Nothing was changed.',
  )
  expect(await countCodes()).toBe(1)

  await useNewKey()
  expect(await countCodes()).toBe(0)
  await add('since')
  await rotate({ OLD_ENCRYPTION_KEY: TEST_ENCRYPTION_KEY, ENCRYPTION_KEY: NEW_KEY })

  expect(await countCodes()).toBe(1)
  expect(await mailsTo(database, user.email)).toHaveLength(1)
})

describe('while a process runs, which would go on with the old key, a rotation is refused', () => {
  const expectRefused = async () => {
    for (const OLD_ENCRYPTION_KEY of [TEST_ENCRYPTION_KEY, 'lost'])
      await expect(rotate({ OLD_ENCRYPTION_KEY, ENCRYPTION_KEY: NEW_KEY })).rejects.toThrow('Stop every process')
  }

  test.each(leaderRoles)('one that leads as %s', async (role) => {
    await startServer(database)
    const leading = lead(
      database.url,
      role,
      ({ signal }) => new Promise((end) => signal.addEventListener('abort', () => end())),
      () => {},
    )
    onCleanup(() => leading.stop())
    await vi.waitFor(expectRefused, { timeout: 60_000 })
    await leading.stop()
    await useNewKey()
  })

  test('one with open pages', async () => {
    const server = await startServer(database)
    const { browser } = await makeBuyer(server)
    const page = await browser.fetch(server.url + EVENTS_PATH)
    await expectRefused()
    await page.body!.cancel()
  })
})

test('a wrong or missing old key changes nothing', async () => {
  const server = await startServer(database)
  await makeBuyer(server)
  const secrets = () => database.orm.em.getConnection().execute('select id, otp_secret from users order by id')
  const before = await secrets()

  await expect(rotate({ OLD_ENCRYPTION_KEY: '44'.repeat(32), ENCRYPTION_KEY: '55'.repeat(32) })).rejects.toThrow(
    'opens with neither key. Nothing was changed.',
  )
  await expect(rotate({ ENCRYPTION_KEY: TEST_ENCRYPTION_KEY })).rejects.toThrow('OLD_ENCRYPTION_KEY must be set')

  expect(await secrets()).toEqual(before)
})

describe('a start with another key than that of the database', () => {
  const start = (ENCRYPTION_KEY: string) => startServer(database, { env: { ENCRYPTION_KEY } })
  const refused = { problems: ['ENCRYPTION_KEY is not the key of this database; see README, Keys'] }
  const forgetKey = () => query(database.orm.em.fork()).updateTable('installation').set({ encryptionKeyCheck: null }).execute()

  test('is refused from the first start on, before and after a rotation', async () => {
    await start(TEST_ENCRYPTION_KEY)
    await expect(start(NEW_KEY)).rejects.toMatchObject(refused)
    await useNewKey()
    await expect(start(TEST_ENCRYPTION_KEY)).rejects.toMatchObject(refused)
    await start(NEW_KEY)
  })

  test('is refused in a database of an earlier release if it opens none of the secrets', async () => {
    await makeBuyer(await start(TEST_ENCRYPTION_KEY))
    await forgetKey()
    await expect(start(NEW_KEY)).rejects.toMatchObject(refused)
    await start(TEST_ENCRYPTION_KEY)
    await expect(start(NEW_KEY)).rejects.toMatchObject(refused)
  })

  test('is possible after an operator has said that the old key is lost', async () => {
    await makeBuyer(await start(TEST_ENCRYPTION_KEY))
    onCleanup(() => rotate({ OLD_ENCRYPTION_KEY: NEW_KEY, ENCRYPTION_KEY: TEST_ENCRYPTION_KEY }))
    expect(await rotate({ OLD_ENCRYPTION_KEY: 'lost', ENCRYPTION_KEY: NEW_KEY })).toContain('reset-otp')
    await start(NEW_KEY)
    await expect(start(TEST_ENCRYPTION_KEY)).rejects.toMatchObject(refused)
  })
})

test('end-sessions ends all sessions', async () => {
  const server = await startServer(database)
  const buyer = await makeBuyer(server)
  const { browser } = await openAdministrator(server)

  await endSessionsCommand.run(contextOf({}), [])

  await expect(buyer.browser.call(otp.otpStatus, {})).rejects.toMatchObject({ status: 401 })
  await expect(browser.call(contract.getAdminUser, {})).rejects.toMatchObject({ status: 401 })
})
