import type { EntityManager } from '@mikro-orm/postgresql'
import { generate } from 'otplib'
import { expect, test } from 'vitest'
import { Proposed } from '#shared/contract/client.ts'
import { ADMIN_EVENTS_PATH } from '#shared/contract/events.ts'
import { freezeAccount } from '#shared/contract/freezes.ts'
import { disableOtp, enableOtp, otpStatus, renewRecoveryCodes, setupOtp, verifyOtp } from '#shared/contract/otp.ts'
import { changeAdminCredentials } from '#shared/contract/admin/login.ts'
import { getPerson } from '#shared/contract/admin/person.ts'
import * as contract from '#shared/contract/admin/users.ts'
import { DAY, SECOND } from '#shared/dates.ts'
import { isOtpEnabled } from '#api/accounts/otp/isOtpEnabled.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { sql } from '#api/platform/db/sql.ts'
import { publishChanges } from '#api/platform/events/runNotifier.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { useDatabase } from '#api/testing/database.ts'
import { TEST_PASSWORD } from '#api/testing/factories.ts'
import { listenToEvents } from '#api/testing/listenToEvents.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { type Buyer, makeBuyer } from '#api/testing/people.ts'
import { approve, inTwo, proposalOf } from '#api/testing/proposals.ts'
import { startServer, type TestBrowser, type TestServer } from '#api/testing/server.ts'
import { untilLockWaits } from '#api/testing/lockWaits.ts'
import { lockAdministrators } from '../administrators/lockAdministrators.ts'
import { resetDueOtps } from '../administrators/resetDueOtps.ts'

const database = useDatabase()

/** A holder with an authenticator, and one owner. */
async function setUp() {
  const server = await startServer(database, { env: { ALERT_EMAIL: 'alerts@example.com' } })
  const owner = await openAdministrator(server)
  const holder = await makeBuyer(server)
  const params = { id: holder.user.id }
  return {
    server,
    owner,
    holder,
    reset: (browser: TestBrowser) =>
      browser.call(contract.resetUserAuthenticator, { params, body: { password: TEST_PASSWORD, reason: 'Lost phone' } }),
    cancel: (browser: TestBrowser) => browser.call(contract.cancelAuthenticatorReset, { params }),
    isEnabled: () => isOtpEnabled(database.orm.em.fork(), { realm: 'user', id: holder.user.id }),
    resetsAt: async () => (await owner.browser.call(getPerson, { params })).authenticator.resetsAt,
    subjects: async () => (await mailsTo(database, holder.user.email)).map(({ subject }) => subject),
    async passDay() {
      server.clock.advance(DAY)
      await resetDueOtps.run(server.services)
    },
  }
}

test('one owner removes an authenticator after 24 hours, and the holder is mailed at once with a link that freezes', async () => {
  const { server, owner, holder, reset, isEnabled, resetsAt, subjects, passDay } = await setUp()
  const planned = new Date(server.clock.now().getTime() + DAY)
  expect(await reset(owner.browser)).toMatchObject({ resetsAt: planned })
  expect(await reset(owner.browser)).toMatchObject({ resetsAt: planned })
  expect(await resetsAt()).toEqual(planned)
  expect(await subjects()).toEqual(['Your authenticator will be removed'])
  expect((await mailsTo(database, holder.user.email))[0]!.text).toContain("This wasn't me: freeze my account")

  server.clock.advance(DAY - 1)
  await resetDueOtps.run(server.services)
  expect(await isEnabled()).toBe(true)
  await passDay()
  await passDay()
  expect(await isEnabled()).toBe(false)
  expect(await subjects()).toContain('Your authenticator was reset')
  const entries = await database.orm.em
    .fork()
    .find(AuditEntry, { target: holder.user.email, action: { $like: 'otp.%reset' } }, { orderBy: { id: 'asc' } })
  expect(entries.map(({ actor, action }) => [actor, action])).toEqual([
    [`admin:${owner.username}`, 'otp.plan_reset'],
    [`admin:${owner.username}`, 'otp.reset'],
  ])
})

test('a worker whose clock is ahead of the database removes nothing before 24 hours have passed', async () => {
  const { server, owner, reset, isEnabled } = await setUp()
  await reset(owner.browser)
  server.clock.advanceMachine(2 * DAY)
  await resetDueOtps.run(server.services)
  expect(await isEnabled()).toBe(true)
})

test('what a server whose clock is behind the database has planned is not due before 24 hours have passed', async () => {
  const { server, owner, reset, isEnabled } = await setUp()
  server.clock.advance(-2 * DAY)
  await reset(owner.browser)
  server.clock.advance(2 * DAY)
  await resetDueOtps.run(server.services)
  expect(await isEnabled()).toBe(true)
})

test('a code of the authenticator, a recovery code, a freeze, or an administrator cancels the removal, and open pages hear of it', async () => {
  const { server, owner, holder, reset, cancel, isEnabled, resetsAt, passDay } = await setUp()
  await holder.grantMark()
  const { codes } = await holder.browser.call(renewRecoveryCodes, {})
  for (const stop of [
    async () => holder.browser.call(verifyOtp, { body: { token: await holder.code() } }),
    () => holder.browser.call(verifyOtp, { body: { token: codes[0]! } }),
    () => cancel(owner.browser),
    () => holder.browser.call(freezeAccount, { body: { password: TEST_PASSWORD } }),
  ]) {
    await reset(owner.browser)
    const planned = await resetsAt()
    expect(planned).not.toBeNull()
    expect((await holder.browser.call(otpStatus, {})).resetsAt).toEqual(planned)
    await publishChanges(database.orm)
    const stream = await listenToEvents(server, owner.browser, ADMIN_EVENTS_PATH)
    await stop()
    expect(await resetsAt()).toBeNull()
    await publishChanges(database.orm)
    expect(await stream.hear()).toContain(getPerson.path)
    stream.leave()
  }
  await expect(cancel(owner.browser)).rejects.toMatchObject({ status: 404 })
  await passDay()
  expect(await isEnabled()).toBe(true)
})

test.each([
  ['a second owner has joined', (server: TestServer) => openAdministrator(server, { role: 'owner' })],
  [
    'who planned it was removed',
    async (server: TestServer, id: string) => {
      await openAdministrator(server, { role: 'owner' })
      await sql(database.orm.em.fork(), 'update administrators set removed_at = now() where id = $1', [id])
    },
  ],
  [
    'who planned it lost the role',
    (_server: TestServer, id: string) =>
      sql(database.orm.em.fork(), `update administrators set role = 'support' where id = $1`, [id]),
  ],
])('what one owner has planned is dropped if %s meanwhile, and the operator is mailed', async (_change, change) => {
  const { server, owner, holder, reset, isEnabled, passDay } = await setUp()
  await reset(owner.browser)
  await change(server, owner.id)
  await passDay()
  await passDay()
  expect(await isEnabled()).toBe(true)
  const [planned] = await sql(database.orm.em.fork(), 'select otp_resets_at from users where id = $1', [holder.user.id])
  expect(planned).toEqual({ otp_resets_at: null })
  const mails = (await mailsTo(database, 'alerts@example.com')).filter(({ text }) => text.includes(holder.user.email))
  expect(mails.map(({ subject }) => subject)).toEqual(['A planned removal of an authenticator was dropped'])
})

test('what one owner has planned takes effect if the owner has another user name meanwhile', async () => {
  const { owner, holder, reset, isEnabled, passDay } = await setUp()
  await reset(owner.browser)
  const newUsername = `${owner.username}-2`
  await owner.browser.call(changeAdminCredentials, { body: { currentPassword: TEST_PASSWORD, newUsername } })
  await passDay()
  expect(await isEnabled()).toBe(false)
  const entries = await database.orm.em.fork().find(AuditEntry, { target: holder.user.email, action: 'otp.reset' })
  expect(entries.map(({ actor }) => actor)).toEqual([`admin:${newUsername}`])
})

/** Begins a removal that waits for the administrators' lock, and makes a change before it gets the lock. */
async function changeMeanwhile(begin: () => Promise<unknown>, change: (em: EntityManager) => Promise<unknown>) {
  const { begun } = await database.orm.em.fork().transactional(async (em) => {
    await lockAdministrators(em)
    const begun = Promise.allSettled([begin()])
    await untilLockWaits(database)
    await change(em)
    return { begun }
  })
  return begun
}

test('what an owner plans while another user name is given to the owner takes effect', async () => {
  const { owner, holder, reset, isEnabled, passDay } = await setUp()
  const newUsername = `${owner.username}-2`
  await changeMeanwhile(
    () => reset(owner.browser),
    (em) => sql(em, 'update administrators set username = $1 where id = $2', [newUsername, owner.id]),
  )
  await passDay()
  expect(await isEnabled()).toBe(false)
  const entries = await database.orm.em.fork().find(AuditEntry, { target: holder.user.email, action: { $like: 'otp.%reset' } })
  expect(entries.map(({ actor }) => actor)).toEqual([`admin:${newUsername}`, `admin:${newUsername}`])
})

test('who loses the role of an owner while a removal waits only proposes it', async () => {
  const { server, reset, resetsAt } = await setUp()
  const other = await openAdministrator(server, { role: 'owner' })
  const [removal] = await changeMeanwhile(
    () => reset(other.browser),
    (em) => sql(em, `update administrators set role = 'support' where id = $1`, [other.id]),
  )
  expect(removal).toMatchObject({ status: 'rejected', reason: expect.any(Proposed) })
  expect(await resetsAt()).toBeNull()
})

test('support proposes it and an owner approves: then it is removed at once, with the hold and the mail', async () => {
  const { server, owner, reset, isEnabled, subjects } = await setUp()
  const support = await openAdministrator(server, { role: 'support' })
  const proposal = await proposalOf(support.browser, reset(support.browser))
  expect(proposal).toMatchObject({ action: 'otp.reset', reason: 'Lost phone' })
  expect(await isEnabled()).toBe(true)
  const other = await openAdministrator(server, { role: 'support' })
  await expect(approve(other.browser, proposal)).rejects.toMatchObject({ status: 403 })
  await approve(owner.browser, proposal)
  expect(await isEnabled()).toBe(false)
  expect(await subjects()).toEqual(['Your authenticator was reset'])
  await expect(reset(owner.browser)).rejects.toMatchObject({ status: 409, code: 'otp_not_enabled' })
})

test.for<[string, (holder: Buyer, recoveryCode: string, server: TestServer) => Promise<unknown>]>([
  ['shows a code', async ({ browser, code }) => browser.call(verifyOtp, { body: { token: await code() } })],
  ['uses a recovery code', ({ browser }, token) => browser.call(verifyOtp, { body: { token } })],
  [
    'enables another authenticator',
    async ({ browser }, token, { clock }) => {
      await browser.call(disableOtp, { body: { token } })
      const { secret } = await browser.call(setupOtp, { body: {} })
      const epoch = Math.floor(clock.now().getTime() / SECOND)
      await browser.call(enableOtp, { body: { secret, token: await generate({ secret, epoch }) } })
    },
  ],
  ['freezes the account', ({ browser }) => browser.call(freezeAccount, { body: { password: TEST_PASSWORD } })],
])('a proposed removal is outdated once the holder %s, and the authenticator stays', async ([, act]) => {
  const { server, owner, holder, reset, isEnabled } = await setUp()
  const support = await openAdministrator(server, { role: 'support' })
  await holder.grantMark()
  const { codes } = await holder.browser.call(renewRecoveryCodes, {})
  const proposal = await proposalOf(support.browser, reset(support.browser))
  await act(holder, codes[0]!, server)

  await expect(approve(owner.browser, proposal)).rejects.toMatchObject({ status: 409, code: 'proposal_outdated' })

  expect(await isEnabled()).toBe(true)
  await expect(approve(owner.browser, proposal)).rejects.toMatchObject({ status: 409, code: 'proposal_closed' })
})

test('a proposed removal names the authenticator that it removes, and keeps no secret of it', async () => {
  const { server, holder, reset } = await setUp()
  const support = await openAdministrator(server, { role: 'support' })
  await holder.browser.call(verifyOtp, { body: { token: await holder.code() } })

  const { before, after, userId } = await proposalOf(support.browser, reset(support.browser))

  expect(userId).toBe(holder.user.id)
  const unchanged = { frozenAt: null, thawsAt: null }
  expect(before).toEqual({
    enabledAt: holder.user.otpEnabledAt!.toISOString(),
    lastCodeAt: expect.any(String),
    recoveryCodesLeft: 0,
    ...unchanged,
  })
  expect(after).toEqual(unchanged)
})

test('two owners remove it together, and it needs what the login asks for', async () => {
  const { server, owner, holder, reset, isEnabled } = await setUp()
  const two = await openAdministrator(server, { role: 'owner' })
  const body = { reason: 'Lost phone' }
  await expect(
    owner.browser.call(contract.resetUserAuthenticator, { params: { id: holder.user.id }, body }),
  ).rejects.toMatchObject({ code: 'proof_required' })
  await inTwo(owner.browser, two.browser, reset(owner.browser))
  expect(await isEnabled()).toBe(false)
})
