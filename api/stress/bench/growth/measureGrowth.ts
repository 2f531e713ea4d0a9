import { MikroORM } from '@mikro-orm/postgresql'
import path from 'node:path'
import { encodeFunctionData, type Hex, parseEther } from 'viem'
import { auditDatabase } from '#api/integrity/auditDatabase.ts'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { callChain } from '#api/dev/callChain.ts'
import { bep20Usdt } from '#api/dev/contracts/generated/bep20Usdt.ts'
import { payDueDays } from '#api/rewards/daily/payDueDays.ts'
import { dayAfter, rewardInstant } from '#shared/rewardTime.ts'
import { clockTimeSources, FakeClock } from '#api/testing/FakeClock.ts'
import { createProgress } from '#api/platform/log/createProgress.ts'
import { type Check, type Comparison, median } from '../Comparison.ts'
import { logInAdministrator } from '../adminLists/logInAdministrator.ts'
import { prepareHolders } from '../dailyRun/prepareHolders.ts'
import { fillWallets, sessionId, walletOf } from '../reservations/prepareBuyers.ts'
import { fillHistory, type History, historyOf } from './fillHistory.ts'
import { callOffice, officeCalls, USERS_BY_BALANCE } from './officeCalls.ts'
import { payWithdrawals } from './payWithdrawals.ts'
import { type OwnDatabase, startOwnDatabase } from '../startOwnDatabase.ts'
import { DEPOSIT_ADDRESS, type Parts, USDT_ADDRESS } from '../startParts.ts'
import { runCommand } from '../startProgram.ts'

const ROWS = 10_000_000
/** A thousandth of them. */
const FEW_ROWS = 10_000
const FIRST_DAY = '2025-12-31'
const DAYS = 4
const AUDITS = 1
const ROUNDS = 25
/** Each reserves and pays for one node. */
const BUYERS = 25
/** Each by another holder, so at most the smallest number of holders. */
const WITHDRAWALS = 100

/** Limits the cost of a row as a multiple of its cost in the small database. */
const MAX_RATIO = 2
/** Limits a call, in milliseconds. */
const MAX_CALL = 150

/** The requests of a holder's pages. Those who visit have the whole history. */
const pages: Record<string, string> = {
  'a holder’s session': '/api/auth/user',
  'a holder’s nodes and income': '/api/user/nodes',
  'a holder’s purchases': '/api/node-purchases',
  'a holder’s rewards': '/api/xcr-distribution-logs',
  'a holder’s withdrawals': '/api/xcr-withdrawals',
}

/** Milliseconds of each round by operation. */
interface Costs {
  perThousandRows: Record<string, number[]>
  perCall: Record<string, number[]>
}

/**
 * Measures the same operations with ten thousand and ten million rows of the ledger: what reads or writes all rows must not cost more per row,
 * and no call may depend on the rows of other users.
 */
export async function measureGrowth(
  parts: Parts,
  { quick = false, rows = quick ? ROWS / 10 : ROWS }: Options = {},
): Promise<(Comparison | Check)[]> {
  const [few, many] = [historyOf(FEW_ROWS), historyOf(rows)]
  const [short, long] = [await measureWith(parts, few), await measureWith(parts, many)]
  return [
    ...Object.entries(long.perThousandRows).map(
      ([subject, times]): Comparison => ({
        subject: `growth: ${subject}, per 1,000 rows`,
        measured: `${median(times).toFixed(2)} ms with ${count(many.rows)} rows, ${count(many.users)} users`,
        comparedWith: `${median(short.perThousandRows[subject]!).toFixed(2)} ms with ${count(few.rows)}`,
        ratio: median(times) / median(short.perThousandRows[subject]!),
        goal: { bound: 'atMost', value: MAX_RATIO },
      }),
    ),
    ...Object.entries(long.perCall).map(
      ([subject, times]): Check => ({
        subject: `growth: ${subject}`,
        measured: `${median(times).toFixed(1)} ms, at most ${Math.max(...times).toFixed(1)} ms`,
        comparedWith: `${MAX_CALL} ms; ${median(short.perCall[subject]!).toFixed(1)} ms with ${count(few.rows)} rows`,
        holds: median(times) <= MAX_CALL,
      }),
    ),
  ]
}

interface Options {
  quick?: boolean
  rows?: number | undefined
}

async function measureWith(parts: Parts, { rows, users, longStanding }: Omit<History, 'lastDay'>): Promise<Costs> {
  const own = await startOwnDatabase(parts, `growth_${rows}`)
  const orm = new MikroORM(ormOptions({ url: own.url }))
  try {
    console.log(`${count(rows)} rows of the ledger, ${count(users)} users …`)
    await prepareHolders(own.client, { holders: users, nodesEach: 1, firstDay: FIRST_DAY })
    const lastDay = await fillHistory(orm, own.client, { firstDay: FIRST_DAY, longStanding, users })
    const { times, clock } = await payDays(orm, lastDay)
    await own.client.query('vacuum analyze')
    const perRow = (rows: number) => (time: number) => (time / rows) * 1_000
    const paid = rows + users * (DAYS - 1)
    const at = { now: clock.now(), productNow: clock.productNow() }
    const progress = createProgress()
    const audits = await repeat(AUDITS, async () => {
      const findings = await auditDatabase(orm.em.fork(), at, { onProgress: progress.show })
      const found = findings.flatMap(({ differences }) => differences)
      if (found.length > 0) throw new Error(`The audit of ${count(paid)} rows found ${found.slice(0, 3).join('; ')}`)
    })
    progress.end()
    const costs: Costs = {
      perThousandRows: { 'a day’s rewards': times.map(perRow(users)), 'the audit of all rows': audits.map(perRow(paid)) },
      perCall: {},
    }
    for (const [name, each] of Object.entries(costs.perThousandRows))
      console.log(`${name}: ${median(each).toFixed(2)} ms per 1,000 rows`)
    for (const [name, page] of Object.entries(pages)) costs.perCall[name] = await visit(own, page, longStanding)
    await logInAdministrator(own.client)
    costs.perThousandRows['the users by balance'] = (await callOffice(own, USERS_BY_BALANCE)).map(perRow(users))
    for (const [name, path] of officeCalls(lastDay)) {
      costs.perCall[name] = await callOffice(own, path)
      console.log(`${name}: ${median(costs.perCall[name]).toFixed(1)} ms`)
    }
    await prepareBuyers(parts, own, users)
    costs.perCall['a reservation'] = await reserve(own)
    costs.perCall['a payment, read from the chain and settled'] = [(await settlePayments(parts, own)) / BUYERS]
    costs.perCall['a withdrawal, signed, sent and settled'] = [
      await payWithdrawals(own, { past: users, holders: users, due: WITHDRAWALS }),
    ]
    return costs
  } finally {
    await orm.close(true)
    await own.close()
  }
}

async function payDays(orm: MikroORM, lastDay: string): Promise<{ times: number[]; clock: FakeClock }> {
  const clock = new FakeClock()
  let day = lastDay
  const times = await repeat(DAYS, () => {
    day = dayAfter(day)
    clock.set(rewardInstant(day))
    return payDueDays({ orm, clock, timeSources: clockTimeSources(clock) })
  })
  // The first day creates the accounts.
  return { times: times.slice(1), clock }
}

async function visit({ port }: OwnDatabase, page: string, holders: number): Promise<number[]> {
  let visitor = 0
  return repeat(ROUNDS, async () => {
    visitor = (visitor % Math.min(holders, ROUNDS)) + 1
    await answer(await fetch(`http://127.0.0.1:${port}${page}`, { headers: cookie(visitor) }))
  })
}

async function prepareBuyers({ chain }: Parts, { client }: OwnDatabase, nodes: number): Promise<void> {
  await client.query(
    `with numbered as (select id, row_number() over (order by id) as n from users order by id limit $1)
     update users set wallet_address = ${walletOf('n')}, otp_secret = '-', otp_enabled_at = now()
     from numbered where numbered.id = users.id`,
    [BUYERS],
  )
  await client.query(
    `insert into wallet_registrations (id, user_id, address, registered_at, proven_at)
     select gen_random_uuid(), id, wallet_address, now(), now() from users where wallet_address is not null`,
  )
  await client.query(
    `insert into step_up_marks (id, user_id, session_key, granted_at)
     select gen_random_uuid(), account_id, key, now() from web_sessions order by account_id limit $1`,
    [BUYERS],
  )
  await client.query('update supply set total = $1, reserved = 0', [nodes + BUYERS])
  await fillWallets(chain.url, BUYERS)
}

async function reserve({ port }: OwnDatabase): Promise<number[]> {
  let buyer = 0
  return repeat(BUYERS, async () => {
    buyer += 1
    await answer(
      await fetch(`http://127.0.0.1:${port}/api/node-purchase/reservation`, {
        method: 'POST',
        headers: {
          ...cookie(buyer),
          'content-type': 'application/json',
          origin: `http://127.0.0.1:${port}`,
          'sec-fetch-site': 'same-origin',
          'idempotency-key': crypto.randomUUID(),
        },
        body: '{"requestedQuantity":1}',
      }),
    )
  })
}

/** Pays all reservations, and lets the watcher settle them in one run. */
async function settlePayments({ chain }: Parts, { client, env }: OwnDatabase): Promise<number> {
  const call = <Result>(method: string, ...params: unknown[]) => callChain<Result>(chain.url, method, params)
  const start = Number(await call<Hex>('eth_blockNumber'))
  // The same chain has the payments of the earlier databases.
  await client.query('update chain_progress set verified_number = $1', [start])
  const { rows } = await client.query<{ wallet: Hex; amount: string }>(
    `select wallet, amount from purchases where status = 'reserved'`,
  )
  for (const { wallet, amount } of rows) {
    await call('anvil_setBalance', wallet, `0x${parseEther('1').toString(16)}`)
    await call('anvil_impersonateAccount', wallet)
    const data = encodeFunctionData({ abi: bep20Usdt.abi, functionName: 'transfer', args: [DEPOSIT_ADDRESS, BigInt(amount)] })
    await call('eth_sendTransaction', { from: wallet, to: USDT_ADDRESS, data })
  }
  await call('anvil_mine', '0x80')
  const output = await runCommand(process.execPath, [path.join(import.meta.dirname, '../watcher/readWithWatcher.ts')], {
    env: { ...env, DEPOSIT_START_BLOCK: String(start) },
  })
  const { rows: settled } = await client.query(`select from deposits where state = 'matched'`)
  if (settled.length !== BUYERS) throw new Error(`${settled.length} of ${BUYERS} payments were settled.`)
  return (JSON.parse(output) as { seconds: number }).seconds * 1_000
}

async function repeat(times: number, work: () => Promise<unknown>): Promise<number[]> {
  const durations: number[] = []
  for (let round = 0; round < times; round += 1) {
    const started = performance.now()
    await work()
    durations.push(performance.now() - started)
  }
  return durations
}

async function answer(response: Response): Promise<void> {
  const body = await response.text()
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${body}`)
}

const cookie = (n: number) => ({ cookie: `__Host-user_session=${sessionId(n)}` })
const count = (figure: number): string => figure.toLocaleString('en-US')
