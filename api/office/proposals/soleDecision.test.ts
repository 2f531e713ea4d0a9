import { expect, test } from 'vitest'
import type { AdminRole } from '#shared/adminRoles.ts'
import { clearIpAccess, setIpAccess } from '#shared/contract/admin/login.ts'
import { assignBonus, grantDueBonus } from '#shared/contract/admin/bonus.ts'
import * as office from '#shared/contract/admin/office.ts'
import * as passkeys from '#shared/contract/admin/passkeys.ts'
import { manualConfirmPurchase } from '#shared/contract/admin/purchases.ts'
import { approveWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { sql } from '#api/platform/db/sql.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { startBackOffice } from '#api/testing/backOffice.ts'
import { useDatabase } from '#api/testing/database.ts'
import { makeUser, TEST_PASSWORD } from '#api/testing/factories.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { approve, proposalOf } from '#api/testing/proposals.ts'
import { startServer, type TestBrowser } from '#api/testing/server.ts'
import { createPasskey } from '#api/testing/softAuthenticator.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'

type Proof = { token?: string; password?: string }

const database = useDatabase()

/** A back office with one owner, who has an authenticator. A thief has the owner's session, and nothing else. */
async function setUp({ otp = true, role }: { otp?: boolean; role?: AdminRole } = {}) {
  const server = await startServer(database)
  if (role) await openAdministrator(server)
  const owner = await openAdministrator(server, { otp, ...(role && { role }) })
  const { orm } = server.services
  return {
    server,
    orm,
    owner,
    call: owner.browser.call,
    first: async <T>(text: string, values: unknown[] = []) => (await sql<{ it: T }>(orm.em.fork(), text, values))[0]?.it,
    audits: (action: string) =>
      orm.em.fork().find(AuditEntry, { action, actor: `admin:${owner.username}` }, { orderBy: { id: 'asc' } }),
  }
}

type Office = Awaited<ReturnType<typeof setUp>>

const required = { status: 400, code: 'proof_required' }
const recipient = `0x${'1'.repeat(40)}`

interface Attack {
  /** Sends the call as the owner's session. */
  send: (proof: Proof) => Promise<unknown>
  /** Counts what it changes. */
  effects: () => Promise<number | undefined>
}

const setList = ({ orm }: Office, addresses: string[] | null) =>
  sql(orm.em.fork(), 'update installation set admin_allowed_ips = $1', [addresses])

const attacks: Record<string, (office: Office) => Promise<Attack> | Attack> = {
  'changing who receives the fees': ({ call, first }) => ({
    send: (proof) => call(office.changeSystemSetting, { body: { key: 'fee_recipient_address', value: recipient, ...proof } }),
    effects: () => first(`select count(*)::int as it from setting_changes where key = 'fee_recipient_address'`),
  }),
  'scheduling another reward': ({ call, first }) => ({
    send: (proof) => call(office.scheduleRewardRate, { body: { rate: 11n * 10n ** 18n, ...proof } }),
    effects: () => first(`select count(*)::int as it from setting_changes where key = 'xcr_per_node_daily'`),
  }),
  'approving a withdrawal above the limit': async ({ orm, call, first }) => {
    const { user } = await makeUser(orm.em.fork())
    await giveXcr(orm, user.id, '1000000')
    const { id } = await insertWithdrawal(orm, { userId: user.id, amount: '200000', reviewReason: 'above_limit' })
    return {
      send: (proof) => call(approveWithdrawal, { params: { id }, body: { notes: 'Known', ...proof } }),
      effects: () => first(`select count(*)::int as it from withdrawals where id = $1 and status = 'pending'`, [id]),
    }
  },
  'granting bonus nodes that are not due': async ({ orm, call, first }) => {
    const { user } = await makeUser(orm.em.fork())
    return {
      send: (proof) => call(assignBonus, { body: { userEmail: user.email, quantity: 3, ...proof } }),
      effects: () => first('select count(*)::int / 3 as it from nodes where user_id = $1', [user.id]),
    }
  },
  'granting many bonus nodes that are due': async ({ orm, call, first }) => {
    const { user } = await makeUser(orm.em.fork())
    await sql(orm.em.fork(), `update node_counts set paid = 1010 where user_id = $1`, [user.id])
    return {
      send: (proof) => call(grantDueBonus, { body: { userIds: [user.id], ...proof } }),
      effects: () => first('select count(*)::int / 101 as it from nodes where user_id = $1', [user.id]),
    }
  },
  'removing the payout cap': async ({ call, first }) => {
    await call(office.changePayoutCap, { body: { period: 'day', cap: 10n } })
    return {
      send: (proof) => call(office.changePayoutCap, { body: { period: 'day', cap: null, ...proof } }),
      effects: () => first('select count(*)::int as it from installation where payout_cap_day is null'),
    }
  },
  'adding an IP address': async (office) => {
    const { call, first } = office
    await setList(office, ['127.0.0.1'])
    return {
      send: (proof) => call(setIpAccess, { body: { allowedIPs: ['127.0.0.1', '10.0.0.9'], ...proof } }),
      effects: () => first(`select count(*)::int as it from installation where '10.0.0.9' = any(admin_allowed_ips)`),
    }
  },
  'shutting others out by a first IP list': async (office) => {
    const { call, first } = office
    await setList(office, null)
    return {
      send: (proof) => call(setIpAccess, { body: { allowedIPs: ['127.0.0.1'], ...proof } }),
      effects: () => first('select count(*)::int as it from installation where admin_allowed_ips is not null'),
    }
  },
  'shutting others out by a shorter IP list': async (office) => {
    const { call, first } = office
    await setList(office, ['127.0.0.1', '10.0.0.9'])
    return {
      send: (proof) => call(setIpAccess, { body: { allowedIPs: ['127.0.0.1'], ...proof } }),
      effects: () => first(`select count(*)::int as it from installation where not '10.0.0.9' = any(admin_allowed_ips)`),
    }
  },
  'removing the IP list': async (office) => {
    const { call, first } = office
    await setList(office, ['127.0.0.1'])
    return {
      send: (proof) => call(clearIpAccess, { body: proof }),
      effects: () => first('select count(*)::int as it from installation where admin_allowed_ips is null'),
    }
  },
  'resetting vesting': async ({ call, first }) => {
    await call(office.startVesting, {})
    return {
      send: (proof) => call(office.resetVesting, { body: proof }),
      effects: () => first('select count(*)::int as it from installation where vesting_started_at is null'),
    }
  },
}

test.each(Object.entries(attacks))(
  '%s is refused to a stolen session, counts a wrong code, and happens once with a right one',
  async (_name, prepare) => {
    const office = await setUp()
    const { owner, first, audits } = office
    const { send, effects } = await prepare(office)
    const failures = () =>
      first<number>('select sum(otp_failures)::int as it from known_devices where administrator_id = $1', [owner.id])

    await expect(send({})).rejects.toMatchObject(required)
    await expect(send({ password: TEST_PASSWORD })).rejects.toMatchObject(required)
    await expect(send({ token: await owner.wrongCode() })).rejects.toMatchObject({ status: 400, code: 'otp_invalid' })
    expect(await failures()).toBe(1)
    expect(await effects()).toBe(0)
    // A call without anything is how a page finds out what it needs. It is no attempt.
    expect(await audits('admin.proof_refused')).toHaveLength(2)

    const token = await owner.code()
    const answers = await Promise.allSettled([send({ token }), send({ token })])
    // The second is refused, or finds nothing left to do.
    expect(answers.map(({ status }) => status)).toContain('fulfilled')
    expect(await effects()).toBe(1)
    expect(await failures()).toBe(0)
  },
)

test('a session locks the account after five wrong codes, and no right one helps then', async () => {
  const { orm, owner, call } = await setUp()
  const { user } = await makeUser(orm.em.fork())
  const grant = (token: string) => call(assignBonus, { body: { userEmail: user.email, quantity: 1, token } })
  for (let tries = 0; tries < 5; tries++)
    await expect(grant(await owner.wrongCode())).rejects.toMatchObject({ code: 'otp_invalid' })
  await expect(grant(await owner.code())).rejects.toMatchObject({ status: 429, code: 'otp_locked' })
})

test('a purchase is confirmed against the chain only with a code, which is asked for once the objections are named', async () => {
  const office = await startBackOffice()
  const buyer = await office.openBuyer()
  const owner = await openAdministrator(office.server, { otp: true })
  const { id } = await office.openPurchase(buyer, 1, '3')
  const named = [{ code: 'transaction_not_found', facts: {} }]
  const confirm = (proof: Proof, overridden = named) =>
    owner.browser.call(manualConfirmPurchase, {
      params: { id },
      body: { transactionHash: `0x${'9'.repeat(64)}`, overridden, notes: 'Known', ...proof },
    })
  await expect(confirm({}, [])).rejects.toMatchObject({ code: 'transaction_not_found' })
  await expect(confirm({})).rejects.toMatchObject(required)
  await expect(confirm({ token: await owner.wrongCode() })).rejects.toMatchObject({ code: 'otp_invalid' })
  expect(await confirm({ token: await owner.code() })).toMatchObject({ purchase: { paymentStatus: 'confirmed' } })
})

test('a passkey confirms it as a code does, once', async () => {
  const { owner, call } = await setUp()
  const passkey = createPasskey(await call(passkeys.beginAdminPasskey, { body: { token: await owner.code() } }))
  await call(passkeys.addAdminPasskey, { body: { name: '', passkey: passkey.created } })
  const price = (value: string, answer: ReturnType<typeof passkey.sign>) =>
    call(office.changeSystemSetting, { body: { key: 'node_price_usdt', value, passkey: answer } })
  const answer = passkey.sign(await call(passkeys.beginAdminProof, {}))
  expect(await price('4', answer)).toMatchObject({ value: '4' })
  await expect(price('5', answer)).rejects.toMatchObject({ code: 'passkey_expired' })
})

test('a code of an authenticator that is newer than the session needs the password as well', async () => {
  const { owner, call, orm } = await setUp()
  await sql(orm.em.fork(), `update administrators set otp_enabled_at = now() + interval '10 years' where id = $1`, [owner.id])
  const price = async (proof: Proof) =>
    call(office.changeSystemSetting, { body: { key: 'node_price_usdt', value: '4', token: await owner.code(), ...proof } })
  await expect(price({})).rejects.toMatchObject(required)
  expect(await price({ password: TEST_PASSWORD })).toMatchObject({ value: '4' })
})

test('who has no second factor decides alone as before, and what needs no second person asks for nothing', async () => {
  const without = await setUp({ otp: false })
  expect(await without.call(office.changeSystemSetting, { body: { key: 'node_price_usdt', value: '4' } })).toMatchObject({
    value: '4',
  })

  const { orm, call } = await setUp()
  const { user } = await makeUser(orm.em.fork())
  await giveXcr(orm, user.id, '1000000')
  const { id } = await insertWithdrawal(orm, { userId: user.id, amount: '100', reviewReason: 'foreign_contract' })
  expect(await call(approveWithdrawal, { params: { id }, body: {} })).toMatchObject({ withdrawal: { status: 'pending' } })
  await call(office.changeSystemSetting, { body: { key: 'sales_enabled', value: 'false' } })
  await sql(orm.em.fork(), `update node_counts set paid = 20 where user_id = $1`, [user.id])
  await call(assignBonus, { body: { userEmail: user.email, quantity: 2 } })
})

test('with several owners the proposer is asked for nothing, and a proof that is sent all the same is not stored', async () => {
  const { server, owner, call } = await setUp()
  await openAdministrator(server, { role: 'owner' })
  const price = (value: string, proof: Proof) =>
    call(office.changeSystemSetting, { body: { key: 'node_price_usdt', value, reason: 'Costs', ...proof } })
  expect(await proposalOf(owner.browser, price('6', {}))).toMatchObject({ reason: 'Costs', after: { value: '6' } })
  const token = await owner.code()
  const proposal = await proposalOf(owner.browser, price('7', { token }))
  expect(JSON.stringify(proposal)).not.toContain(token)
})

test('beside another owner, too, a list of addresses is changed alone only with a code', async () => {
  const office = await setUp()
  const { server, owner, call } = office
  await openAdministrator(server, { role: 'owner' })
  await setList(office, ['127.0.0.1', '10.0.0.9'])
  const shorten = (proof: Proof) => call(setIpAccess, { body: { allowedIPs: ['127.0.0.1'], ...proof } })
  await expect(shorten({})).rejects.toMatchObject(required)
  expect(await shorten({ token: await owner.code() })).toMatchObject({ allowedIPs: ['127.0.0.1'] })
})

test('an administrator in the role finance confirms what is decided alone beside one owner', async () => {
  const { orm, owner: finance, call } = await setUp({ role: 'finance' })
  const { user } = await makeUser(orm.em.fork())
  const grant = (proof: Proof) => call(assignBonus, { body: { userEmail: user.email, quantity: 1, ...proof } })
  await expect(grant({})).rejects.toMatchObject(required)
  expect((await grant({ token: await finance.code() })).nodeNumbers).toHaveLength(1)
})

test('the same intention confirmed with another code after a lost answer is answered again, not done again', async () => {
  const { server, orm, owner, first } = await setUp()
  const { user } = await makeUser(orm.em.fork())
  const grant = (browser: TestBrowser, token?: string) =>
    browser.call(assignBonus, { body: { userEmail: user.email, quantity: 3, token } }, { idempotencyKey: 'one' })
  await expect(grant(owner.browser)).rejects.toMatchObject(required)
  await expect(grant(owner.browser, await owner.wrongCode())).rejects.toMatchObject({ code: 'otp_invalid' })
  const granted = await grant(owner.browser, await owner.code())
  expect(await grant(owner.browser, await owner.code())).toEqual(granted)
  expect(await first('select count(*)::int as it from nodes where user_id = $1', [user.id])).toBe(3)
  await expect(grant(server.openBrowser(), await owner.code())).rejects.toMatchObject({ status: 401 })
})

test('the reason of a decision is in its audit record, whoever decides', async () => {
  const { server, orm, owner, call, audits } = await setUp({ otp: false })
  await call(office.changeSystemSetting, { body: { key: 'node_price_usdt', value: '8', reason: 'Costs' } })
  await call(office.startVesting, {})
  await call(office.resetVesting, { body: { reason: 'Started too early' } })
  expect(await audits('settings.change')).toMatchObject([{ after: { value: '8', reason: 'Costs' } }])
  expect(await audits('vesting.reset')).toMatchObject([{ after: { vestingStartDate: null, reason: 'Started too early' } }])
  const two = await openAdministrator(server, { role: 'owner' })
  const body = { key: 'node_price_usdt', value: '9', reason: 'Demand' } as const
  await approve(two.browser, await proposalOf(owner.browser, call(office.changeSystemSetting, { body })))
  const [entry] = await orm.em.fork().find(AuditEntry, { actor: `admin:${two.username}`, action: 'settings.change' })
  expect(entry).toMatchObject({
    after: { value: '9', reason: 'Demand', proposedBy: owner.username },
  })
})
