import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import { assignBonus, exportBonus, listBonusStatus } from '#shared/contract/admin/bonus.ts'
import { exportDeposits, listDeposits } from '#shared/contract/admin/deposits.ts'
import * as purchaseCalls from '#shared/contract/admin/purchases.ts'
import * as userCalls from '#shared/contract/admin/users.ts'
import * as withdrawalCalls from '#shared/contract/admin/withdrawals.ts'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { DAY, HOUR, utcDay } from '#shared/dates.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { approve, startBackOffice } from '#api/testing/backOffice.ts'
import { createDatabase } from '#api/testing/database.ts'
import { makeUser } from '#api/testing/factories.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { startServer, type TestServer } from '#api/testing/server.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'

const page = { limit: 100, offset: 0 }
/** The rows of a list that is read in pages of two rows. */
async function inPages<Row>(count: number, read: (at: typeof page) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for (let offset = 0; offset < count; offset += 2) rows.push(...(await read({ limit: 2, offset })))
  return rows
}
const xcr = (text: string) => parseAmount(text)!

const env = { RATE_LIMITS: 'export=1000/900' }

/** The back office of a sale, whose books are compared at the end of the test. */
const openSale = async () => connect(await startBackOffice({ env }))

/** A back office whose rows are written by the test, in states that no sale has together. */
async function openBare() {
  const database = await createDatabase()
  onTestFinished(() => database.release())
  const server = await startServer(database, { env })
  const one = await openAdministrator(server)
  return connect({ server, one, call: one.browser.call })
}

function connect<Office extends { server: TestServer; one: Awaited<ReturnType<typeof openAdministrator>> }>(office: Office) {
  const { orm } = office.server.services
  const run = (statement: string, parameters: unknown[] = []) => sql(orm.em.fork(), statement, parameters)
  /** The rows of a file, each by its headings. */
  async function download(endpoint: Endpoint, query: Record<string, unknown>): Promise<Record<string, string>[]> {
    const encoded = z.encode(endpoint.query!, { format: 'csv', ...query } as never) as Record<string, string>
    const answer = await office.one.browser.fetch(
      `${office.server.url}${endpoint.path}?${new URLSearchParams(encoded).toString()}`,
    )
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [head, ...rows] = (await answer.text()).replace('\uFEFF', '').trimEnd().split('\r\n')
    return rows.map((row) => Object.fromEntries(row.split(',').map((cell, at) => [head!.split(',')[at], cell])))
  }
  return { ...office, orm, run, download }
}

/** Every combination of one value, or none, of each property. */
const combine = <const Choices extends Record<string, readonly unknown[]>>(choices: Choices) =>
  Object.entries(choices).reduce<Record<string, unknown>[]>(
    (filters, [name, values]) => filters.flatMap((filter) => [filter, ...values.map((value) => ({ ...filter, [name]: value }))]),
    [{}],
  )

test('pages, sums and files of withdrawals have the same rows, for every filter and order', async () => {
  const { call, orm, run, download } = await openBare()
  const begin = Date.parse('2026-11-01T00:00:00Z')
  const ids: string[] = []
  for (const [n, email] of ['anna@example.com', 'bert@example.com', 'annabel@mail.test'].entries()) {
    const { user } = await makeUser(orm.em.fork(), { email })
    await giveXcr(orm, user.id, '1000000')
    for (let at = 0; at < 4; at += 1) {
      const now = new Date(begin + at * DAY + n * HOUR)
      const { id } = await insertWithdrawal(orm, { userId: user.id, amount: `${3000 + 7 * ((n + at * 3) % 5)}.${n + 1}`, now })
      if (at % 2) await run(`update withdrawals set status = 'failed', refunded_at = now() where id = $1`, [id])
      ids.push(id)
    }
  }
  const all = (await call(withdrawalCalls.listAdminWithdrawals, { query: page })).withdrawals
  expect(all).toHaveLength(12)
  const filters = combine({
    email: ['anna'],
    status: ['failed'],
    from: [new Date(begin + DAY)],
    until: [new Date(begin + 3 * DAY)],
    min: [xcr('3007')],
    max: [xcr('3021.2')],
  })
  for (const filter of filters as Parameters<typeof expected>[0][]) {
    for (const sort of [undefined, 'oldest', 'largest', 'smallest'] as const) {
      const rows = expected(filter).toSorted(orders[sort ?? 'newest'])
      const { email, ...others } = filter
      const query = { ...page, ...others, ...(sort && { sort }) }
      const answer = email
        ? await call(withdrawalCalls.searchAdminWithdrawals, { query: { ...query, email } })
        : await call(withdrawalCalls.listAdminWithdrawals, { query })
      const what = JSON.stringify({ ...filter, sort }, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
      expect(
        answer.withdrawals.map(({ id }) => id),
        what,
      ).toEqual(rows.map(({ id }) => id))
      expect(answer.totalCount, what).toBe(rows.length)
      if (sort && Object.keys(filter).length === 0)
        expect(
          await inPages(
            rows.length,
            async (at) => (await call(withdrawalCalls.listAdminWithdrawals, { query: { ...at, sort } })).withdrawals,
          ),
        ).toEqual(answer.withdrawals)
      if (sort === undefined)
        expect(await call(withdrawalCalls.summarizeWithdrawals, { query: filter }), what).toEqual({
          count: rows.length,
          amount: rows.reduce((sum, { amount }) => sum + amount, 0n),
          // A refunded withdrawal costs nothing.
          fees: rows.reduce((sum, { feeAmount, status }) => (status === 'failed' ? sum : sum + feeAmount), 0n),
        })
      if (sort !== 'oldest')
        expect(
          (await download(withdrawalCalls.exportWithdrawals, { ...filter, ...(sort && { sort }) })).map(
            (row) => row['Withdrawal ID'],
          ),
          what,
        ).toEqual(rows.map(({ id }) => id))
    }
  }

  function expected(filter: { email?: string; status?: 'failed'; from?: Date; until?: Date; min?: bigint; max?: bigint }) {
    return all.filter(
      ({ userEmail, status, createdAt, amount }) =>
        (!filter.email || userEmail!.includes(filter.email)) &&
        (!filter.status || status === filter.status) &&
        (!filter.from || createdAt >= filter.from) &&
        (!filter.until || createdAt < filter.until) &&
        (!filter.min || amount >= filter.min) &&
        (!filter.max || amount <= filter.max),
    )
  }
})

type Ordered = { id: string; createdAt: Date; amount: bigint }
const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
const orders = {
  newest: (a: Ordered, b: Ordered) => b.createdAt.getTime() - a.createdAt.getTime() || byId(b, a),
  oldest: (a: Ordered, b: Ordered) => a.createdAt.getTime() - b.createdAt.getTime() || byId(a, b),
  largest: (a: Ordered, b: Ordered) => Number(b.amount - a.amount) || byId(b, a),
  smallest: (a: Ordered, b: Ordered) => Number(a.amount - b.amount) || byId(a, b),
}

test('purchases are narrowed by status, kind, amount and time, with sums of all matches and the same rows in the file', async () => {
  const { call, openBuyer, openPurchase, one, server, download } = await openSale()
  const [anna, bert] = [await openBuyer(), await openBuyer()]
  const bought = await openPurchase(anna, 12, '36')
  await approve(one.browser, bought.id)
  server.clock.advance(HOUR)
  await call(assignBonus, { body: { userEmail: anna.user.email, quantity: 1 } })
  server.clock.advance(HOUR)
  const pending = await openPurchase(bert, 2, '6')
  const [newest, bonus, oldest] = (await call(purchaseCalls.listAdminPurchases, { query: page })).purchases
  expect([newest!.id, oldest!.id]).toEqual([pending.id, bought.id])

  for (const [filter, found, nodes] of [
    [{ status: 'pending' }, [newest], [0, 0]],
    [{ status: 'confirmed' }, [bonus, oldest], [12, 1]],
    [{ status: 'waiting' }, [], [0, 0]],
    [{ kind: 'bonus' }, [bonus], [0, 1]],
    [{ kind: 'paid' }, [newest, oldest], [12, 0]],
    [{ kind: 'paid', sort: 'largest' }, [oldest, newest], [12, 0]],
    [{ min: xcr('6'), max: xcr('35') }, [newest], [0, 0]],
    [{ from: bonus!.createdAt }, [newest, bonus], [0, 1]],
    [{ until: bonus!.createdAt }, [oldest], [12, 0]],
    [{ status: 'confirmed', email: bert.user.email }, [], [0, 0]],
    [{ sort: 'oldest' }, [oldest, bonus, newest], null],
    [{ sort: 'largest' }, [oldest, newest, bonus], null],
  ] as const) {
    const list = (at = page) => call(purchaseCalls.listAdminPurchases, { query: { ...at, ...filter } })
    const { purchases, summary, totalCount } = await list()
    expect(await inPages(found.length, async (at) => (await list(at)).purchases)).toEqual(purchases)
    const ids = found.map((purchase) => purchase!.id)
    expect([filter, purchases.map(({ id }) => id), totalCount]).toEqual([filter, ids, ids.length])
    // An order alone selects nothing.
    const [paidNodes, bonusNodes] = nodes ?? [0, 0]
    expect([filter, summary]).toEqual([
      filter,
      nodes && { purchaseCount: ids.length, paidNodes, bonusNodes, totalNodes: paidNodes + bonusNodes },
    ])
    const rows = await download(purchaseCalls.downloadPurchases, filter)
    expect([filter, rows.map((row) => row['Purchase ID'])]).toEqual([filter, ids])
  }
  const [row] = await download(purchaseCalls.downloadPurchases, { kind: 'paid', status: 'confirmed' })
  expect(row).toMatchObject({ 'Unit price (USDT)': '3', Wallet: anna.user.walletAddress, 'Amount (USDT)': '36' })
  expect(row!['Confirmed (UTC)']).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
  const [given] = await download(purchaseCalls.downloadPurchases, { kind: 'bonus' })
  expect(given).toMatchObject({ 'Unit price (USDT)': '', Wallet: '' })
})

test('deposits in every state are listed, found by account, sender, hash and state, with their sums and the same rows in the file', async () => {
  const { call, orm, run, download } = await openBare()
  const { user } = await makeUser(orm.em.fork(), { email: 'payer@example.com' })
  const states = ['seen', 'matched', 'review', 'ignored', 'assigned', 'refunded', 'orphaned']
  const sender = (n: number) => `0x${String(n).repeat(40)}`
  const hash = (n: number) => `0x${String(n).repeat(64)}`
  const begin = Date.parse('2026-11-01T00:00:00Z')
  for (const [n, state] of states.entries())
    await run(
      `insert into deposits (id, chain_id, transaction_hash, ordinal, sender, recipient, amount, state, review_reason, user_id, first_seen_at,
         refunded_amount, refund_hash, refund_ordinal)
       values ($1, 56, $2, 0, $3, '0x0', $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        newId(),
        hash(n),
        sender(n),
        String(xcr(String(n + 1))),
        state,
        state === 'review' ? 'underpaid' : null,
        n % 2 ? user.id : null,
        new Date(begin + n * DAY),
        ...(state === 'refunded' ? [String(xcr('5.5')), hash(9), 0] : [null, null, null]),
      ],
    )
  const all = await call(listDeposits, { query: page })
  expect(all.deposits.map(({ state }) => state)).toEqual(states.toReversed())
  expect(all).toMatchObject({ totalCount: 7, summary: null })
  expect(all.deposits[1]).toMatchObject({ refundHash: hash(9), refundedAmount: xcr('5.5'), userEmail: 'payer@example.com' })
  expect(all.deposits[2]).toMatchObject({ userEmail: null, refundHash: null })

  for (const [filter, found] of [
    ...states.map((status) => [{ status }, [status]] as const),
    [{ status: 'waiting' }, ['orphaned', 'review']],
    [{ kind: 'underpaid' }, ['review']],
    [{ search: 'PAYER@' }, ['refunded', 'ignored', 'matched']],
    [{ search: sender(4) }, ['assigned']],
    [{ search: hash(4).toUpperCase().replace('X', 'x') }, ['assigned']],
    [{ search: '0x333' }, ['ignored']],
    [{ search: 'nobody' }, []],
    [{ from: new Date(begin + 2 * DAY), until: new Date(begin + 4 * DAY) }, ['ignored', 'review']],
    [{ min: xcr('5'), max: xcr('6'), sort: 'smallest' }, ['assigned', 'refunded']],
    [{ search: 'payer', sort: 'oldest' }, ['matched', 'ignored', 'refunded']],
  ] as const) {
    const { deposits, summary, totalCount } = await call(listDeposits, { query: { ...page, ...filter } as never })
    expect([filter, deposits.map(({ state }) => state)]).toEqual([filter, found])
    expect([filter, totalCount, summary]).toEqual([
      filter,
      found.length,
      {
        count: found.length,
        amount: deposits.reduce((sum, { amount }) => sum + amount, 0n),
        refunded: deposits.reduce((sum, { refundedAmount }) => sum + (refundedAmount ?? 0n), 0n),
      },
    ])
    expect([filter, (await download(exportDeposits, filter)).map((row) => row.State)]).toEqual([filter, found])
  }
  const [refunded] = await download(exportDeposits, { status: 'refunded' })
  expect(refunded).toMatchObject({
    User: 'payer@example.com',
    'Amount (USDT)': '6',
    'Refunded (USDT)': '-5.5',
    'Refund tx hash': hash(9),
    'Tx hash': hash(5),
    'First seen (UTC)': '2026-11-06T00:00:00.000Z',
  })
})

test('accounts are narrowed by nodes, wallet, freeze, balance and sign-up, sorted, summed and exported', async () => {
  const { call, orm, run, openBuyer, openPurchase, one, download } = await openSale()
  const holder = await openBuyer({ email: 'holder@example.com' })
  await approve(one.browser, (await openPurchase(holder, 2, '6')).id)
  const { user: rich } = await makeUser(orm.em.fork(), { email: 'rich@example.com' })
  await giveXcr(orm, rich.id, '500')
  const { user: frozen } = await makeUser(orm.em.fork(), { email: 'frozen@example.com' })
  await giveXcr(orm, frozen.id, '20')
  const begin = Date.parse('2026-11-01T00:00:00Z')
  for (const [n, email] of ['holder', 'rich', 'frozen'].entries())
    await run(`update users set created_at = $1, frozen_at = $2 where email = $3`, [
      new Date(begin + n * DAY),
      email === 'frozen' ? new Date() : null,
      `${email}@example.com`,
    ])

  for (const [filter, found, sums] of [
    [{ sort: 'newest' }, ['frozen', 'rich', 'holder'], [2, '520']],
    [{ sort: 'oldest' }, ['holder', 'rich', 'frozen'], [2, '520']],
    [{ sort: 'email' }, ['frozen', 'holder', 'rich'], [2, '520']],
    [{ sort: 'balance' }, ['rich', 'frozen', 'holder'], [2, '520']],
    [{ sort: 'nodes' }, ['holder', 'frozen', 'rich'], [2, '520']],
    [{ sort: 'nodes', status: 'with_nodes' }, ['holder'], [2, '0']],
    [{ status: 'without_nodes' }, ['frozen', 'rich'], [0, '520']],
    [{ status: 'without_wallet' }, ['frozen', 'rich'], [0, '520']],
    [{ status: 'frozen' }, ['frozen'], [0, '20']],
    [{ min: xcr('20.000000000000000001') }, ['rich'], [0, '500']],
    [{ max: xcr('20') }, ['frozen', 'holder'], [2, '20']],
    [{ from: new Date(begin + DAY), until: new Date(begin + 2 * DAY) }, ['rich'], [0, '500']],
    [{ email: 'ric', status: 'without_nodes' }, ['rich'], [0, '500']],
  ] as const) {
    const { email, ...others } = { email: undefined, ...filter }
    const list = (at = page) =>
      email
        ? call(userCalls.searchUsers, { query: { ...at, ...others, email } })
        : call(userCalls.listUsers, { query: { ...at, ...others } })
    const { users, totalCount } = await list()
    expect([filter, await inPages(found.length, async (at) => (await list(at)).users)]).toEqual([filter, users])
    const emails = found.map((name) => `${name}@example.com`)
    expect([filter, users.map((user) => user.email), totalCount]).toEqual([filter, emails, emails.length])
    const { count, nodes, availableXcr } = await call(userCalls.summarizeUsers, { query: filter })
    expect([filter, count, nodes, formatAmount(availableXcr)]).toEqual([filter, emails.length, ...sums])
    expect([filter, (await download(userCalls.exportUsers, filter)).map((row) => row.Email)]).toEqual([filter, emails])
  }
})

test('bonuses are narrowed by status and email, sorted, summed and exported', async () => {
  const { call, openBuyer, openPurchase, one, download } = await openSale()
  for (const [name, quantity] of [
    ['due', 20],
    ['done', 10],
    ['few', 3],
  ] as const) {
    const buyer = await openBuyer({ email: `${name}@example.com` })
    await approve(one.browser, (await openPurchase(buyer, quantity, String(quantity * 3))).id)
  }
  await call(assignBonus, { body: { userEmail: 'done@example.com', quantity: 1 } })
  for (const [filter, found, sums] of [
    [{ status: 'pending' }, ['due'], [20, 0, 2]],
    [{ status: 'done' }, ['done'], [10, 1, 0]],
    [{ status: 'not_applicable' }, ['few'], [3, 0, 0]],
    [{ email: 'DUE@' }, ['due'], [20, 0, 2]],
    [{ sort: 'received' }, ['done', 'due', 'few'], undefined],
    [{ sort: 'paid' }, ['due', 'done', 'few'], undefined],
  ] as const) {
    const { users, summary } = await call(listBonusStatus, { query: { ...page, ...filter } })
    expect([filter, users.map(({ userName }) => userName)]).toEqual([filter, found])
    const [paidNodes, bonusReceived, bonusPending] = sums ?? []
    expect([filter, summary]).toEqual([filter, sums && { count: found.length, paidNodes, bonusReceived, bonusPending }])
    expect([filter, (await download(exportBonus, filter)).map((row) => row.User)]).toEqual([
      filter,
      found.map((name) => `${name}@example.com`),
    ])
  }
})

test('a file of a whole month is named after it, any other after the day on which it was made', async () => {
  const { one, server } = await openBare()
  const nameOf = async (query: string) => {
    const answer = await one.browser.fetch(`${server.url}/api/admin/${query}`)
    return /filename="(.+)"/.exec(answer.headers.get('content-disposition')!)![1]
  }
  const october = 'from=2026-10-01T00:00:00.000Z&until=2026-11-01T00:00:00.000Z'
  const today = utcDay(server.clock.productNow())
  expect(await nameOf('books/ledger?month=2026-10')).toBe('ledger-2026-10.xlsx')
  expect(await nameOf(`withdrawals/export?${october}&format=csv`)).toBe('withdrawals-2026-10.csv')
  expect(await nameOf('withdrawals/export?from=2026-10-01T00:00:00.000Z')).toBe(`withdrawals-${today}.xlsx`)
  expect(await nameOf(`withdrawals/export?${october}&status=failed`)).toBe(`withdrawals-${today}.xlsx`)
  expect(await nameOf('users/export')).toBe(`users-${today}.xlsx`)
})

test('each export is in the audit log with its filter', async () => {
  const { orm, download, one } = await openBare()
  await download(withdrawalCalls.exportWithdrawals, { status: 'failed', min: xcr('3000') })
  const [entry] = await orm.em.fork().find(AuditEntry, { action: 'list.export' })
  expect(entry).toMatchObject({
    actor: `admin:${one.username}`,
    target: 'withdrawals',
    after: { status: 'failed', min: '3000', format: 'csv' },
  })
})
