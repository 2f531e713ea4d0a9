import { MikroORM } from '@mikro-orm/postgresql'
import path from 'node:path'
import { encodeFunctionData, type Hex, parseEther } from 'viem'
import { auditDatabase } from '#api/integrity/auditDatabase.ts'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { callChain } from '#api/dev/callChain.ts'
import { bep20Usdt } from '#api/dev/contracts/generated/bep20Usdt.ts'
import { makeLedgerMonths } from '#api/rewards/ledger/prepareLedgerMonths.ts'
import { payDueDays } from '#api/rewards/daily/payDueDays.ts'
import { dayAfter, rewardInstant } from '#shared/rewardTime.ts'
import { clockTimeSources, FakeClock } from '#api/testing/FakeClock.ts'
import { type Comparison, median } from '../Comparison.ts'
import { prepareHolders } from '../dailyRun/prepareHolders.ts'
import { fillWallets, sessionId, walletOf } from '../reservations/prepareBuyers.ts'
import { payWithdrawals } from './payWithdrawals.ts'
import { type OwnDatabase, startOwnDatabase } from '../startOwnDatabase.ts'
import { DEPOSIT_ADDRESS, type Parts, USDT_ADDRESS } from '../startParts.ts'
import { runCommand } from '../startProgram.ts'

const SIZES = [1_000, 10_000, 100_000, 1_000_000]
const NODES_EACH = 10
const FIRST_DAY = '2027-03-01'
const DAYS = 5
const ROUNDS = 25
/** Each reserves and pays for one node. */
const BUYERS = 25
/** Each by another holder, so at most the smallest number of holders. */
const WITHDRAWALS = 100

/** Limits the time with the most nodes as a multiple of the time with the fewest. */
const MAX_RATIO = 3

/** The requests of a holder's pages. */
const pages: Record<string, string> = {
  'a holder’s session': '/api/auth/user',
  'a holder’s nodes and income': '/api/user/nodes',
  'a holder’s purchases': '/api/node-purchases',
  'a holder’s rewards': '/api/xcr-distribution-logs',
  'a holder’s withdrawals': '/api/xcr-withdrawals',
}

/** Milliseconds by operation. */
type Costs = Record<string, number>

/** Measures the same operations with a thousand to a million nodes: the time must not depend on the rows of other users. */
export async function measureGrowth(parts: Parts, { quick = false }: { quick?: boolean } = {}): Promise<Comparison[]> {
  const sizes = quick ? SIZES.slice(0, -1) : SIZES
  const measured: Costs[] = []
  for (const nodes of sizes) measured.push(await measureWith(parts, nodes))
  const last = measured.at(-1)!
  return Object.keys(last).map((subject) => {
    const figures = measured.map((costs, index) => `${costs[subject]!.toFixed(2)} ms with ${count(sizes[index]!)} nodes`)
    return {
      subject: `growth: ${subject}`,
      measured: figures.at(-1)!,
      comparedWith: figures.slice(0, -1).join(', '),
      ratio: last[subject]! / measured[0]![subject]!,
      goal: { bound: 'atMost', value: MAX_RATIO },
    }
  })
}

async function measureWith(parts: Parts, nodes: number): Promise<Costs> {
  const own = await startOwnDatabase(parts, `growth_${nodes}`)
  const orm = new MikroORM(ormOptions({ url: own.url }))
  try {
    const holders = nodes / NODES_EACH
    await prepareHolders(own.client, { holders, nodesEach: NODES_EACH, firstDay: FIRST_DAY })
    await makeLedgerMonths({ orm }, { from: FIRST_DAY, months: 1 })
    const days = await payDays(orm)
    await own.client.query('vacuum analyze')
    const costs: Costs = {
      'a day’s rewards, per 1,000 nodes': (days / nodes) * 1_000,
      'the audit, per 1,000 nodes': (median(await repeat(3, () => auditDatabase(orm.em.fork()))) / nodes) * 1_000,
    }
    for (const [name, page] of Object.entries(pages)) costs[name] = await visit(own, page, holders)
    await prepareBuyers(parts, own, nodes)
    costs['a reservation'] = await reserve(own)
    costs['a payment, read from the chain and settled'] = (await settlePayments(parts, own)) / BUYERS
    costs['a withdrawal, signed, sent and settled'] = await payWithdrawals(own, { past: nodes, holders, due: WITHDRAWALS })
    return costs
  } finally {
    await orm.close(true)
    await own.close()
  }
}

async function payDays(orm: MikroORM): Promise<number> {
  const clock = new FakeClock()
  let day = FIRST_DAY
  const times = await repeat(DAYS, () => {
    day = dayAfter(day)
    clock.set(rewardInstant(day))
    return payDueDays({ orm, clock, timeSources: clockTimeSources(clock) })
  })
  // The first day created the accounts.
  return median(times.slice(1))
}

async function visit({ port }: OwnDatabase, page: string, holders: number): Promise<number> {
  let visitor = 0
  const times = await repeat(ROUNDS, async () => {
    visitor = (visitor % Math.min(holders, ROUNDS)) + 1
    await answer(await fetch(`http://127.0.0.1:${port}${page}`, { headers: cookie(visitor) }))
  })
  return median(times)
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

async function reserve({ port }: OwnDatabase): Promise<number> {
  let buyer = 0
  const times = await repeat(BUYERS, async () => {
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
  return median(times)
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
