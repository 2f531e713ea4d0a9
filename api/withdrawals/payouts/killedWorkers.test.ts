import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Hex } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import { sql } from '#api/platform/db/sql.ts'
import { spawnBound } from '#api/dev/spawnBound.ts'
import type { Withdrawal } from '#api/entities/Withdrawal.ts'
import { type FaultyRpc, startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { type Payouts, startPayouts } from '#api/testing/payouts.ts'
import { type PayoutStep, payoutSteps } from './PayoutContext.ts'

/** Generous, because processes start slowly on a busy machine. */
const POLLING = { timeout: 100_000, interval: 100 }
vi.setConfig({ testTimeout: 120_000 })
const program = fileURLToPath(new URL('../../testing/payoutWorker.ts', import.meta.url))

/** Starts workers in separate processes for the duration of the test. */
function startWorkers({ services: { config } }: Payouts) {
  const errors: string[] = []
  const start = (killedAt?: PayoutStep): ChildProcess => {
    const worker = spawnBound(process.execPath, [program, ...(killedAt ? [killedAt] : [])], {
      deathSignal: 'KILL',
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: '.cache/compiled',
        DATABASE_URL: config.DATABASE_URL,
        XCR_RPC_URLS: config.XCR_RPC_URLS.join(','),
        XCR_TOKEN_ADDRESS: config.XCR_TOKEN_ADDRESS,
        XCR_CONFIRMATIONS: String(config.XCR_CONFIRMATIONS),
        PAYOUT_PRIVATE_KEY: config.PAYOUT_PRIVATE_KEY,
      },
    })
    worker.stderr?.setEncoding('utf8').on('data', (text: string) => errors.push(text))
    onTestFinished(() => void worker.kill('SIGKILL'))
    return worker
  }
  return { start, errors }
}

/** Throws if the worker ended by itself. */
const isKilled = (worker: ChildProcess): boolean => {
  if (worker.exitCode !== null) throw new Error(`A worker ended with code ${worker.exitCode}.`)
  return worker.signalCode === 'SIGKILL'
}

async function openTwo(payouts: Payouts): Promise<Withdrawal[]> {
  const opened: Withdrawal[] = []
  for (const amount of ['3000', '3000.000000000000000001']) {
    payouts.clock.advance(1)
    opened.push(await payouts.open({ amount, fee: '5' }))
  }
  return opened
}

/** Mines until one of these workers is killed. Returns the others. */
async function waitForKill({ chain }: Payouts, workers: readonly ChildProcess[]): Promise<ChildProcess[]> {
  const countKilled = async () => {
    await chain.mine()
    return workers.filter(isKilled).length
  }
  await expect.poll(countKilled, POLLING).toBeGreaterThan(0)
  return workers.filter((worker) => !isKilled(worker))
}

/** Mines until all withdrawals are completed. */
async function waitForCompletion(payouts: Payouts): Promise<void> {
  const countOpen = async () => {
    await payouts.chain.mine()
    const [row] = await sql<{ count: number }>(
      payouts.orm.em.fork(),
      `select count(*)::int as count from withdrawals where status <> 'completed'`,
    )
    return row!.count
  }
  await expect.poll(countOpen, POLLING).toBe(0)
}

/** Expects one transfer per withdrawal, nonces without a gap, and a ledger that agrees with the chain. */
async function expectPaidOnce(payouts: Payouts, opened: readonly Withdrawal[]): Promise<void> {
  const withdrawals = await Promise.all(opened.map(({ id }) => payouts.withdrawal(id)))
  expect(withdrawals.map(({ status }) => status)).toEqual(opened.map(() => 'completed'))

  const transfers = await payouts.transfers()
  expect(transfers.map(({ to }) => to).toSorted()).toEqual(opened.map(({ toAddress }) => toAddress).toSorted())
  for (const { toAddress, transactionHash, amount, fee } of withdrawals)
    expect(transfers.find(({ to }) => to === toAddress)).toEqual({
      to: toAddress,
      amount: formatAmount(amount - fee),
      hash: transactionHash,
    })

  const rows = await payouts.payouts()
  expect(rows.map(({ nonce, state, attempts }) => [nonce, state, attempts.length])).toEqual(
    opened.map((_, index) => [index, 'paid', 1]),
  )
  const { address } = payouts.account
  expect(await payouts.chain.client.getTransactionCount({ address, blockTag: 'pending' })).toBe(opened.length)
  expect(await payouts.wallet()).toEqual({ nextNonce: opened.length, stoppedBecause: null })

  expect(await payouts.fees()).toBe(String(opened.length * 5))
  for (const { user } of opened) expect(await payouts.balance(user.id)).toBe('0')

  expect(await payouts.audit()).toEqual([])
}

test('one worker that is killed at every step and restarted pays each withdrawal once', async () => {
  const payouts = await startPayouts()
  const { start, errors } = startWorkers(payouts)
  const opened: Withdrawal[] = []
  for (const step of payoutSteps) {
    opened.push(...(await openTwo(payouts)))
    await waitForKill(payouts, [start(step)])
  }

  start()
  await waitForCompletion(payouts)
  await expectPaidOnce(payouts, opened)
  expect(errors).toEqual([])
})

test('with three workers, one of which is killed at every step, each withdrawal is paid once', async () => {
  const payouts = await startPayouts()
  const { start, errors } = startWorkers(payouts)
  const opened = await openTwo(payouts)
  const remainingSteps = [...payoutSteps]
  let workers = remainingSteps.splice(0, 3).map((step) => start(step))
  // The leading worker reaches its step, because there is always a withdrawal to sign.
  for (let killed = 0; killed < payoutSteps.length; ) {
    const alive = await waitForKill(payouts, workers)
    const died = workers.length - alive.length
    killed += died
    // Workers that are never killed start only at the end, because one of them would keep the lead.
    workers = [...alive, ...remainingSteps.splice(0, died).map((step) => start(step))]
    if (killed < payoutSteps.length) opened.push(...(await openTwo(payouts)))
  }
  for (let count = 0; count < 3; count += 1) start()

  await waitForCompletion(payouts)
  await expectPaidOnce(payouts, opened)
  expect(errors).toEqual([])
})

test('after a broadcast whose answer was lost, with or without a crash, the same bytes are sent and no others', async () => {
  let pool: Payouts['chain'] | undefined
  let rpc: FaultyRpc | undefined
  const payouts = await startPayouts({
    rpcUrls: async (chain) => {
      pool = chain
      return [(rpc = await startFaultyRpc(chain.url)).url]
    },
  })
  const { start } = startWorkers(payouts)
  const sent = new Map<unknown, number>()
  let worker: ChildProcess | undefined
  rpc!.fail(async ({ method, params: [bytes] }) => {
    if (method !== 'eth_sendRawTransaction') return undefined
    const times = sent.get(bytes) ?? 0
    sent.set(bytes, times + 1)
    if (times > 0) return undefined
    await pool!.client.sendRawTransaction({ serializedTransaction: bytes as Hex })
    if (sent.size % 2 === 0) worker?.kill('SIGKILL')
    return 'drop'
  })

  const opened: Withdrawal[] = []
  for (let round = 0; round < 3; round += 1) {
    opened.push(...(await openTwo(payouts)))
    await waitForKill(payouts, [(worker = start())])
  }
  worker = start()
  await waitForCompletion(payouts)
  await expectPaidOnce(payouts, opened)
  expect(sent.size).toBe(opened.length)
})
