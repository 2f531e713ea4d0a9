import { expect, test } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import { assignBonus } from '#shared/contract/admin/bonus.ts'
import * as contract from '#shared/contract/admin/person.ts'
import { getXcrDetails, resetUserPassword, thawUser } from '#shared/contract/admin/users.ts'
import { sendVerificationCode } from '#shared/contract/identity.ts'
import { HOUR } from '#shared/dates.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { lockUntilCommit } from '#api/platform/db/advisoryLocks.ts'
import { newId, newShownId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { useDatabase } from '#api/testing/database.ts'
import { makeUser } from '#api/testing/factories.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { type Buyer, makeBuyer } from '#api/testing/people.ts'
import { startServer } from '#api/testing/server.ts'
import { viewLock } from '../person/recordView.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'

const database = useDatabase()
const run = <Row>(text: string, parameters: unknown[] = []) => sql<Row>(database.orm.em.fork(), text, parameters)
const someHash = () => `0x${newId().replaceAll('-', '').padStart(64, '0')}`
const page = { limit: 10, offset: 0 }

async function setup() {
  const server = await startServer(database)
  const administrator = await openAdministrator(server)
  return { server, administrator, call: administrator.browser.call, orm: server.services.orm }
}

const of = ({ user }: Pick<Buyer, 'user'>, query = page) => ({ params: { id: user.id }, query })

interface InsertedPurchase {
  userId: string
  status?: string
  quantity?: number
  minutesAgo?: number
  posted?: boolean
}

async function insertPurchase({
  userId,
  status = 'confirmed',
  quantity = 1,
  minutesAgo = 0,
  posted = true,
}: InsertedPurchase): Promise<string> {
  const id = newShownId()
  const at = new Date(Date.now() - minutesAgo * 60_000)
  await run(
    `insert into purchases (id, user_id, status, requested_quantity, final_quantity, unit_price, amount, wallet, created_at, opened_at, posted_at, confirmed_at)
     values ($1, $2, $3, $4, $4, $5::numeric, $4::int * $5::numeric, '0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', $6, $6, $7, $6)`,
    [id, userId, status, quantity, String(parseAmount('3')), at, posted ? at : null],
  )
  return id
}

const insertDeposit = async ({ sender, userId, purchaseId, state = 'matched' }: Record<string, string | undefined>) => {
  const id = newId()
  await run(
    `insert into deposits (id, chain_id, transaction_hash, ordinal, sender, recipient, amount, state, first_seen_at, user_id, purchase_id)
     values ($1, 56, $2, 0, $3, '0x0', 7, $4, now(), $5, $6)`,
    [id, someHash(), sender, state, userId ?? null, purchaseId ?? null],
  )
  return id
}

/** The audit entries of an action on an account. */
const entriesOf = (action: string, target: string) =>
  database.orm.em.fork().find(AuditEntry, { action, target }, { orderBy: { id: 'asc' } })

test('the details of an account show its figures, its security and its sessions', async () => {
  const { server, call, orm } = await setup()
  const buyer = await makeBuyer(server)
  const { user } = buyer
  await giveXcr(orm, user.id, '20000')
  const purchase = await insertPurchase({ userId: user.id, quantity: 2 })
  await run(
    `insert into nodes (number, user_id, purchase_id, kind, allocated_at, active_from, frozen_at) values
     (101, $1, $2, 'paid', now(), now() - interval '1 hour', null), (102, $1, $2, 'bonus', now(), now() + interval '1 day', null),
     (103, $1, $2, 'paid', now(), now() - interval '1 hour', now())`,
    [user.id, purchase],
  )
  const paid = await insertWithdrawal(orm, { userId: user.id, amount: '3000' })
  await run(
    `update withdrawals set status = 'completed', completed_at = now(), transaction_hash = $2, transfer_ordinal = 0 where id = $1`,
    [paid.id, someHash()],
  )
  const until = new Date(Date.now() + HOUR)
  await run(
    `update users set withdrawals_reviewed_until = $2, otp_locked_until = $2, reservations_paused_until = now() - interval '1 hour',
       frozen_at = now(), daily_limit = 5 where id = $1`,
    [user.id, until],
  )
  await run(
    `insert into passkeys (id, user_id, credential_id, public_key, counter, transports, can_be_synced, is_synced, name, created_at)
     values ($1, $2, $3, '-', 0, '{}', false, false, 'Phone', now())`,
    [newId(), user.id, newId()],
  )

  const details = await call(contract.getPerson, { params: { id: user.id } })

  expect(details).toMatchObject({
    id: user.id,
    email: user.email,
    walletAddress: user.walletAddress,
    language: 'en',
    totalNodes: 3,
    nodes: { paid: 2, bonus: 1, bonusPending: 0, active: 1, frozen: 1 },
    availableXcr: parseAmount('17000'),
    withdrawn: { totalAmount: parseAmount('3000'), count: 1 },
    owed: 0n,
    authenticator: { enabledAt: user.otpEnabledAt, lockedUntil: until, recoveryCodesLeft: 0 },
    passkeys: [{ name: 'Phone', isDisabled: false, lastUsedAt: null }],
    frozen: { thawsAt: null },
    heldUntil: until,
    reservationsPausedUntil: null,
    dailyLimit: { limit: 5n, next: null },
    sessions: [{ id: buyer.sessionKey, ip: null, device: expect.any(String) }],
    sessionCount: 1,
    knownDevices: 0,
    pushDevices: 0,
  })
})

test('purchases come newest first and by page, with price, wallet and nodes, without unpaid reservations', async () => {
  const { server, call } = await setup()
  const [buyer, other] = [await makeBuyer(server), await makeBuyer(server)]
  const [old, young] = [
    await insertPurchase({ userId: buyer.user.id, minutesAgo: 2 }),
    await insertPurchase({ userId: buyer.user.id, minutesAgo: 1, status: 'pending' }),
  ]
  await insertPurchase({ userId: buyer.user.id, status: 'cancelled', posted: false })
  await insertPurchase({ userId: other.user.id })
  await run(
    `insert into nodes (number, user_id, purchase_id, kind, allocated_at, active_from) values (201, $1, $2, 'paid', now(), now())`,
    [buyer.user.id, old],
  )

  const first = await call(contract.listPersonPurchases, of(buyer, { limit: 1, offset: 0 }))
  const second = await call(contract.listPersonPurchases, of(buyer, { limit: 1, offset: 1 }))

  expect(first).toMatchObject({
    totalCount: 2,
    totalPages: 2,
    hasNextPage: true,
    rows: [{ id: young, paymentStatus: 'pending' }],
  })
  expect(second.rows).toMatchObject([
    {
      id: old,
      nodeNumbers: [201],
      unitPriceUsdt: parseAmount('3'),
      wallet: `0x${'a'.repeat(40)}`,
      confirmedAt: expect.any(Date),
    },
  ])
})

test('payments are those from the wallets of the account and those for its purchases', async () => {
  const { server, call } = await setup()
  const buyer = await makeBuyer(server)
  const purchaseId = await insertPurchase({ userId: buyer.user.id })
  const [own, paying] = [
    await insertDeposit({ sender: `0x${'1'.repeat(40)}`, userId: buyer.user.id, state: 'review' }),
    await insertDeposit({ sender: `0x${'2'.repeat(40)}`, purchaseId }),
  ]
  await insertDeposit({ sender: `0x${'3'.repeat(40)}` })
  await run(`update deposits set refund_hash = $2, refunded_amount = 6, state = 'refunded' where id = $1`, [own, someHash()])

  const { rows, totalCount } = await call(contract.listPersonDeposits, of(buyer))

  expect(totalCount).toBe(2)
  expect(rows).toMatchObject([
    { id: paying, purchaseId, state: 'matched', refund: null },
    { id: own, purchaseId: null, state: 'refunded', refund: { amount: 6n } },
  ])
})

test('nodes, rewards, withdrawals and wallets are those of the account only', async () => {
  const { server, call, orm } = await setup()
  const [buyer, other] = [await makeBuyer(server), await makeBuyer(server)]
  for (const [{ user }, first] of [
    [buyer, 301],
    [other, 311],
  ] as const) {
    const purchase = await insertPurchase({ userId: user.id })
    await run(
      `insert into nodes (number, user_id, purchase_id, kind, allocated_at, active_from)
       select number, $1, $2, 'paid', now(), now() from generate_series($3::int, $3 + 2) number`,
      [user.id, purchase, first],
    )
    await giveXcr(orm, user.id, '9000')
    await insertWithdrawal(orm, { userId: user.id, amount: '3000' })
  }
  await run(
    `insert into reward_runs (day, rate, closed_at) select day::date, 1, now() from generate_series(date '2027-03-01', '2027-03-03', '1 day') day`,
  )
  for (const { user } of [buyer, other])
    await run(
      `insert into distributions (day, user_id, id, active_nodes, rate, amount, created_at)
       select day::date, $1, gen_random_uuid(), 3, 1, 3, (day + interval '9 hours') at time zone 'UTC'
       from generate_series(timestamp '2027-03-01', '2027-03-03', '1 day') day`,
      [user.id],
    )
  await run(
    `insert into reward_corrections (day, purchase_id, id, user_id, nodes, rate, amount, created_at) values ('2027-03-02', $1, $2, $3, 2, 1, 2, '2027-03-03 12:00Z')`,
    [newId(), newId(), buyer.user.id],
  )
  const former = makeAccount().address.toLowerCase()
  await run(
    `insert into wallet_registrations (id, user_id, address, registered_at, removed_at) values ($1, $2, $3, '2026-01-01 00:00Z', '2026-01-02 00:00Z')`,
    [newId(), buyer.user.id, former],
  )

  const nodes = await call(contract.listPersonNodes, of(buyer, { limit: 2, offset: 1 }))
  expect([nodes.totalCount, nodes.rows.map(({ number }) => number)]).toEqual([3, [302, 303]])
  const days = async (offset: number) => (await call(contract.listPersonRewards, of(buyer, { limit: 2, offset }))).rows
  const rewards = [...(await days(0)), ...(await days(2))]
  expect(rewards.map(({ amount, activeNodes }) => [amount, activeNodes])).toEqual([
    [2n, 2],
    [3n, 3],
    [3n, 3],
    [3n, 3],
  ])
  expect((await call(contract.listPersonRewards, of(buyer))).totalCount).toBe(4)
  const withdrawals = await call(contract.listPersonWithdrawals, of(buyer))
  expect([withdrawals.totalCount, withdrawals.rows[0]?.userEmail]).toEqual([1, buyer.user.email])
  const wallets = await call(contract.listPersonWallets, of(buyer))
  expect(wallets.rows.map(({ address, removedAt }) => [address, removedAt])).toEqual([
    [buyer.user.walletAddress, null],
    [former, new Date('2026-01-02')],
  ])
})

test('mails are listed without their codes, and messages as their owner reads them', async () => {
  const { server, administrator, call } = await setup()
  const { user } = await makeUser(database.orm.em.fork())
  await server.openBrowser().call(sendVerificationCode, { body: { email: 'newcomer-to-mails@example.com' } })
  await call(resetUserPassword, { params: { id: user.id } })
  await run(`update outgoing_mails set last_error = 'no route', attempts = 2 where recipient = $1`, [user.email])
  // Somebody signs up with the address of an account that is gone: its mails have codes.
  await run(`update outgoing_mails set recipient = $1 where recipient = 'newcomer-to-mails@example.com'`, [user.email])
  const [mail] = await run<{ text: string }>(
    `select text from outgoing_mails where subject = 'Your verification code' and recipient = $1`,
    [user.email],
  )
  const code = /\d{6}/.exec(mail!.text)![0]

  const answer = await administrator.browser.fetch(`${server.url}/api/admin/users/${user.id}/mails`)
  const text = await answer.text()

  expect(text).not.toContain(code)
  const { rows } = await call(contract.listPersonMails, of({ user } as Buyer))
  expect(rows.map(({ subject, sentAt, lastError }) => ({ subject, sentAt, lastError }))).toEqual(
    expect.arrayContaining([
      { subject: 'Your password was reset', sentAt: null, lastError: 'no route' },
      { subject: 'Your verification code', sentAt: null, lastError: null },
    ]),
  )
  const inbox = await call(contract.listPersonInbox, of({ user } as Buyer))
  expect(inbox.rows).toMatchObject([{ title: 'Your password was reset', isRead: false, topic: 'security' }])
})

test('a note is kept with its author and recorded, and can neither be changed nor deleted', async () => {
  const { server, administrator, call } = await setup()
  const { user } = await makeBuyer(server)
  const params = { id: user.id }

  const { note } = await call(contract.addUserNote, { params, body: { text: '  Called on Monday. ' } })
  await call(contract.addUserNote, { params, body: { text: '<b>again</b>' } })

  const author = `admin:${administrator.username}`
  expect(note).toEqual({ id: expect.any(String), author, text: 'Called on Monday.', createdAt: expect.any(Date) })
  const { rows, totalCount } = await call(contract.listUserNotes, of({ user } as Buyer))
  expect([totalCount, rows.map(({ text }) => text)]).toEqual([2, ['<b>again</b>', 'Called on Monday.']])
  expect(await entriesOf('user.note', user.email)).toMatchObject([
    { actor: author, ipAddress: '127.0.0.1', after: { note: 'Called on Monday.' } },
    { actor: author, after: { note: '<b>again</b>' } },
  ])
  for (const statement of [`update user_notes set text = ''`, 'delete from user_notes'])
    await expect(sql(database.superuser.em.fork(), statement)).rejects.toThrow('append-only')
  await expect(call(contract.addUserNote, { params, body: { text: '   ' } })).rejects.toThrow('Please enter a note.')
})

test('entries about an account are those on it, on its rows, and of its owner', async () => {
  const { server, call } = await setup()
  const [buyer, other] = [await makeBuyer(server), await makeBuyer(server, { email: 'x_audited@example.com' })]
  const purchase = await insertPurchase({ userId: buyer.user.id })
  const deposit = await insertDeposit({ sender: `0x${'5'.repeat(40)}`, userId: buyer.user.id })
  const record = (action: string, { actor = 'admin:root', target }: { actor?: string; target: string | null }) =>
    run(`insert into audit_entries (id, at, actor, action, target) values ($1, now(), $2, $3, $4)`, [
      newId(),
      actor,
      action,
      target,
    ])
  await record('one', { target: buyer.user.email })
  await record('two', { target: `purchase:${purchase}` })
  await record('three', { target: `deposit:${deposit}` })
  await record('four', { actor: `user:${buyer.user.email}`, target: other.user.email })
  await record('five', { target: other.user.email })
  await record('six', { target: null })
  // An underscore of an address stands for itself.
  await record('seven', { actor: 'user:xyaudited@example.com', target: null })
  await call(assignBonus, { body: { userEmail: buyer.user.email, quantity: 1 } })

  const actionsOf = async (person: Buyer) => (await call(contract.listPersonAudit, of(person))).rows.map(({ action }) => action)
  expect((await actionsOf(buyer)).toSorted()).toEqual(['bonus.assign', 'four', 'one', 'three', 'two', 'user.view'])
  expect((await actionsOf(other)).toSorted()).toEqual(['five', 'four', 'user.view'])
})

test('looking at an account is recorded once for each administrator, however many parts are read at once', async () => {
  const { server, administrator, call } = await setup()
  const colleague = await openAdministrator(server)
  const { user } = await makeBuyer(server)
  const params = { id: user.id }

  await Promise.all([
    call(contract.getPerson, { params }),
    call(contract.listPersonNodes, { params, query: page }),
    call(contract.listUserNotes, { params, query: page }),
    call(getXcrDetails, { params }),
  ])
  await colleague.browser.call(contract.listPersonMails, { params, query: page })

  const entries = await entriesOf('user.view', user.email)
  expect(entries.map(({ actor, ipAddress }) => `${actor} ${ipAddress}`).toSorted()).toEqual(
    [administrator, colleague].map(({ username }) => `admin:${username} 127.0.0.1`).toSorted(),
  )
  await run(
    `insert into audit_entries (id, at, actor, action, target, ip_address) select gen_random_uuid(), at - interval '11 minutes', 'admin:late', action, target, ip_address from audit_entries where target = $1 limit 1`,
    [user.email],
  )
  const late = await openAdministrator(server, { username: 'late' })
  await late.browser.call(contract.getPerson, { params })
  expect((await entriesOf('user.view', user.email)).filter(({ actor }) => actor === 'admin:late')).toHaveLength(2)
})

test('a part that is requested while another one records the view waits for it, and records nothing', async () => {
  const { server, administrator, call, orm } = await setup()
  const { user } = await makeBuyer(server)
  const view = { actor: `admin:${administrator.username}`, email: user.email }
  const findWaiting = `select pid from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`

  const part = await orm.em.fork().transactional(async (em) => {
    await lockUntilCommit(em, viewLock(view))
    const answer = call(contract.listUserNotes, of({ user } as Buyer))
    await expect.poll(() => run(findWaiting)).toHaveLength(1)
    await sql(
      em,
      `insert into audit_entries (id, at, actor, action, target, ip_address) values ($1, now(), $2, 'user.view', $3, '127.0.0.1')`,
      [newId(), view.actor, view.email],
    )
    return { answer }
  })

  expect((await part.answer).totalCount).toBe(0)
  expect(await entriesOf('user.view', user.email)).toHaveLength(1)
})

test('an unknown account has no details, and a malformed id is refused; neither is recorded', async () => {
  const { server, administrator, call } = await setup()
  const unknown = { params: { id: newId() } }
  const missing = { status: 404, code: 'not_found' }
  await expect(call(contract.getPerson, unknown)).rejects.toMatchObject(missing)
  await expect(call(contract.listPersonAudit, { ...unknown, query: page })).rejects.toMatchObject(missing)
  await expect(call(contract.addUserNote, { ...unknown, body: { text: 'x' } })).rejects.toMatchObject(missing)
  await expect(call(thawUser, { ...unknown, body: { reason: 'x' } })).rejects.toMatchObject(missing)
  expect((await administrator.browser.fetch(`${server.url}/api/admin/users/1a2b3c4d/details`)).status).toBe(400)
  expect(
    await run(`select id from audit_entries where action = 'user.view' and actor = $1`, [`admin:${administrator.username}`]),
  ).toEqual([])
})

test('the last pages of an account with many rows have their rows and the number of all', async () => {
  const { server, call } = await setup()
  const buyer = await makeBuyer(server)
  await run(
    `insert into reward_runs (day, rate, closed_at) select day::date, 1, now() from generate_series(date '2028-01-01', '2032-12-31', '1 day') day`,
  )
  await run(
    `insert into distributions (day, user_id, id, active_nodes, rate, amount, created_at)
     select day::date, $1, gen_random_uuid(), 1, 1, 1, day from generate_series(date '2028-01-01', '2032-12-31', '1 day') day`,
    [buyer.user.id],
  )
  await run(
    `insert into audit_entries (id, at, actor, action, target) select gen_random_uuid(), now(), 'admin:root', 'many', $1 from generate_series(1, 10000)`,
    [buyer.user.email],
  )
  const rewards = await call(contract.listPersonRewards, of(buyer, { limit: 10, offset: 1_800 }))
  expect([rewards.totalCount, rewards.rows.length]).toEqual([1_827, 10])
  const audit = await call(contract.listPersonAudit, of(buyer, { limit: 10, offset: 9_990 }))
  expect([audit.totalCount, audit.rows.length]).toEqual([10_001, 10])
})
