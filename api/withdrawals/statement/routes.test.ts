import type { EntityClass, RequiredEntityData } from '@mikro-orm/postgresql'
import { expect, onTestFinished, test } from 'vitest'
import { formatAmount, ONE_TOKEN } from '#shared/amount.ts'
import type { PaymentStatus } from '#shared/contract/purchases.ts'
import { DAY } from '#shared/dates.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import type { WithdrawalStatus } from '#shared/contract/withdrawals.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { Deposit } from '#api/entities/Deposit.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import { Withdrawal } from '#api/entities/Withdrawal.ts'
import { useDatabase } from '#api/testing/database.ts'
import { type Buyer, makeBuyer } from '#api/testing/people.ts'
import { readSpreadsheet } from '#api/testing/readSpreadsheet.ts'
import { startServer } from '#api/testing/server.ts'
import { readStatement, type StatementRow } from './readStatement.ts'

const database = useDatabase()
const PATH = '/api/history/statement'
const HASH = `0x${'ab'.repeat(32)}` as const
const FIRST_DAY = Date.parse('2024-01-01T09:00:00Z')

interface GivenPurchase {
  nodes: number
  usdt: bigint
  at: Date
  status?: PaymentStatus
}

/** Creates histories directly in the tables. */
async function setup() {
  const server = await startServer(database)
  const { orm } = server.services
  const create = <T extends object>(entity: EntityClass<T>, data: RequiredEntityData<T>) => {
    const em = orm.em.fork()
    em.create(entity, data)
    return em.flush()
  }
  const run = (statement: string, parameters: unknown[]) => sql(orm.em.fork(), statement, parameters)

  return {
    ...server,
    makeBuyer: () => makeBuyer(server),
    distribute: async (user: string, days: number, amount: bigint) => {
      await run(
        `insert into reward_runs (day, rate, closed_at, paid_at)
         select day, $2::numeric, now(), now() from generate_series(date '2024-01-01', date '2024-01-01' + $1::int - 1, '1 day') day
         on conflict do nothing`,
        [days, amount.toString()],
      )
      await run(
        `insert into distributions (day, user_id, id, active_nodes, rate, amount, created_at)
         select day, $1, gen_random_uuid(), 1, $3::numeric, $3::numeric, (day::date + time '09:00') at time zone 'UTC'
         from generate_series('2024-01-01'::date, '2024-01-01'::date + $2::int - 1, '1 day') day`,
        [user, days, amount.toString()],
      )
    },
    withdraw: async (user: string, { status, amount, at }: { status: WithdrawalStatus; amount: bigint; at: Date }) => {
      const id = newId()
      const messageHash = id.replaceAll('-', '').repeat(2)
      await create(Withdrawal, {
        id,
        user,
        amount,
        fee: 5n * ONE_TOKEN,
        toAddress: `0x${'1'.repeat(40)}`,
        status,
        reviewReason: status === 'manual_review' ? 'above_limit' : null,
        messageHash,
        signedMessage: '',
        signature: '',
        createdAt: at,
        requestedAt: at,
        refundedAt: status === 'failed' ? at : null,
        ...(status === 'completed' && { completedAt: at, transactionHash: `0x${messageHash}`, transferOrdinal: 0 }),
      })
      return id
    },
    buy: async (user: string, { nodes, usdt, at, status = 'confirmed' }: GivenPurchase) => {
      const id = newId()
      await create(Purchase, {
        id,
        user,
        status,
        requestedQuantity: nodes,
        finalQuantity: status === 'confirmed' ? nodes : null,
        unitPrice: 0n,
        amount: usdt,
        transactionHash: HASH,
        createdAt: at,
        openedAt: at,
        postedAt: status === 'reserved' ? null : at,
      })
      return id
    },
    pay: (purchase: string, usdt: bigint, state: Deposit['state'] = 'matched') =>
      create(Deposit, {
        id: newId(),
        chainId: PAYMENT_CHAIN_ID,
        transactionHash: `0x${newId().replaceAll('-', '').repeat(2)}`,
        ordinal: 0,
        sender: `0x${'2'.repeat(40)}`,
        recipient: `0x${'3'.repeat(40)}`,
        amount: usdt,
        purchase,
        state,
        firstSeenAt: new Date(FIRST_DAY),
      }),
    hold: (user: string, balance: bigint) =>
      run(`insert into accounts (id, kind, balance) values ($1, 'user', $2)`, [user, balance.toString()]),
    download: async (buyer: Buyer) => {
      const response = await buyer.browser.fetch(`${server.url}${PATH}`)
      expect(response.status).toBe(200)
      return { headers: response.headers, rows: readSpreadsheet(new Uint8Array(await response.arrayBuffer())) }
    },
  }
}

test('the statement has every row, newest first, with exact amounts and balances', async () => {
  const { makeBuyer, distribute, withdraw, buy, hold, download } = await setup()
  const buyer = await makeBuyer()
  const user = buyer.user.id
  const reward = 12_345n * ONE_TOKEN + 1n
  const days = 1_234
  await distribute(user, days, reward)
  const bought = await buy(user, { nodes: 7, usdt: 21n * ONE_TOKEN, at: new Date(FIRST_DAY - DAY) })
  const given = await buy(user, { nodes: 1, usdt: 0n, at: new Date(FIRST_DAY + 1) })
  const statuses = ['completed', 'failed', 'manual_review', 'processing', 'pending'] as const
  const taken = 100n * ONE_TOKEN + 3n
  const made: { id: string; status: WithdrawalStatus; at: number }[] = []
  for (const [index, status] of [...statuses, 'completed' as const].entries()) {
    const at = FIRST_DAY + (index * 200 + 0.5) * DAY
    made.push({ id: await withdraw(user, { status, amount: taken, at: new Date(at) }), status, at })
  }
  await hold(user, BigInt(days) * reward - 5n * taken)

  const { headers, rows } = await download(buyer)

  expect(headers.get('content-type')).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="statement-\d{4}-\d\d-\d\d\.xlsx"$/)
  expect(headers.get('cache-control')).toBe('no-store')
  const [headings, ...entries] = rows
  expect(headings).toEqual([
    'Date (UTC)',
    'Type',
    'Transaction ID',
    'Quantity (nodes)',
    'Amount',
    'Token',
    'Fee',
    'Status',
    'Tx hash',
    'XCR balance',
  ])
  expect(entries).toHaveLength(days + 2 + made.length)
  const times = entries.map(([at]) => (at as Date).getTime())
  expect(times).toEqual(times.toSorted((a, b) => b - a))

  // Computes balances forward, where the file computes them backward.
  let balance = 0n
  const words = {
    completed: 'Completed',
    failed: 'Failed',
    manual_review: 'Under Review',
    processing: 'Processing',
    pending: 'Pending',
  }
  for (const [at, type, id, nodes, amount, token, fee, status, hash, shown] of entries.toReversed()) {
    if (type === 'XCR Distribution') {
      balance += reward
      expect([nodes, amount, token, fee, status, hash, shown]).toEqual([
        null,
        '12345.000000000000000001',
        'XCR',
        null,
        'Completed',
        null,
        formatAmount(balance),
      ])
    } else if (type === 'XCR Withdrawal') {
      const withdrawal = made.find((one) => one.id === id)!
      if (withdrawal.status !== 'failed') balance -= taken
      const balances = {
        completed: formatAmount(balance),
        failed: 'Withdrawal Failed',
        manual_review: undefined,
        processing: 'Processing',
        pending: 'Processing',
      }
      expect([(at as Date).getTime(), nodes, amount, token, fee, status, shown]).toEqual([
        withdrawal.at,
        null,
        '100.000000000000000003',
        'XCR',
        // It was refunded in full.
        withdrawal.status === 'failed' ? null : '5',
        words[withdrawal.status],
        balances[withdrawal.status],
      ])
      expect(hash ?? null).toEqual(withdrawal.status === 'completed' ? expect.stringMatching(/^0x/) : null)
    } else {
      const isBonus = type === 'Bonus Nodes'
      expect([id, nodes, amount, token, fee, status, hash, shown]).toEqual([
        isBonus ? given : bought,
        isBonus ? 1 : 7,
        isBonus ? '0' : '21',
        'USDT',
        null,
        'Completed',
        HASH,
        undefined,
      ])
    }
  }
})

test.each([
  ['an open', { owed: 1_500n, closedAt: null, rewards: [500n] }, [undefined, undefined, '1000']],
  [
    'a closed',
    { owed: 0n, closedAt: new Date(FIRST_DAY + 2.5 * DAY), rewards: [2_000n, 20n] },
    ['20', undefined, undefined, '1000'],
  ],
] as const)('with %s debt, the statement shows no balance that it changes', async (_, { owed, closedAt, rewards }, balances) => {
  const { services, makeBuyer, distribute, withdraw, hold, download } = await setup()
  const run = (statement: string, parameters: unknown[]) => sql(services.orm.em.fork(), statement, parameters)
  const buyer = await makeBuyer()
  const user = buyer.user.id
  await distribute(user, 1, 1_000n * ONE_TOKEN)
  const found = await withdraw(user, { status: 'completed', amount: 3_000n * ONE_TOKEN, at: new Date(FIRST_DAY + DAY / 2) })
  await run(
    `insert into debts (id, withdrawal_id, user_id, amount, owed, opened_at, closed_at)
     values (gen_random_uuid(), $1, $2, 2000 * 1e18, $3, now(), $4)`,
    [found, user, (owed * ONE_TOKEN).toString(), closedAt],
  )
  for (const [index, reward] of rewards.entries()) {
    const day = new Date(FIRST_DAY + (2 + index) * DAY)
    await run(
      `insert into reward_runs (day, rate, closed_at, paid_at) values ($1::timestamptz::date, 1, now(), now()) on conflict do nothing`,
      [day],
    )
    await run(
      `insert into distributions (day, user_id, id, active_nodes, rate, amount, created_at)
       values ($1::timestamptz::date, $2, gen_random_uuid(), 1, $3::numeric, $3::numeric, $1)`,
      [day, user, (reward * ONE_TOKEN).toString()],
    )
  }
  await hold(user, closedAt ? 20n * ONE_TOKEN : 0n)

  const { rows } = await download(buyer)
  expect(rows.slice(1).map((row) => row[9])).toEqual(balances)
})

test("the statement excludes other accounts' rows and reservations without a reported payment", async () => {
  const { makeBuyer, distribute, withdraw, buy, hold, download } = await setup()
  const [buyer, other] = [await makeBuyer(), await makeBuyer()]
  await distribute(other.user.id, 3, ONE_TOKEN)
  await withdraw(other.user.id, { status: 'pending', amount: 6n * ONE_TOKEN, at: new Date(FIRST_DAY) })
  await buy(other.user.id, { nodes: 2, usdt: ONE_TOKEN, at: new Date(FIRST_DAY) })
  await hold(other.user.id, 3n * ONE_TOKEN)
  await buy(buyer.user.id, { nodes: 2, usdt: ONE_TOKEN, at: new Date(FIRST_DAY), status: 'reserved' })
  const mine = await buy(buyer.user.id, { nodes: 2, usdt: ONE_TOKEN, at: new Date(FIRST_DAY), status: 'cancelled' })

  const { rows } = await download(buyer)
  expect(rows.slice(1).map(([, , id, , , , , status]) => [id, status])).toEqual([[mine, 'cancelled']])
})

test('the statement of an account without history has only the headings', async () => {
  const { makeBuyer, download } = await setup()
  expect((await download(await makeBuyer())).rows).toHaveLength(1)
})

test('a visitor cannot download a statement', async () => {
  const { openBrowser, url } = await setup()
  const response = await openBrowser().fetch(`${url}${PATH}`)
  expect(response.status).toBe(401)
  expect(await response.json()).toMatchObject({ message: 'Unauthorized', code: 'unauthenticated' })
})

test('downloads are rate limited', async () => {
  const server = await startServer(database, { env: { RATE_LIMITS: 'export=2/900' } })
  const [buyer, other] = [await makeBuyer(server), await makeBuyer(server)]
  const statusOf = async ({ browser }: Buyer) => {
    const response = await browser.fetch(`${server.url}${PATH}`)
    await response.arrayBuffer()
    return response.status
  }
  expect([await statusOf(buyer), await statusOf(buyer), await statusOf(buyer), await statusOf(other)]).toEqual([
    200, 200, 429, 200,
  ])
})

test('changes during the download do not affect the statement', async () => {
  const { makeBuyer, distribute, withdraw, hold, services } = await setup()
  const { user } = await makeBuyer()
  await distribute(user.id, 600, ONE_TOKEN)
  await hold(user.id, 600n * ONE_TOKEN)

  const rows = readStatement(services.orm.em.fork(), user.id)
  onTestFinished(async () => void (await rows.return(undefined)))
  const first = await rows.next()
  await withdraw(user.id, { status: 'pending', amount: 10n * ONE_TOKEN, at: new Date(FIRST_DAY + DAY) })
  await sql(services.orm.em.fork(), 'update accounts set balance = balance - 10 where id = $1', [user.id])
  const rest: StatementRow[] = []
  for await (const row of rows) rest.push(row)

  expect(first.value).toMatchObject({ balance: 600n * ONE_TOKEN })
  expect(rest).toHaveLength(599)
  expect(rest.at(-1)).toMatchObject({ balance: ONE_TOKEN })
})

test('aborting the download releases the connection', async () => {
  const server = await startServer(database, { config: { DATABASE_POOL_SIZE: 1 } })
  const { user } = await makeBuyer(server)
  const { orm } = server.services
  await sql(orm.em.fork(), `insert into reward_runs (day, rate, closed_at, paid_at) values ('2023-01-01', 1, now(), now())`)
  await sql(
    orm.em.fork(),
    `insert into distributions values ('2023-01-01', $1, gen_random_uuid(), 1, 1, 1, '2023-01-01T09:00Z')`,
    [user.id],
  )

  for await (const row of readStatement(orm.em.fork(), user.id)) {
    expect(row.amount).toBe(1n)
    break
  }
  expect(await sql(orm.em.fork(), 'select 1 as answer')).toEqual([{ answer: 1 }])
})

const csvOf = async ({ browser }: Buyer, url: string, format: string) => {
  const answer = await browser.fetch(`${url}/api/history/tax?format=${format}`)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(answer.headers.get('content-disposition')).toMatch(
    new RegExp(`^attachment; filename="tax-${format}-\\d{4}-\\d\\d-\\d\\d\\.csv"$`),
  )
  const bytes = Buffer.from(await answer.arrayBuffer())
  return bytes.toString().trimEnd().split('\r\n')
}

test('the report for tax tools has the final movements with exact quantities and no value, generic and for Koinly', async () => {
  const { makeBuyer, distribute, withdraw, buy, pay, hold, url } = await setup()
  const buyer = await makeBuyer()
  const user = buyer.user.id
  await distribute(user, 1, ONE_TOKEN + 1n)
  const bought = await buy(user, { nodes: 7, usdt: 21n * ONE_TOKEN, at: new Date(FIRST_DAY - DAY) })
  for (const usdt of [15n, 6n]) await pay(bought, usdt * ONE_TOKEN)
  await buy(user, { nodes: 1, usdt: 0n, at: new Date(FIRST_DAY - DAY) })
  await buy(user, { nodes: 2, usdt: 6n * ONE_TOKEN, at: new Date(FIRST_DAY - DAY), status: 'pending' })
  const taken = await withdraw(user, { status: 'completed', amount: 100n * ONE_TOKEN, at: new Date(FIRST_DAY + DAY) })
  for (const status of ['failed', 'pending'] as const)
    await withdraw(user, { status, amount: 100n * ONE_TOKEN, at: new Date(FIRST_DAY + DAY) })
  await hold(user, 0n)
  const paid = `0x${taken.replaceAll('-', '').repeat(2)}`

  const [head, withdrawal, reward, purchase, ...rest] = await csvOf(buyer, url, 'generic')
  expect(head).toBe('Date (UTC),Type,Quantity,Asset,Fee,Fee asset,Nodes,Value at receipt,ID,Tx hash')
  expect(withdrawal).toBe(`2024-01-02T09:00:00.000Z,withdrawal,95,XCR,5,XCR,,,${taken},${paid}`)
  expect(reward).toMatch(/^2024-01-01T09:00:00.000Z,reward,1.000000000000000001,XCR,,,,,[0-9a-f-]{36},$/)
  expect(purchase).toBe(`2023-12-31T09:00:00.000Z,purchase,21,USDT,,,7,,${bought},${HASH}`)
  expect(rest).toEqual([])

  const [koinlyHead, ...koinly] = await csvOf(buyer, url, 'koinly')
  expect(koinlyHead).toBe(
    'Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash',
  )
  expect(koinly).toEqual([
    `2024-01-02 09:00:00 UTC,95,XCR,,,5,XCR,,,,XCR Withdrawal ${taken},${paid}`,
    expect.stringMatching(/^2024-01-01 09:00:00 UTC,,,1.000000000000000001,XCR,,,,,reward,XCR Distribution [0-9a-f-]{36},$/),
    `2023-12-31 09:00:00 UTC,21,USDT,,,,,,,,Node Purchase of 7 nodes ${bought},${HASH}`,
  ])
})

test('of a purchase that was approved unpaid or underpaid, the report has only what was received', async () => {
  const { makeBuyer, buy, pay, hold, url } = await setup()
  const buyer = await makeBuyer()
  const at = new Date(FIRST_DAY)
  const [unpaid, underpaid] = [
    await buy(buyer.user.id, { nodes: 1, usdt: 3n * ONE_TOKEN, at }),
    await buy(buyer.user.id, { nodes: 2, usdt: 6n * ONE_TOKEN, at }),
  ]
  await hold(buyer.user.id, 0n)
  for (const state of ['seen', 'review', 'orphaned', 'refunded'] as const) await pay(unpaid, ONE_TOKEN, state)
  await pay(underpaid, 4n * ONE_TOKEN)
  await pay(underpaid, ONE_TOKEN, 'assigned')

  const [, ...rows] = await csvOf(buyer, url, 'generic')
  expect(rows).toEqual([`2024-01-01T09:00:00.000Z,purchase,5,USDT,,,2,,${underpaid},${HASH}`])
  const [, ...koinly] = await csvOf(buyer, url, 'koinly')
  expect(koinly).toEqual([`2024-01-01 09:00:00 UTC,5,USDT,,,,,,,,Node Purchase of 2 nodes ${underpaid},${HASH}`])
})
