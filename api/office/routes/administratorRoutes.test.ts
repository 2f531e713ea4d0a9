import { expect, test } from 'vitest'
import type { AdminRole } from '#shared/adminRoles.ts'
import * as access from '#shared/contract/admin/login.ts'
import * as contract from '#shared/contract/admin/administrators.ts'
import { grantDueBonus } from '#shared/contract/admin/bonus.ts'
import { getAdminStats } from '#shared/contract/admin/office.ts'
import { ADMIN_EVENTS_PATH } from '#shared/contract/events.ts'
import { DAY } from '#shared/dates.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { publishChanges } from '#api/platform/events/runNotifier.ts'
import { openAdministrator, type TestAdministrator } from '#api/testing/administrators.ts'
import { useDatabase } from '#api/testing/database.ts'
import { TEST_PASSWORD } from '#api/testing/factories.ts'
import { listenToEvents } from '#api/testing/listenToEvents.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { startServer, type TestBrowser } from '#api/testing/server.ts'

const database = useDatabase()

type Administrator = TestAdministrator & { browser: TestBrowser }

const proof = { password: TEST_PASSWORD }
const newEmail = () => `${newId()}@example.com`
const tokenTo = async (email: string) => /#invitation=([\w-]+)/.exec((await mailsTo(database, email))[0]?.text ?? '')![1]!
const auditOf = async (target: string) =>
  (await database.orm.em.fork().find(AuditEntry, { target }, { orderBy: { at: 'asc', id: 'asc' } })).map(({ actor, action }) => [
    actor,
    action,
  ])

const setRole = ({ id }: Administrator, role: AdminRole) =>
  sql(database.orm.em.fork(), `update administrators set role = $2 where id = $1`, [id, role])

async function invite(owner: Administrator, { role = 'finance' as AdminRole, email = newEmail() } = {}) {
  await owner.browser.call(contract.inviteAdministrator, { body: { ...proof, email, role } })
  return { email, token: await tokenTo(email) }
}

const accept = (browser: TestBrowser, token: string, username = `new-${newId()}`) =>
  browser.call(contract.acceptInvitation, { body: { token, username, password: TEST_PASSWORD } })

const change = ({ browser }: Administrator, { id }: { id: string }, role: AdminRole) =>
  browser.call(contract.changeAdministrator, { params: { id }, body: { ...proof, role } })
const remove = ({ browser }: Administrator, { id }: { id: string }) =>
  browser.call(contract.removeAdministrator, { params: { id }, body: proof })

test('an invited person chooses a name and a password, and logs in with the role of the invitation', async () => {
  const server = await startServer(database)
  const owner = await openAdministrator(server)
  const { email, token } = await invite(owner)
  const browser = server.openBrowser()
  const { username, role } = await accept(browser, token)
  expect(role).toBe('finance')
  await expect(browser.call(access.getAdminUser, {})).rejects.toMatchObject({ status: 401 })

  await browser.call(access.adminLogin, { body: { username, password: TEST_PASSWORD } })
  expect(await browser.call(access.getAdminUser, {})).toMatchObject({ username, role: 'finance' })
  const { administrators, invitations } = await owner.browser.call(contract.listAdministrators, {})
  expect(administrators.find((one) => one.username === username)).toMatchObject({ email, role: 'finance', factors: [] })
  expect(invitations.filter((one) => one.email === email)).toEqual([])
  expect(await auditOf(email)).toEqual([
    [`admin:${owner.username}`, 'admin.invite'],
    [`admin:${username}`, 'admin.join'],
  ])
  const [mail] = await mailsTo(database, server.services.config.SUPPORT_EMAIL)
  expect(mail!.text).toContain(`${username} (${email}) has joined the back office in the role “finance”`)
})

test('an invited person gets no name that the audit log knows, of a renamed administrator too', async () => {
  const server = await startServer(database)
  const owner = await openAdministrator(server)
  const { token } = await invite(owner)
  const renamed = `${owner.username}-2`
  await owner.browser.call(access.changeAdminCredentials, { body: { currentPassword: TEST_PASSWORD, newUsername: renamed } })

  for (const name of [owner.username, renamed])
    await expect(accept(server.openBrowser(), token, name)).rejects.toMatchObject({ status: 400, code: 'invalid_request' })

  await accept(server.openBrowser(), token)
})

test('nobody joins or is renamed under a name that reads like an administrator’s', async () => {
  const server = await startServer(database)
  const owner = await openAdministrator(server)
  const viewer = await openAdministrator(server, { role: 'viewer' })
  const wide = owner.username.replace('a', '\uff41')
  expect(wide).not.toBe(owner.username)
  const { token } = await invite(owner)
  for (const name of [`${owner.username}\u200b`, owner.username.toUpperCase(), `\u202d${owner.username}`, wide]) {
    await expect(accept(server.openBrowser(), token, name)).rejects.toMatchObject({ status: 400 })
    const body = { currentPassword: TEST_PASSWORD, newUsername: name }
    await expect(viewer.browser.call(access.changeAdminCredentials, { body })).rejects.toMatchObject({ status: 400 })
  }
  await accept(server.openBrowser(), token)
})

test('a link works once, even if it is pressed twice at the same time', async () => {
  const server = await startServer(database)
  const { token } = await invite(await openAdministrator(server))
  const answers = await Promise.allSettled([accept(server.openBrowser(), token), accept(server.openBrowser(), token)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  await expect(accept(server.openBrowser(), token)).rejects.toMatchObject({ code: 'invitation_invalid' })
})

test('a link that is old, withdrawn, replaced, invented, or of somebody who is no owner any more does nothing', async () => {
  const server = await startServer(database)
  const owner = await openAdministrator(server)
  const refused = (token: string) =>
    expect(accept(server.openBrowser(), token)).rejects.toMatchObject({ status: 410, code: 'invitation_invalid' })
  await refused('invented')

  const withdrawn = await invite(owner)
  const { invitations } = await owner.browser.call(contract.listAdministrators, {})
  const { id } = invitations.find(({ email }) => email === withdrawn.email)!
  await owner.browser.call(contract.revokeInvitation, { params: { id } })
  await refused(withdrawn.token)
  await expect(owner.browser.call(contract.revokeInvitation, { params: { id } })).rejects.toMatchObject({ status: 404 })

  const replaced = await invite(owner)
  await invite(owner, { email: replaced.email })
  await refused(replaced.token)

  const other = await openAdministrator(server)
  const ofOther = await invite(other, { role: 'owner' })
  await setRole(other, 'viewer')
  await refused(ofOther.token)
  await setRole(owner, 'owner')

  const old = await invite(owner)
  server.clock.advance(3 * DAY)
  await refused(old.token)
})

test('an invitation, a role and a removal need what the login asks for; a session alone is not enough', async () => {
  const server = await startServer(database)
  const owner = await openAdministrator(server, { otp: true })
  const other = await openAdministrator(server, { role: 'viewer' })
  const params = { id: other.id }
  const email = newEmail()
  for (const given of [{}, proof]) {
    const tries = [
      () => owner.browser.call(contract.inviteAdministrator, { body: { ...given, email, role: 'owner' } }),
      () => owner.browser.call(contract.changeAdministrator, { params, body: { ...given, role: 'viewer' } }),
      () => owner.browser.call(contract.removeAdministrator, { params, body: given }),
    ]
    for (const attempt of tries) await expect(attempt()).rejects.toMatchObject({ code: 'proof_required' })
  }
  await expect(
    owner.browser.call(contract.removeAdministrator, { params, body: { token: await owner.wrongCode() } }),
  ).rejects.toMatchObject({ code: 'otp_invalid' })
  expect(await mailsTo(database, email)).toEqual([])
  await owner.browser.call(contract.removeAdministrator, { params, body: { token: await owner.code() } })
  expect(await auditOf(other.username)).toContainEqual([`admin:${owner.username}`, 'admin.remove'])
})

test('another role counts from the next request on', async () => {
  const server = await startServer(database)
  const [owner, other] = [await openAdministrator(server), await openAdministrator(server, { role: 'finance' })]
  const grantDue = () => other.browser.call(grantDueBonus, { body: { userIds: [newId()] } })
  await grantDue()
  await change(owner, other, 'support')
  await expect(grantDue()).rejects.toMatchObject({ status: 403, code: 'forbidden' })
  await other.browser.call(getAdminStats, {})
  expect(await auditOf(other.username)).toContainEqual([`admin:${owner.username}`, 'admin.role'])
})

test('open pages of the back office hear of another role, a removal, an invitation, its withdrawal and who joins', async () => {
  const server = await startServer(database)
  const owner = await openAdministrator(server)
  const [other, third] = [
    await openAdministrator(server, { role: 'viewer' }),
    await openAdministrator(server, { role: 'viewer' }),
  ]
  const { token } = await invite(owner)
  const withdrawn = await invite(owner)
  await publishChanges(server.services.orm)
  const stream = await listenToEvents(server, other.browser, ADMIN_EVENTS_PATH)
  const { invitations } = await owner.browser.call(contract.listAdministrators, {})
  const params = { id: invitations.find((one) => one.email === withdrawn.email)!.id }
  for (const act of [
    () => accept(server.openBrowser(), token),
    () => owner.browser.call(contract.revokeInvitation, { params }),
    () => invite(owner),
    () => change(owner, third, 'support'),
    () => remove(owner, third),
  ]) {
    await act()
    await publishChanges(server.services.orm)
    expect(await stream.hear()).toEqual(expect.arrayContaining([access.adminLoginStatus.path, contract.listAdministrators.path]))
  }
  stream.leave()
})

test('who is removed is logged out, cannot log in, and nobody gets the name', async () => {
  const server = await startServer(database)
  const [owner, other] = [await openAdministrator(server), await openAdministrator(server, { role: 'support' })]
  await remove(owner, other)
  await expect(other.browser.call(access.getAdminUser, {})).rejects.toMatchObject({ status: 401 })
  const body = { username: other.username, password: TEST_PASSWORD }
  await expect(other.browser.call(access.adminLogin, { body })).rejects.toMatchObject({ code: 'invalid_credentials' })
  const { token } = await invite(owner)
  await expect(accept(server.openBrowser(), token, other.username)).rejects.toMatchObject({ code: 'invalid_request' })
  await accept(server.openBrowser(), token)
  await expect(remove(owner, other)).rejects.toMatchObject({ status: 404 })
})

test('the last owner stays', async () => {
  const last = await openAdministrator(await startServer(database))
  await expect(remove(last, last)).rejects.toMatchObject({ status: 409, code: 'last_owner' })
  await expect(change(last, last, 'finance')).rejects.toMatchObject({ status: 409, code: 'last_owner' })
})

test('an address of an administrator is not invited again', async () => {
  const server = await startServer(database)
  const owner = await openAdministrator(server)
  const { email, token } = await invite(owner)
  await accept(server.openBrowser(), token)
  await expect(
    owner.browser.call(contract.inviteAdministrator, { body: { ...proof, email: email.toUpperCase(), role: 'owner' } }),
  ).rejects.toMatchObject({ status: 409, code: 'email_taken' })
})

test('of two invited persons who choose the same name at the same time one gets it, and the other may choose again', async () => {
  const server = await startServer(database)
  const owner = await openAdministrator(server)
  const tokens = [(await invite(owner)).token, (await invite(owner)).token]
  const username = `same-${newId()}`
  const answers = await Promise.allSettled(tokens.map((token) => accept(server.openBrowser(), token, username)))
  const refused = answers.flatMap((one, index) => (one.status === 'rejected' ? [{ error: one.reason as unknown, index }] : []))
  expect(refused.map(({ error }) => error)).toMatchObject([{ status: 400, code: 'invalid_request' }])
  await accept(server.openBrowser(), tokens[refused[0]!.index]!)
})

test('an address that is invited twice at the same time has one open invitation', async () => {
  const server = await startServer(database)
  const owner = await openAdministrator(server)
  const email = newEmail()
  await Promise.all(
    [1, 2].map(() => owner.browser.call(contract.inviteAdministrator, { body: { ...proof, email, role: 'viewer' } })),
  )
  const { invitations } = await owner.browser.call(contract.listAdministrators, {})
  expect(invitations.filter((one) => one.email === email)).toHaveLength(1)
})
