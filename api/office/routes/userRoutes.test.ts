import { expect, test } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import * as contract from '#shared/contract/admin/users.ts'
import { getAuthUser, login } from '#shared/contract/identity.ts'
import { DAY } from '#shared/dates.ts'
import { findNewPasswordProblem, signUpPassword } from '#shared/passwordRules.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { User } from '#api/entities/User.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { useDatabase } from '#api/testing/database.ts'
import { TEST_PASSWORD } from '#api/testing/factories.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { makeBuyer } from '#api/testing/people.ts'
import { startServer } from '#api/testing/server.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'

const database = useDatabase()

async function setup() {
  const server = await startServer(database)
  const administrator = await openAdministrator(server)
  return { ...server, administrator, call: administrator.browser.call, orm: server.services.orm }
}

const noId = { params: { id: newId() } }

test('the list shows accounts and their holdings, newest sign-up first', async () => {
  const server = await setup()
  const [older, newer] = [await makeBuyer(server), await makeBuyer(server, { wallet: null })]
  await sql(server.orm.em.fork(), `update users set created_at = created_at + interval '1 day', is_admin = true where id = $1`, [
    newer.user.id,
  ])
  await giveXcr(server.orm, older.user.id, '12.5')

  const { users, ...paging } = await server.call(contract.listUsers, { query: { limit: 2, offset: 0 } })

  const { totalCount } = paging
  expect(paging).toEqual({
    totalCount,
    currentPage: 1,
    totalPages: Math.ceil(totalCount / 2),
    hasNextPage: totalCount > 2,
    hasPrevPage: false,
  })
  expect(users[0]).toMatchObject({ id: newer.user.id, isAdmin: true, walletAddress: null, availableXcr: 0n, totalEarnedXcr: 0n })
  expect(users[1]).toEqual({
    id: older.user.id,
    email: older.user.email,
    walletAddress: older.user.walletAddress,
    totalNodes: 0,
    availableXcr: parseAmount('12.5'),
    totalEarnedXcr: expect.any(BigInt),
    isAdmin: false,
    createdAt: older.user.createdAt,
  })
})

test('the specified path finds by a part of the email address, with 15 accounts per page', async () => {
  const { call, orm, administrator, url } = await setup()
  const fork = orm.em.fork()
  for (let n = 0; n < 16; n += 1)
    fork.create(User, { id: newId(), email: `sixteen-${n}@example.com`, passwordHash: '-', createdAt: new Date() })
  await fork.flush()

  const found = await call(contract.searchUsers, { query: { email: ' SIXTEEN-', limit: 15, offset: 15 } })
  expect(found).toMatchObject({
    totalCount: 16,
    currentPage: 2,
    totalPages: 2,
    hasNextPage: false,
    hasPrevPage: true,
    isCut: false,
  })
  expect(found.users.map(({ email }) => email)).toEqual(['sixteen-0@example.com'])

  const printed = await administrator.browser.fetch(`${url}/api/admin/users/search?email=sixteen-1@EXAMPLE`)
  expect(((await printed.json()) as { users: object[] }).users).toMatchObject([{ email: 'sixteen-1@example.com' }])
  const first = await administrator.browser.fetch(`${url}/api/admin/users`)
  expect(((await first.json()) as { users: object[] }).users).toHaveLength(15)
})

test('a reset password works, ends the sessions, and requires a manual review of withdrawals for a day', async () => {
  const server = await setup()
  const { call, orm, clock, administrator } = server
  const buyer = await makeBuyer(server)
  expect(await buyer.browser.call(getAuthUser, {})).toMatchObject({ email: buyer.user.email })

  const { userEmail, temporaryPassword } = await call(contract.resetUserPassword, { params: { id: buyer.user.id } })

  expect(userEmail).toBe(buyer.user.email)
  expect(signUpPassword.safeParse(temporaryPassword).success).toBe(true)
  expect(findNewPasswordProblem(temporaryPassword)).toBeUndefined()
  await expect(buyer.browser.call(getAuthUser, {})).rejects.toMatchObject({ status: 401 })
  const browser = server.openBrowser()
  const old = browser.call(login, { body: { email: userEmail, password: TEST_PASSWORD } })
  await expect(old).rejects.toMatchObject({ code: 'invalid_credentials' })
  await browser.call(login, { body: { email: userEmail, password: temporaryPassword } })

  const user = await orm.em.fork().findOneOrFail(User, buyer.user.id)
  expect(user.withdrawalsReviewedUntil).toEqual(new Date(clock.now().getTime() + DAY))
  const mails = await mailsTo(database, userEmail)
  // The reset makes every browser unknown.
  expect(mails).toMatchObject([{ subject: 'New login to your account' }, { subject: 'Your password was reset' }])
  const records = await orm.em.fork().find(AuditEntry, { target: userEmail })
  expect(records).toMatchObject([
    { actor: `admin:${administrator.username}`, action: 'user.password_reset', ipAddress: '127.0.0.1' },
  ])
  expect(JSON.stringify([mails, records])).not.toContain(temporaryPassword)
})

test('the XCR details contain completed withdrawals only', async () => {
  const server = await setup()
  const { call, orm } = server
  const { user } = await makeBuyer(server)
  await giveXcr(orm, user.id, '20000')
  const [home, away] = [makeAccount().address, makeAccount().address]
  const complete = async (toAddress: typeof home, amount: string, number: number) => {
    const { id } = await insertWithdrawal(orm, { userId: user.id, amount, toAddress })
    await sql(
      orm.em.fork(),
      `update withdrawals set status = 'completed', completed_at = now(), transaction_hash = $2, transfer_ordinal = 0 where id = $1`,
      [id, `0x${String(number).repeat(64)}`],
    )
    return id
  }
  const ids = [await complete(home, '3000', 1), await complete(away, '4000.5', 2), await complete(home, '3000', 3)]
  await insertWithdrawal(orm, { userId: user.id, amount: '5000', toAddress: makeAccount().address })

  const details = await call(contract.getXcrDetails, { params: { id: user.id } })

  expect(details.withdrawals.map(({ id }) => id).toSorted()).toEqual(ids.toSorted())
  expect(details).toMatchObject({
    totalNodes: 0,
    availableXcr: parseAmount('4999.5'),
    completed: { totalAmount: parseAmount('10000.5'), count: 3 },
  })
  expect(details.addresses.toSorted()).toEqual([home, away].map((address) => address.toLowerCase()).toSorted())
})

test('an unknown user has no details and gets no password', async () => {
  const { call } = await setup()
  const unknown = { status: 404, code: 'not_found', message: expect.stringContaining('There is no such user.') }
  await expect(call(contract.getXcrDetails, noId)).rejects.toMatchObject(unknown)
  await expect(call(contract.resetUserPassword, noId)).rejects.toMatchObject(unknown)
})

test.for(['limit=0', 'limit=101', 'limit=-1', 'offset=-1', 'offset=1.5', 'limit=x'])('%s is refused', async (query) => {
  const { administrator, url } = await setup()
  const response = await administrator.browser.fetch(`${url}/api/admin/users?${query}`)
  expect([response.status, await response.json()]).toMatchObject([400, { code: 'invalid_request' }])
})
