import { expect, onTestFinished, test } from 'vitest'
import { getAdminUser, setIpAccess } from '#shared/contract/admin/login.ts'
import { changeSystemSetting } from '#shared/contract/admin/office.ts'
import * as contract from '#shared/contract/admin/proposals.ts'
import { approveWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import { DAY } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { useDatabase } from '#api/testing/database.ts'
import { damage } from '#api/testing/damage.ts'
import { makeUser } from '#api/testing/factories.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { approve, inTwo, proposalOf } from '#api/testing/proposals.ts'
import { startServer, type TestBrowser } from '#api/testing/server.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'

const database = useDatabase()
const run = <Row extends object>(text: string, values: unknown[] = []) => sql<Row>(database.orm.em.fork(), text, values)

/** A back office with two owners. */
async function setUp(env: Record<string, string> = {}) {
  const server = await startServer(database, { env })
  const one = await openAdministrator(server)
  const two = await openAdministrator(server, { role: 'owner' })
  return { server, one, two }
}

const price = (browser: TestBrowser, value: string) =>
  browser.call(changeSystemSetting, { body: { key: 'node_price_usdt', value } })

test('the database keeps no proposal as approved without another administrator than its proposer', async () => {
  const { one, two } = await setUp()
  const { id } = await proposalOf(one.browser, price(one.browser, '4'))
  const approveAs = (decidedBy: string | null) =>
    run(`update proposals set state = 'approved', decided_at = now(), decided_by_id = $2 where id = $1`, [id, decidedBy])
  await expect(approveAs(one.id)).rejects.toThrow('proposals_approved_by_another')
  await expect(approveAs(null)).rejects.toThrow('proposals_approved_by_another')
  await approveAs(two.id)
})

test('a call that is proposed again while its open proposal is withdrawn is a new proposal', async () => {
  const { one } = await setUp()
  const first = await proposalOf(one.browser, price(one.browser, '5'))
  const waiting = `select from pg_locks where locktype = 'advisory' and not granted and objid = 46
    and database = (select oid from pg_database where datname = current_database())`
  // Holds a call up between its insert, which finds the open proposal, and the next statement.
  await sql(
    database.superuser.em.fork(),
    `create function wait_for_46() returns trigger as $$ begin perform pg_advisory_xact_lock(46); return null; end $$ language plpgsql;
     create trigger wait_for_46 after insert on proposals for each statement execute function wait_for_46()`,
  )
  const { again } = await database.orm.em.fork().transactional(async (em) => {
    await sql(em, 'select pg_advisory_xact_lock(46)')
    const again = price(one.browser, '5')
    await expect.poll(async () => (await run(waiting)).length).toBe(1)
    await one.browser.call(contract.withdrawProposal, { params: { id: first.id } })
    return { again }
  })
  const second = await proposalOf(one.browser, again)
  expect(second).toMatchObject({ state: 'open', hash: first.hash })
  expect(second.id).not.toBe(first.id)
  await sql(database.superuser.em.fork(), 'drop function wait_for_46 cascade')
})

test('one administrator proposes so much in an hour, and those who may approve get no more mails', async () => {
  const { one, two } = await setUp({ RATE_LIMITS: 'proposal=2/3600' })
  await run(`update administrators set email = 'two@example.com' where id = $1`, [two.id])
  for (const value of ['6', '7']) await proposalOf(one.browser, price(one.browser, value))
  await proposalOf(one.browser, price(one.browser, '7'))
  await expect(price(one.browser, '8')).rejects.toMatchObject({ status: 429, code: 'rate_limited' })
  expect(await mailsTo(database, 'two@example.com')).toHaveLength(2)
  await proposalOf(two.browser, price(two.browser, '8'))
})

test('of one administrator at most 100 proposals are open', async () => {
  const { one, two } = await setUp()
  const proposal = await proposalOf(one.browser, price(one.browser, '9'))
  await run(
    `insert into proposals (id, call, arguments, action, hash, proposed_by_id, proposed_at, expires_at)
     select gen_random_uuid(), call, arguments, action, 'copy ' || n, proposed_by_id, proposed_at, expires_at
     from proposals, generate_series(1, 99) n where id = $1`,
    [proposal.id],
  )
  await expect(price(one.browser, '10')).rejects.toMatchObject({ status: 429, code: 'too_many_proposals' })
  expect((await proposalOf(one.browser, price(one.browser, '9'))).id).toBe(proposal.id)
  await proposalOf(two.browser, price(two.browser, '10'))
  await one.browser.call(contract.withdrawProposal, { params: { id: proposal.id } })
  await proposalOf(one.browser, price(one.browser, '10'))
})

test('an address is added to the IP list, or replaces one, by two owners; a first and a shorter list are set by one', async () => {
  onTestFinished(async () => void (await run('update installation set admin_allowed_ips = null')))
  const { one, two } = await setUp({ TRUSTED_PROXIES: '1' })
  const set = (allowedIPs: string[]) => one.browser.call(setIpAccess, { body: { allowedIPs } })
  await set(['127.0.0.1', '10.0.0.7'])
  await set(['::1', '10.0.0.7'])
  const proposal = await proposalOf(one.browser, set(['127.0.0.1', '10.0.0.8']))
  expect(proposal).toMatchObject({
    action: 'admin.ip_access',
    before: { allowedIPs: ['127.0.0.1', '10.0.0.7'] },
    after: { allowedIPs: ['127.0.0.1', '10.0.0.8'] },
  })
  expect(await set(['127.0.0.1'])).toMatchObject({ allowedIPs: ['127.0.0.1'] })
  await proposalOf(one.browser, set(['127.0.0.1', '10.0.0.7']))
  await expect(approve(two.browser, proposal)).rejects.toMatchObject({ code: 'proposal_outdated' })

  // Two owners inside let in one who is locked out.
  const call = () => two.browser.call(getAdminUser, {}, { headers: { 'x-forwarded-for': '10.0.0.8' } })
  await expect(call()).rejects.toMatchObject({ code: 'ip_not_allowed' })
  await inTwo(one.browser, two.browser, set(['127.0.0.1', '10.0.0.8']))
  await call()
})

test.each([
  ['the address', `to_address = '0x${'9'.repeat(40)}'`],
  ['the amount', 'amount = amount + 1'],
  ['the fee', 'fee = fee + 1'],
])('a withdrawal shows whom it pays what, and %s that changes meanwhile is not approved', async (_what, change) => {
  const { server, one, two } = await setUp()
  const { orm } = server.services
  const { user } = await makeUser(orm.em.fork())
  await giveXcr(orm, user.id, '1000000')
  const { id } = await insertWithdrawal(orm, { userId: user.id, amount: '200000', reviewReason: 'above_limit' })
  const send = () => one.browser.call(approveWithdrawal, { params: { id }, body: {} })
  const proposal = await proposalOf(one.browser, send())
  const [row] = await run<{ to: string }>('select to_address as to from withdrawals where id = $1', [id])
  expect(proposal.before).toMatchObject({ userEmail: user.email, toAddress: row!.to, amount: '200000', fee: expect.any(String) })
  await database.superuser.em.fork().transactional((em) => damage(em, `update withdrawals set ${change} where id = '${id}'`))
  await expect(approve(two.browser, proposal)).rejects.toMatchObject({ code: 'proposal_outdated' })
  expect(await run('select status from withdrawals where id = $1', [id])).toEqual([{ status: 'manual_review' }])
})

test('one person approves no withdrawal that is above the limit together with one that the clock will release', async () => {
  const { server, one } = await setUp()
  const { orm, clock } = server.services
  const { user } = await makeUser(orm.em.fork())
  await giveXcr(orm, user.id, '1000000')
  const given = { userId: user.id, amount: '60000' }
  await insertWithdrawal(orm, { ...given, reviewReason: 'recent_change', heldUntil: new Date(clock.now().getTime() + DAY) })
  const { id } = await insertWithdrawal(orm, { ...given, reviewReason: 'foreign_contract' })
  await proposalOf(one.browser, one.browser.call(approveWithdrawal, { params: { id }, body: {} }))
})

test('one person approves no withdrawal that was above the limit when it was requested, even if it no longer is', async () => {
  const { server, one } = await setUp()
  const { id } = await insertWithdrawal(server.services.orm, { amount: '60000', reviewReason: 'above_limit' })
  await proposalOf(one.browser, one.browser.call(approveWithdrawal, { params: { id }, body: {} }))
})

test('a held withdrawal does not count towards the limit against itself', async () => {
  const { server, one } = await setUp()
  const { orm, clock } = server.services
  const heldUntil = new Date(clock.now().getTime() + DAY)
  const { id } = await insertWithdrawal(orm, { amount: '60000', reviewReason: 'recent_change', heldUntil })
  const answer = await one.browser.call(approveWithdrawal, { params: { id }, body: { notes: 'Known by phone' } })
  expect(answer).toMatchObject({ withdrawal: { status: 'pending' } })
})
