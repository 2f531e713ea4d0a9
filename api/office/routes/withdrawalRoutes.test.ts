import { expect, onTestFinished, test } from 'vitest'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import * as contract from '#shared/contract/admin/withdrawals.ts'
import { DAY, MINUTE, utcDay } from '#shared/dates.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { makeAccount, useRewardChain } from '#api/testing/chains.ts'
import { createDatabase } from '#api/testing/database.ts'
import { makeUser } from '#api/testing/factories.ts'
import { startPayouts } from '#api/testing/payouts.ts'
import { type ReadCell, readSpreadsheet } from '#api/testing/readSpreadsheet.ts'
import { startServer, type TestBrowser } from '#api/testing/server.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'

const rewards = useRewardChain()

/** A separate installation, because the statistics cover all accounts. */
async function setup() {
  const database = await createDatabase()
  onTestFinished(() => database.release())
  const server = await startServer(database, {
    env: { RATE_LIMITS: 'export=100/900', XCR_RPC_URLS: rewards.url, XCR_TOKEN_ADDRESS: rewards.token },
  })
  const one = await openAdministrator(server)
  const other = await openAdministrator(server, { role: 'finance' })
  const { orm } = server.services
  const makeHolder = async (email: string, xcr = '1000000') => {
    const { user } = await makeUser(orm.em.fork(), { email })
    await giveXcr(orm, user.id, xcr)
    return user.id
  }
  const run = (statement: string, parameters: unknown[] = []) => sql(orm.em.fork(), statement, parameters)
  const call = one.browser.call
  return { ...server, database, orm, one, other, call, makeHolder, run }
}

const list = { query: { limit: 20, offset: 0 } }
const refused = { status: 409, code: 'withdrawal_closed' }

async function download(browser: TestBrowser, url: string, email?: string): Promise<ReadCell[][]> {
  const query = email === undefined ? '' : `?email=${encodeURIComponent(email)}`
  const response = await browser.fetch(`${url}/api/admin/withdrawals/export${query}`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="withdrawals-\d{4}-\d\d-\d\d\.xlsx"$/)
  return readSpreadsheet(new Uint8Array(await response.arrayBuffer()))
}

test('the statistics count all but failed withdrawals, by UTC day, and follow a change of status', async () => {
  const { call, clock, makeHolder, orm, run } = await setup()
  const userId = await makeHolder('holder@example.com')
  const today = Date.parse(`${utcDay(clock.now())}T00:00:00Z`)
  const open = (amount: string, at: number) => insertWithdrawal(orm, { userId, amount, now: new Date(at) })
  await open('3000', today)
  await open('4000', today - 1)
  const changing = await open('5000.000000000000000001', today - 1)
  await open('6000', today - 29 * DAY)
  await open('7000', today - 29 * DAY - 1)
  const day = (ago: number) => utcDay(new Date(today - ago * DAY))
  const stats = async () => {
    const { dailyStats, totalStats } = await call(contract.listAdminWithdrawals, list)
    return [...dailyStats, totalStats].map(({ totalAmount, totalCount, ...rest }) => [
      'date' in rest ? rest.date : 'ever',
      formatAmount(totalAmount),
      totalCount,
    ])
  }
  const before = [
    [day(0), '3000', 1],
    [day(1), '9000.000000000000000001', 2],
    [day(29), '6000', 1],
    ['ever', '25000.000000000000000001', 5],
  ]
  expect(await stats()).toEqual(before)

  await run(`update withdrawals set status = 'failed', refunded_at = now() where id = $1`, [changing.id])
  expect(await stats()).toEqual([
    [day(0), '3000', 1],
    [day(1), '4000', 1],
    [day(29), '6000', 1],
    ['ever', '20000', 4],
  ])

  await run(`update withdrawals set status = 'processing', refunded_at = null where id = $1`, [changing.id])
  expect(await stats()).toEqual(before)
  await run(
    `update withdrawals set status = 'completed', completed_at = now(), transaction_hash = '0x${'a'.repeat(64)}', transfer_ordinal = 0 where id = $1`,
    [changing.id],
  )
  expect(await stats()).toEqual(before)
})

test('a search filters the rows, not the statistics', async () => {
  const { call, makeHolder, orm } = await setup()
  const [a, b] = [await makeHolder('first@example.com'), await makeHolder('second@example.com')]
  const [old, reviewed] = [
    await insertWithdrawal(orm, { userId: a, now: new Date(Date.now() - MINUTE) }),
    await insertWithdrawal(orm, { userId: a, reviewReason: 'above_limit' }),
  ]
  await insertWithdrawal(orm, { userId: b })

  const found = await call(contract.searchAdminWithdrawals, { query: { ...list.query, email: 'FIRST@' } })

  expect(found).toMatchObject({ totalCount: 2, totalPages: 1, isCut: false, totalStats: { totalCount: 3 } })
  expect(found.withdrawals).toMatchObject([
    { id: reviewed.id, userEmail: 'first@example.com', status: 'manual_review', reviewReason: 'above_limit', hasAttempts: false },
    { id: old.id, status: 'pending', reviewReason: null, adminNotes: null, feeAmount: parseAmount('5') },
  ])
  expect(await call(contract.searchAdminWithdrawals, { query: { ...list.query, email: 'nobody' } })).toMatchObject({
    withdrawals: [],
    totalCount: 0,
    hasNextPage: false,
  })
})

test('the list shows only withdrawals that wait for a person, are on hold, or have a status, also within a search', async () => {
  const { call, makeHolder, orm, run } = await setup()
  const [a, b] = [await makeHolder('first@example.com'), await makeHolder('second@example.com')]
  const heldUntil = new Date(Date.now() + DAY)
  const open = async (userId: string, given: Partial<Parameters<typeof insertWithdrawal>[1]> = {}) =>
    (await insertWithdrawal(orm, { userId, ...given })).id
  const pending = await open(a)
  const review = await open(a, { reviewReason: 'above_limit', heldUntil })
  const fromBeforeHolds = await open(b, { reviewReason: 'recent_change' })
  const held = await open(b, { reviewReason: 'recent_change', heldUntil })
  const failed = await open(b)
  await run(`update withdrawals set status = 'failed', refunded_at = now() where id = $1`, [failed])
  const ids = async (status: contract.WithdrawalFilter, email?: string) => {
    const query = { ...list.query, status }
    const found = email
      ? await call(contract.searchAdminWithdrawals, { query: { ...query, email } })
      : await call(contract.listAdminWithdrawals, { query })
    expect(found).toMatchObject({ totalCount: found.withdrawals.length, isCut: false, totalStats: { totalCount: 4 } })
    return found.withdrawals.map(({ id }) => id).toSorted()
  }

  expect(await ids('waiting')).toEqual([review, fromBeforeHolds].toSorted())
  expect(await ids('held')).toEqual([held])
  expect([await ids('pending'), await ids('failed'), await ids('completed')]).toEqual([[pending], [failed], []])
  expect([await ids('waiting', 'first'), await ids('waiting', 'nobody')]).toEqual([[review], []])
})

test('a list by status has pages, newest first', async () => {
  const { call, makeHolder, orm } = await setup()
  const userId = await makeHolder('holder@example.com')
  const ids: string[] = []
  for (let minute = 0; minute < 3; minute += 1)
    ids.unshift((await insertWithdrawal(orm, { userId, now: new Date(Date.now() + minute * MINUTE) })).id)
  const page = async (offset: number) => {
    const found = await call(contract.listAdminWithdrawals, { query: { limit: 2, offset, status: 'pending' } })
    return [found.withdrawals.map(({ id }) => id), found.totalCount, found.hasNextPage]
  }

  expect([await page(0), await page(2), await page(20_000)]).toEqual([
    [ids.slice(0, 2), 3, true],
    [ids.slice(2), 3, false],
    [[], 3, false],
  ])
})

test('an approved withdrawal is processed, with the states before and after in the audit log', async () => {
  const { call, one, orm } = await setup()
  const { id } = await insertWithdrawal(orm, { reviewReason: 'recent_change' })

  const { withdrawal } = await call(contract.approveWithdrawal, { params: { id }, body: { notes: ' Called back. ' } })

  expect(withdrawal).toMatchObject({ id, status: 'pending', reviewReason: null, adminNotes: 'Called back.' })
  const record = await orm.em.fork().findOneOrFail(AuditEntry, { action: 'withdrawal.approve' })
  expect(record).toMatchObject({
    actor: `admin:${one.username}`,
    target: `withdrawal:${id}`,
    ipAddress: '127.0.0.1',
    before: { status: 'manual_review', reviewReason: 'recent_change', adminNotes: null, amount: '3000' },
    after: { status: 'pending', reviewReason: null, adminNotes: 'Called back.', amount: '3000' },
  })
})

test('a rejected withdrawal is refunded', async () => {
  const { call, orm } = await setup()
  const { id, user } = await insertWithdrawal(orm, { reviewReason: 'above_limit' })

  const { message, withdrawal } = await call(contract.rejectWithdrawal, { params: { id }, body: { reason: 'Asked by phone.' } })

  expect(message).toBe('The withdrawal is rejected and refunded.')
  expect(withdrawal).toMatchObject({ status: 'failed', adminNotes: 'Asked by phone.' })
  expect(await sql(orm.em.fork(), 'select balance from accounts where id = $1', [user.id])).toEqual([
    { balance: String(parseAmount('3000')) },
  ])
  const record = await orm.em.fork().findOneOrFail(AuditEntry, { action: 'withdrawal.reject' })
  expect(record).toMatchObject({ before: { status: 'manual_review' }, after: { status: 'failed', outcome: 'refunded' } })
})

test('of two concurrent decisions of any kind on a withdrawal, one succeeds and the other is refused', async () => {
  const { one, other, orm } = await setup()
  const approve = (browser: TestBrowser, id: string) => browser.call(contract.approveWithdrawal, { params: { id }, body: {} })
  const reject = (browser: TestBrowser, id: string) =>
    browser.call(contract.rejectWithdrawal, { params: { id }, body: { reason: 'No.' } })

  for (const [first, second] of [
    [approve, approve],
    [reject, reject],
    [approve, reject],
    [reject, approve],
  ] as const) {
    const { id } = await insertWithdrawal(orm, { reviewReason: 'above_limit' })
    const outcomes = await Promise.allSettled([first(one.browser, id), second(other.browser, id)])
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(lost).toMatchObject([{ reason: refused }])
    expect(await orm.em.fork().count(AuditEntry, { target: `withdrawal:${id}` })).toBe(1)

    // And one after the other.
    const { id: next } = await insertWithdrawal(orm, { reviewReason: 'above_limit' })
    await first(one.browser, next)
    await expect(second(other.browser, next)).rejects.toMatchObject(refused)
  }
})

test('a decision repeated with its idempotency key returns the first response; the key is refused for another withdrawal', async () => {
  const { call, orm } = await setup()
  const [{ id }, { id: another }] = [
    await insertWithdrawal(orm, { reviewReason: 'above_limit' }),
    await insertWithdrawal(orm, { reviewReason: 'above_limit' }),
  ]
  const approve = (id: string) => call(contract.approveWithdrawal, { params: { id }, body: {} }, { idempotencyKey: 'one' })
  const first = await approve(id)
  expect(await approve(id)).toEqual(first)
  await expect(approve(another)).rejects.toMatchObject({ code: 'idempotency_key_reused' })
})

test('an unknown withdrawal or one without a pending decision cannot be decided', async () => {
  const { call, orm } = await setup()
  const unknown = { params: { id: newId() } }
  const body = { reason: 'No.' }
  await expect(call(contract.approveWithdrawal, { ...unknown, body: {} })).rejects.toMatchObject({ status: 404 })
  await expect(call(contract.rejectWithdrawal, { ...unknown, body })).rejects.toMatchObject({ status: 404 })
  const { id } = await insertWithdrawal(orm)
  await expect(call(contract.approveWithdrawal, { params: { id }, body: {} })).rejects.toMatchObject(refused)
  await expect(call(contract.rejectWithdrawal, { params: { id }, body })).rejects.toMatchObject(refused)
})

test('a manually paid withdrawal is marked as paid once, by a transaction on the chain', async () => {
  const payouts = await startPayouts()
  const treasury = makeAccount()
  await payouts.chain.mint(treasury.address, parseAmount('2995')!)
  const { browser } = await openAdministrator(payouts.server)
  const [first, second] = [
    await payouts.open({ reviewReason: 'above_limit' }),
    await payouts.open({ reviewReason: 'above_limit' }),
  ]
  const markPaid = (id: string, transactionHash: `0x${string}`) =>
    browser.call(contract.markWithdrawalPaid, { params: { id }, body: { transactionHash } })
  await payouts.mineLater()
  const hash = await payouts.chain.transfer({ from: treasury, to: first.toAddress, amount: parseAmount('2995')! })
  await payouts.mineLater()
  await payouts.chain.mine(payouts.confirmations)

  await expect(markPaid(second.id, hash)).rejects.toMatchObject({ status: 409, code: 'transaction_foreign' })
  expect(await markPaid(first.id, hash)).toMatchObject({ withdrawal: { status: 'completed', transactionHash: hash } })
  await expect(markPaid(first.id, hash)).rejects.toMatchObject(refused)
  await expect(markPaid(second.id, `0x${'12'.repeat(32)}`)).rejects.toMatchObject({ code: 'transaction_foreign' })

  const pending = await payouts.open()
  await expect(markPaid(pending.id, hash)).rejects.toMatchObject(refused)
  const record = await payouts.orm.em.fork().findOneOrFail(AuditEntry, { action: 'withdrawal.mark_paid' })
  expect(record).toMatchObject({ before: { transactionHash: null }, after: { status: 'completed', transactionHash: hash } })
})

test('a rejected withdrawal whose nonce is being replaced accepts no other decision', async () => {
  const payouts = await startPayouts()
  const { browser } = await openAdministrator(payouts.server)
  const { id } = await payouts.open()
  await payouts.tick()
  await sql(
    payouts.orm.em.fork(),
    `update withdrawals set status = 'manual_review', review_reason = 'unknown_outcome' where id = $1`,
    [id],
  )

  const rejected = await browser.call(contract.rejectWithdrawal, { params: { id }, body: { reason: 'Lost.' } })
  expect(rejected).toMatchObject({
    message: expect.stringContaining('once its nonce is used'),
    withdrawal: { hasAttempts: true },
  })
  await expect(browser.call(contract.approveWithdrawal, { params: { id }, body: {} })).rejects.toMatchObject(refused)
})

test('the export has every row and the sums of the list, for any filter', async () => {
  const { call, makeHolder, one, orm, run, url } = await setup()
  const emails = Array.from(
    { length: 12 },
    (_, n) => `${['anna', 'Bob_', 'c%c', 'd.d'][n % 4]!.toLowerCase()}${n}@${n % 3 ? 'mail.test' : 'example.com'}`,
  )
  for (const [person, email] of emails.entries()) {
    const userId = await makeHolder(email)
    for (let n = 0; n <= person % 4; n += 1) {
      const now = new Date(Date.now() - (person * 7 + n) * 3_600_000)
      const { id } = await insertWithdrawal(orm, { userId, amount: `${3000 + person}.${'0'.repeat(17)}${n + 1}`, now })
      if (n % 2) await run(`update withdrawals set status = 'failed', refunded_at = now() where id = $1`, [id])
    }
  }
  await run(`update withdrawals set admin_notes = '=HYPERLINK("http://x","y")' where status = 'failed'`)
  let random = 7
  const draw = (below: number) => (random = (random * 48_271) % 2_147_483_647) % below
  const filters = Array.from({ length: 20 }, () => {
    const email = emails[draw(emails.length)]!
    const begin = draw(email.length)
    const part = email.slice(begin, begin + 1 + draw(8))
    return draw(2) ? part.toUpperCase() : part
  })

  for (const filter of [undefined, ...filters]) {
    const query = { limit: 100, offset: 0 }
    const { withdrawals } =
      filter === undefined
        ? await call(contract.listAdminWithdrawals, { query })
        : await call(contract.searchAdminWithdrawals, { query: { ...query, email: filter } })
    const [headings, ...rows] = await download(one.browser, url, filter)
    const place = (heading: string) => headings!.indexOf(heading)
    const told = rows.map((row) => [
      row[place('Withdrawal ID')],
      row[place('User')],
      row[place('Amount (XCR)')],
      row[place('Refunded (XCR)')] ?? null,
      row[place('Fee (XCR)')] ?? null,
    ])
    expect(told, String(filter)).toEqual(
      withdrawals.map(({ id, userEmail, amount, feeAmount, status }) => [
        id,
        userEmail,
        formatAmount(amount),
        status === 'failed' ? `-${formatAmount(amount)}` : null,
        // No fee is charged for it.
        status === 'failed' ? null : formatAmount(feeAmount),
      ]),
    )
    expect(withdrawals.length, String(filter)).toBeGreaterThan(0)
    for (const row of rows) if (row[place('Status')] === 'Failed') expect(row[place('Notes')]).toBe(`'=HYPERLINK("http://x","y")`)
  }
})

test('an export without rows has its headings', async () => {
  const { one, url } = await setup()
  expect(await download(one.browser, url, 'nobody')).toHaveLength(1)
  expect(await download(one.browser, url)).toHaveLength(1)
})

test('after a restore, a withdrawal that was paid is not refunded by a rejection before the worker has looked at the chain', async () => {
  const payouts = await startPayouts()
  await payouts.tick()
  const { browser } = await openAdministrator(payouts.server)
  const { id, toAddress, user } = await payouts.open({ reviewReason: 'above_limit' })
  const reject = () => browser.call(contract.rejectWithdrawal, { params: { id }, body: { reason: 'A stranger.' } })
  // The state after an older backup was restored: the withdrawal was approved and paid since.
  await payouts.chain.transfer({ from: payouts.key, to: toAddress, amount: parseAmount('2995')! })

  const refusal = { ...refused, serverMessage: expect.stringContaining('reconcile-payouts') }
  await expect(reject()).rejects.toMatchObject(refusal)
  expect(await payouts.balance(user.id)).toBe('0')
  await payouts.mineLater()
  await payouts.confirm()
  await expect(reject()).rejects.toMatchObject(refusal)
  await payouts.reconcile()
  await expect(reject()).rejects.toMatchObject(refused)
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
  expect(await payouts.balance(user.id)).toBe('0')
  expect(await payouts.audit()).toEqual([])
})

test('while no endpoint answers, nothing unsigned is refunded, but a signed one can be rejected', async () => {
  const payouts = await startPayouts()
  const { browser } = await openAdministrator(payouts.server)
  const [unsigned, signed] = [await payouts.open({ reviewReason: 'above_limit' }), await payouts.open()]
  await payouts.tick()
  await sql(
    payouts.orm.em.fork(),
    `update withdrawals set status = 'manual_review', review_reason = 'unknown_outcome' where id = $1`,
    [signed.id],
  )
  await payouts.chain.stop()
  const reject = ({ id }: typeof signed) =>
    browser.call(contract.rejectWithdrawal, { params: { id }, body: { reason: 'A stranger.' } })
  await expect(reject(unsigned)).rejects.toMatchObject({ status: 503, code: 'chain_unavailable' })
  expect((await payouts.withdrawal(unsigned.id)).status).toBe('manual_review')
  expect((await reject(signed)).message).toContain('once its nonce is used')
})
