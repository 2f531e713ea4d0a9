import { onTestFinished, expect, test } from 'vitest'
import type { AdminRole } from '#shared/adminRoles.ts'
import { parseAmount } from '#shared/amount.ts'
import { adminLogin, changeAdminCredentials, clearIpAccess, setIpAccess } from '#shared/contract/admin/login.ts'
import * as administrators from '#shared/contract/admin/administrators.ts'
import { assignBonus, grantDueBonus } from '#shared/contract/admin/bonus.ts'
import * as office from '#shared/contract/admin/office.ts'
import * as contract from '#shared/contract/admin/proposals.ts'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { approveWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import { Proposed } from '#shared/contract/client.ts'
import { DAY } from '#shared/dates.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import type { WithdrawalReviewReason } from '#api/entities/Withdrawal.ts'
import { sql } from '#api/platform/db/sql.ts'
import { logInAdministrator, openAdministrator } from '#api/testing/administrators.ts'
import { createDatabase } from '#api/testing/database.ts'
import { damage } from '#api/testing/damage.ts'
import { makeUser, TEST_PASSWORD } from '#api/testing/factories.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { approve, inTwo, proposalOf } from '#api/testing/proposals.ts'
import { startServer, type TestBrowser } from '#api/testing/server.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'
import { countLockWaits } from '#api/testing/lockWaits.ts'
import { expireProposals } from './expireProposals.ts'

const proof = { password: TEST_PASSWORD }

/** A back office with two owners, and one administrator for money. */
async function setUp({ owners = 2 } = {}) {
  const database = await createDatabase()
  onTestFinished(() => database.release())
  const server = await startServer(database)
  const one = await openAdministrator(server)
  const two = await openAdministrator(server, { role: owners === 2 ? 'owner' : 'support' })
  const finance = await openAdministrator(server, { role: 'finance' })
  const { orm } = server.services
  return {
    server,
    database,
    orm,
    one,
    two,
    finance,
    price: (browser: TestBrowser, value: string) =>
      browser.call(office.changeSystemSetting, { body: { key: 'node_price_usdt', value } }),
    shownPrice: async () =>
      (
        await sql<{ value: string }>(orm.em.fork(), `select value from setting_changes where key = 'node_price_usdt' order by id`)
      ).map(({ value }) => value),
    audits: (action: string) => orm.em.fork().find(AuditEntry, { action }, { orderBy: { id: 'asc' } }),
    role: (who: { id: string }, role: AdminRole) =>
      sql(orm.em.fork(), 'update administrators set role = $2 where id = $1', [who.id, role]),
  }
}

const closed = { status: 409, code: 'proposal_closed' }

test('one owner changes the price at once, and two in two steps', async () => {
  const alone = await setUp({ owners: 1 })
  expect(await alone.price(alone.one.browser, '4')).toMatchObject({ value: '4' })

  const { server, one, two, price, shownPrice, audits } = await setUp()
  const proposal = await proposalOf(one.browser, price(one.browser, '4.0'))
  expect(proposal).toMatchObject({
    action: 'settings.change',
    target: 'node_price_usdt',
    before: { value: '3' },
    after: { value: '4' },
    proposedBy: one.username,
    state: 'open',
    isMine: true,
    mayDecide: false,
  })
  expect(await shownPrice()).toEqual([])
  expect(await audits('settings.change')).toEqual([])
  expect((await one.browser.call(getWaiting, {})).proposals).toBe(0)
  expect(await two.browser.call(getWaiting, {})).toMatchObject({ proposals: 1, total: 1 })

  expect(await approve(two.browser, proposal)).toMatchObject({
    message: 'The setting is saved.',
    proposal: { state: 'approved', decidedBy: two.username },
  })
  expect(await shownPrice()).toEqual(['4'])
  expect(await audits('settings.change')).toMatchObject([
    { actor: `admin:${two.username}`, before: { value: '3' }, after: { value: '4', proposedBy: one.username } },
  ])
  expect(await audits('proposal.propose')).toMatchObject([{ actor: `admin:${one.username}` }])
  expect(await audits('proposal.approve')).toMatchObject([{ actor: `admin:${two.username}` }])
  expect((await two.browser.call(getWaiting, {})).proposals).toBe(0)
  await expect(server.openBrowser().call(contract.listProposals, { query: { limit: 1, offset: 0 } })).rejects.toMatchObject({
    status: 401,
  })
})

test('nobody approves a proposal of their own, in another session, under another name, or with a hash of their own', async () => {
  const { server, one, two, price, shownPrice } = await setUp()
  const proposal = await proposalOf(one.browser, price(one.browser, '4'))
  const own = { status: 403, code: 'own_proposal' }
  await expect(approve(one.browser, proposal)).rejects.toMatchObject(own)
  await expect(
    one.browser.call(contract.rejectProposal, { params: { id: proposal.id }, body: { reason: 'No' } }),
  ).rejects.toMatchObject(own)
  await one.browser.call(changeAdminCredentials, { body: { currentPassword: TEST_PASSWORD, newUsername: `${one.username}-2` } })
  const browser = server.openBrowser()
  await browser.call(adminLogin, { body: { username: `${one.username}-2`, password: TEST_PASSWORD } })
  await expect(approve(browser, proposal)).rejects.toMatchObject(own)
  const wrong = { id: proposal.id, hash: '0'.repeat(64) }
  await expect(approve(two.browser, wrong)).rejects.toMatchObject({ code: 'proposal_outdated' })
  await expect(
    two.browser.call(contract.approveProposal, { params: { id: proposal.id }, body: { hash: proposal.hash } }),
  ).rejects.toMatchObject({ code: 'proof_required' })
  expect(await shownPrice()).toEqual([])
})

test('of two approvals at once one executes, and a repeated one is refused', async () => {
  const { server, one, two, price, shownPrice, audits } = await setUp()
  const three = await openAdministrator(server, { role: 'owner' })
  const proposal = await proposalOf(one.browser, price(one.browser, '4'))
  const answers = await Promise.allSettled([two, three, two, three].map(({ browser }) => approve(browser, proposal)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected'])
  await expect(approve(two.browser, proposal)).rejects.toMatchObject(closed)
  expect(await shownPrice()).toEqual(['4'])
  expect(await audits('proposal.approve')).toHaveLength(1)
})

test('a proposal is approved within 24 hours, and the clock closes it afterwards', async () => {
  const { server, one, two, price, audits } = await setUp()
  const proposal = await proposalOf(one.browser, price(one.browser, '4'))
  server.clock.advance(DAY)
  const later = server.openBrowser()
  await logInAdministrator(later, two)
  await expect(approve(later, proposal)).rejects.toMatchObject({ ...closed, details: { state: 'expired' } })
  await expireProposals.run(server.services)
  await expireProposals.run(server.services)
  expect(await audits('proposal.expire')).toMatchObject([{ actor: 'system', target: 'node_price_usdt' }])
  const { proposals } = await later.call(contract.listProposals, { query: { limit: 20, offset: 0 } })
  expect(proposals).toMatchObject([{ id: proposal.id, state: 'expired' }])
})

test('an expired proposal that is proposed again before the clock closes it is recorded as expired', async () => {
  const { server, one, price, audits } = await setUp()
  const proposal = await proposalOf(one.browser, price(one.browser, '4'))
  server.clock.advance(DAY)
  const later = server.openBrowser()
  await logInAdministrator(later, one)
  await proposalOf(later, price(later, '4'))
  await expireProposals.run(server.services)
  expect(await audits('proposal.expire')).toMatchObject([{ actor: 'system', after: { proposal: proposal.id } }])
})

test('altered arguments are not executed, and the database refuses to alter them', async () => {
  const { database, orm, one, two, price, shownPrice } = await setUp()
  const proposal = await proposalOf(one.browser, price(one.browser, '4'))
  const alter = `update proposals set arguments = jsonb_set(arguments, '{body,value}', '"9"')`
  await expect(sql(orm.em.fork(), alter)).rejects.toThrow('does not change')
  await database.superuser.em.fork().transactional((em) => damage(em, alter))
  await expect(approve(two.browser, proposal)).rejects.toMatchObject({ code: 'proposal_outdated' })
  expect(await shownPrice()).toEqual([])
})

test('what has changed since the proposal is not replaced by it', async () => {
  const { one, two, price, shownPrice, audits } = await setUp()
  const [first, second] = [
    await proposalOf(one.browser, price(one.browser, '4')),
    await proposalOf(two.browser, price(two.browser, '5')),
  ]
  await approve(one.browser, second)
  await expect(approve(two.browser, first)).rejects.toMatchObject({ status: 409, code: 'proposal_outdated' })
  await expect(approve(two.browser, first)).rejects.toMatchObject({ ...closed, details: { state: 'outdated' } })
  expect(await audits('proposal.outdated')).toMatchObject([
    {
      actor: `admin:${two.username}`,
      target: 'node_price_usdt',
      after: { proposal: first.id, action: 'settings.change', proposedBy: one.username },
    },
  ])
  await inTwo(one.browser, two.browser, price(one.browser, '4'))
  expect(await shownPrice()).toEqual(['5', '4'])
})

test('who proposes the same again is shown the open proposal, and what changes nothing is not proposed', async () => {
  const { one, two, price, audits } = await setUp()
  const proposal = await proposalOf(one.browser, price(one.browser, '4'))
  expect((await proposalOf(one.browser, price(one.browser, '4'))).id).toBe(proposal.id)
  expect(await audits('proposal.propose')).toHaveLength(1)
  expect(await price(one.browser, '3')).toMatchObject({ value: '3' })
  await expect(price(one.browser, '-1')).rejects.toMatchObject({ status: 400 })

  await expect(two.browser.call(contract.withdrawProposal, { params: { id: proposal.id } })).rejects.toMatchObject({
    status: 403,
  })
  await one.browser.call(contract.withdrawProposal, { params: { id: proposal.id } })
  await expect(approve(two.browser, proposal)).rejects.toMatchObject(closed)
  const again = await proposalOf(one.browser, price(one.browser, '4'))
  await two.browser.call(contract.rejectProposal, { params: { id: again.id }, body: { reason: 'Too much' } })
  await expect(approve(two.browser, again)).rejects.toMatchObject({ ...closed, details: { state: 'rejected' } })
  expect(await audits('proposal.reject')).toMatchObject([{ after: { reason: 'Too much' } }])
})

test('a price that changes nothing when one owner asks for it does not undo one that two have decided meanwhile', async () => {
  const { orm, one, two, price, shownPrice } = await setUp()
  const proposal = await proposalOf(one.browser, price(one.browser, '4'))
  const countWaiting = () => countLockWaits({ orm }, 'installation')
  const calls = await orm.em.fork().transactional(async (em) => {
    await sql(em, 'select from installation where id = 1 for update')
    const same = price(one.browser, '3')
    await expect.poll(countWaiting).toBe(1)
    const approved = approve(two.browser, proposal)
    await expect.poll(countWaiting).toBe(2)
    return [same, approved]
  })
  await Promise.allSettled(calls)
  expect(await shownPrice()).toEqual(['4'])
})

test('an idempotency key repeats the proposal with its status, not the call', async () => {
  const { server, one, audits } = await setUp()
  const send = () =>
    one.browser.fetch(`${server.url}/api/admin/reward-rates`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
      body: JSON.stringify({ rate: '11' }),
    })
  const [first, second] = [await send(), await send()]
  expect([first.status, second.status]).toEqual([202, 202])
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(await second.json()).toEqual(await first.json())
  expect(await audits('proposal.propose')).toHaveLength(1)
})

test('a proposer who has lost the role or the access proposes nothing any more', async () => {
  const { one, two, role, price, shownPrice } = await setUp()
  const proposal = await proposalOf(one.browser, price(one.browser, '4'))
  await role(one, 'finance')
  await expect(approve(two.browser, proposal)).rejects.toMatchObject({ code: 'proposal_outdated' })
  await role(one, 'owner')
  await role(two, 'finance')
  await expect(approve(two.browser, proposal)).rejects.toMatchObject({ status: 403 })
  expect(await shownPrice()).toEqual([])
})

test('with two owners nobody alone adds a puppet, takes a role, or becomes the only owner again', async () => {
  const { one, two, finance } = await setUp()
  const change = (id: string, role: AdminRole) =>
    one.browser.call(administrators.changeAdministrator, { params: { id }, body: { ...proof, role } })
  const invitation = { body: { ...proof, email: 'puppet@example.com', role: 'owner' as const } }
  const proposals = [
    await proposalOf(one.browser, one.browser.call(administrators.inviteAdministrator, invitation)),
    await proposalOf(one.browser, change(finance.id, 'owner')),
    await proposalOf(one.browser, change(two.id, 'viewer')),
    await proposalOf(one.browser, one.browser.call(administrators.removeAdministrator, { params: { id: two.id }, body: proof })),
  ]
  for (const proposal of proposals) {
    expect(JSON.stringify(proposal)).not.toContain(TEST_PASSWORD)
    await expect(approve(one.browser, proposal)).rejects.toMatchObject({ code: 'own_proposal' })
    await expect(approve(finance.browser, proposal)).rejects.toMatchObject({ status: 403, code: 'forbidden' })
  }
  await approve(two.browser, proposals[3]!)
  await expect(approve(two.browser, proposals[0]!)).rejects.toMatchObject({ status: 401 })
  // The last owner acts alone again, and stays.
  await expect(change(one.id, 'viewer')).rejects.toMatchObject({ code: 'last_owner' })
  await change(finance.id, 'support')
})

test('the last owner stays, whatever was approved before', async () => {
  const { one, two, price } = await setUp()
  const change = (by: TestBrowser, id: string) =>
    by.call(administrators.changeAdministrator, { params: { id }, body: { ...proof, role: 'viewer' } })
  const ofTwo = await proposalOf(one.browser, change(one.browser, two.id))
  const ofOne = await proposalOf(two.browser, change(two.browser, one.id))
  const answers = await Promise.allSettled([approve(two.browser, ofTwo), approve(one.browser, ofOne)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const left = answers[0]!.status === 'fulfilled' ? one : two
  expect(await price(left.browser, '4')).toMatchObject({ value: '4' })
})

test('a withdrawal above the limit needs two persons, one below does not', async () => {
  const { orm, one, two, finance } = await setUp()
  const { user } = await makeUser(orm.em.fork())
  await giveXcr(orm, user.id, '1000000')
  const open = async (amount: string, reviewReason: 'above_limit' | 'foreign_contract') =>
    (await insertWithdrawal(orm, { userId: user.id, amount, reviewReason })).id
  const [large, small, cancelled] = [
    await open('200000', 'above_limit'),
    await open('100', 'foreign_contract'),
    await open('200001', 'foreign_contract'),
  ]
  const send = (browser: TestBrowser, id: string) => browser.call(approveWithdrawal, { params: { id }, body: { notes: 'Known' } })
  expect(await send(finance.browser, small)).toMatchObject({ withdrawal: { status: 'pending' } })
  const statusOf = async (id: string) =>
    (await sql<{ status: string }>(orm.em.fork(), 'select status from withdrawals where id = $1', [id]))[0]!.status

  const proposal = await proposalOf(finance.browser, send(finance.browser, large))
  expect(proposal).toMatchObject({ action: 'withdrawal.approve', reason: 'Known', before: { amount: '200000' } })
  expect(await statusOf(large)).toBe('manual_review')
  await approve(one.browser, proposal)
  expect(await statusOf(large)).toBe('pending')

  const late = await proposalOf(finance.browser, send(finance.browser, cancelled))
  await sql(orm.em.fork(), `update withdrawals set status = 'failed', refunded_at = now() where id = $1`, [cancelled])
  await expect(approve(two.browser, late)).rejects.toMatchObject({ status: 409, code: 'withdrawal_closed' })
  expect(await statusOf(cancelled)).toBe('failed')
})

test('withdrawals of an account that one person approves within a day count together, whatever their reasons', async () => {
  const { orm, one, finance } = await setUp()
  const { user } = await makeUser(orm.em.fork())
  await giveXcr(orm, user.id, '1000000')
  const open = async (amount: string, reviewReason: WithdrawalReviewReason) =>
    (await insertWithdrawal(orm, { userId: user.id, amount, reviewReason })).id
  const [first, second, third, fourth] = [
    await open('60000', 'foreign_contract'),
    await open('40001', 'foreign_contract'),
    await open('40000', 'recent_change'),
    await open('6', 'foreign_contract'),
  ]
  const send = (id: string) => finance.browser.call(approveWithdrawal, { params: { id }, body: { notes: 'Known' } })
  await send(first)
  // What two have decided does not count.
  await inTwo(finance.browser, one.browser, send(second))
  await send(third)
  await proposalOf(finance.browser, send(fourth))
})

test('of two withdrawals that one person approves at the same moment, the one above the limit of the day is proposed', async () => {
  const { orm, finance } = await setUp()
  const { user } = await makeUser(orm.em.fork())
  await giveXcr(orm, user.id, '1000000')
  const open = () => insertWithdrawal(orm, { userId: user.id, amount: '60000', reviewReason: 'foreign_contract' })
  const answers = await Promise.allSettled(
    [await open(), await open()].map(({ id }) => finance.browser.call(approveWithdrawal, { params: { id }, body: {} })),
  )
  expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({ reason: expect.any(Proposed) })
})

test('bonus nodes above what is due or above 100 need two persons', async () => {
  const { orm, one, finance } = await setUp()
  const { user } = await makeUser(orm.em.fork())
  await sql(orm.em.fork(), `update node_counts set paid = 1100 where user_id = $1`, [user.id])
  const grant = (quantity: number) => finance.browser.call(assignBonus, { body: { userEmail: user.email, quantity } })
  const numbersOf = async () =>
    (await sql<{ count: number }>(orm.em.fork(), 'select count(*)::int from nodes where user_id = $1', [user.id]))[0]!.count
  await grant(9)
  const proposal = await proposalOf(finance.browser, grant(101))
  await proposalOf(finance.browser, finance.browser.call(grantDueBonus, { body: { userIds: [user.id] } }))
  expect(await numbersOf()).toBe(9)
  expect(await approve(one.browser, proposal)).toMatchObject({ message: `101 bonus nodes are granted to ${user.email}.` })
  expect(await numbersOf()).toBe(110)
  await proposalOf(finance.browser, grant(1))
})

test('of two proposals that grant the same due bonus nodes, in any order, one is approved', async () => {
  const { orm, one, two, finance } = await setUp()
  const { user } = await makeUser(orm.em.fork())
  await sql(orm.em.fork(), `update node_counts set paid = 1200 where user_id = $1`, [user.id])
  const grant = (browser: TestBrowser) =>
    proposalOf(browser, browser.call(assignBonus, { body: { userEmail: user.email, quantity: 120 } }))
  const byHand = await grant(finance.browser)
  const again = await grant(two.browser)
  const due = await proposalOf(two.browser, two.browser.call(grantDueBonus, { body: { userIds: [user.id] } }))
  await approve(one.browser, due)
  for (const proposal of [byHand, again])
    await expect(approve(one.browser, proposal)).rejects.toMatchObject({ code: 'proposal_outdated' })
  expect(await sql(orm.em.fork(), 'select count(*)::int from nodes where user_id = $1', [user.id])).toEqual([{ count: 120 }])
})

test.each<[string, (call: TestBrowser['call']) => Promise<unknown>]>([
  ['the fee', (call) => call(office.changeSystemSetting, { body: { key: 'withdrawal_fee_amount', value: '6' } })],
  [
    'the fee recipient',
    (call) => call(office.changeSystemSetting, { body: { key: 'fee_recipient_address', value: `0x${'1'.repeat(40)}` } }),
  ],
  ['the rate', (call) => call(office.changeSystemSetting, { body: { key: 'xcr_per_node_daily', value: '11' } })],
  ['a scheduled rate', (call) => call(office.scheduleRewardRate, { body: { rate: parseAmount('11')! } })],
  ['removing the IP list', (call) => call(clearIpAccess, { body: {} })],
  [
    'a reset of vesting',
    async (call) => {
      await call(office.startVesting, {})
      return call(office.resetVesting, { body: {} })
    },
  ],
  [
    'a higher payout cap',
    async (call) => {
      const set = (cap: bigint | null) => call(office.changePayoutCap, { body: { period: 'day', cap } })
      await set(parseAmount('10')!)
      await set(parseAmount('9')!)
      return set(null)
    },
  ],
])('%s needs two persons', async (_name, change) => {
  const { one, two } = await setUp()
  expect(await inTwo(one.browser, two.browser, change(one.browser.call))).toMatchObject({ proposal: { state: 'approved' } })
})

test('an IP list is set and sales are stopped by one person, who may have to be quick', async () => {
  const { one } = await setUp()
  await one.browser.call(setIpAccess, { body: { allowedIPs: ['127.0.0.1'] } })
  await one.browser.call(office.changeSystemSetting, { body: { key: 'sales_enabled', value: 'false' } })
})

test('those who may approve a proposal are mailed, and nobody else', async () => {
  const { database, orm, one, two, finance, price } = await setUp()
  for (const { id } of [one, two, finance])
    await sql(orm.em.fork(), `update administrators set email = id || '@example.com' where id = $1`, [id])
  await proposalOf(one.browser, price(one.browser, '4'))
  const [mail] = await mailsTo(database, `${two.id}@example.com`)
  expect(mail!.text).toContain(`${one.username} has proposed something`)
  expect(mail!.text).toContain('What: Change the node price (USDT)\n')
  for (const { id } of [one, finance]) expect(await mailsTo(database, `${id}@example.com`)).toEqual([])
})
