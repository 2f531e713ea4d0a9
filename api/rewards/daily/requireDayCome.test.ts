import { expect, test } from 'vitest'
import { createChainClient } from '#api/platform/chain/createChainClient.ts'
import { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { sql } from '#api/platform/db/sql.ts'
import { jobs, sweeps } from '#api/app/schedule.ts'
import { runWorker } from '#api/platform/jobs/runWorker.ts'
import { usePaymentChain, useRewardChain } from '#api/testing/chains.ts'
import { createDatabase } from '#api/testing/database.ts'
import { clockTimeSources } from '#api/testing/FakeClock.ts'
import { type FaultyRpc, startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { holdersOf } from '#api/testing/holders.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { startServer } from '#api/testing/server.ts'
import { onCleanup } from '#api/testing/onCleanup.ts'
import { DAY, HOUR, utcDay } from '#shared/dates.ts'
import { timeSourcesOf } from './requireDayCome.ts'
import { payDueDays } from './payDueDays.ts'
import { rewardInstant } from '#shared/rewardTime.ts'

const payment = usePaymentChain()
const reward = useRewardChain()
const unreachableUrl = 'http://127.0.0.1:9'
const YEAR = 365 * DAY

/** A holder of a node that was active at yesterday's 09:00, and a worker that reads the database's clock and both chains. */
async function startWorld({ bsc = [payment.url], xcr = [reward.url] }: { bsc?: string[]; xcr?: string[] } = {}) {
  const database = await createDatabase()
  onCleanup(() => database.release())
  const server = await startServer(database, {
    env: { BSC_RPC_URLS: bsc.join(','), XCR_RPC_URLS: xcr.join(','), XCR_TOKEN_ADDRESS: reward.token },
  })
  const { services, clock } = server
  const holders = holdersOf({ database, clock })
  const [now, yesterday] = [new Date(), new Date(Date.now() - DAY)]
  const day = utcDay(yesterday)
  clock.set(new Date(rewardInstant(day).getTime() - HOUR))
  const holder = await holders.openHolder()
  clock.set(now)
  const timeSources = timeSourcesOf(services)
  const pay = (replace: Partial<typeof timeSources> = {}) =>
    payDueDays({ ...services, timeSources: { ...timeSources, ...replace } })
  const days = async () => (await holders.runs()).map((run) => run.slice(0, 10))
  /** The days that have come, since the first node. */
  const due = [day, ...(now >= rewardInstant(utcDay(now)) ? [utcDay(now)] : [])]
  return { ...holders, ...server, holder, pay, days, due }
}

/** An endpoint that forges the time of its newest block. */
async function startForgedTimeRpc(url: string, time: () => number): Promise<FaultyRpc> {
  const rpc = await startFaultyRpc(url)
  rpc.fail(({ method }) =>
    method === 'eth_getBlockByNumber'
      ? { rewrite: (block: object) => ({ ...block, timestamp: `0x${Math.floor(time() / 1_000).toString(16)}` }) }
      : undefined,
  )
  return rpc
}

test('a worker whose clock is a year ahead pays only the days that have come', async () => {
  const { clock, pay, days, due } = await startWorld()
  await payment.mine()
  clock.advance(YEAR)
  await expect(pay()).rejects.toThrow(/^ALERT: The rewards of .* wait: this machine's clock is ahead of the database's/)
  expect(await days()).toEqual(due)
})

test('a worker and a database whose clocks are a year ahead pay only the days that the chains confirm', async () => {
  const { clock, pay, days, due } = await startWorld()
  await payment.mine()
  clock.advance(YEAR)
  await expect(pay({ readDatabaseTime: async () => clock.now() })).rejects.toThrow(
    /^ALERT: The rewards of .* wait: the newest block of each chain that answers is older than that day\.$/,
  )
  expect(await days()).toEqual(due)
})

test('a database whose clock is a year ahead pays nothing early', async () => {
  const { clock, pay, days, due } = await startWorld()
  await payment.mine()
  await pay({ readDatabaseTime: async () => new Date(clock.now().getTime() + YEAR) })
  expect(await days()).toEqual(due)
})

test('one endpoint whose newest block is a year ahead confirms no day, even if the worker and the database are a year ahead', async () => {
  const liar = await startForgedTimeRpc(payment.url, () => Date.now() + YEAR)
  const [a, b] = [await startFaultyRpc(payment.url), await startFaultyRpc(payment.url)]
  const { clock, pay, days, due } = await startWorld({ bsc: [liar.url, a.url, b.url] })
  await payment.mine()
  clock.advance(YEAR)
  await expect(pay({ readDatabaseTime: async () => clock.now() })).rejects.toThrow('ALERT: The rewards of')
  expect(await days()).toEqual(due)
})

test('a single endpoint whose newest block is in the future confirms no day', async () => {
  const liar = await startForgedTimeRpc(payment.url, () => Date.now() + YEAR)
  const { pay, days } = await startWorld({ bsc: [liar.url], xcr: [unreachableUrl] })
  await expect(pay()).rejects.toThrow('no chain confirms the time')
  expect(await days()).toEqual([])
})

test('two hosts must confirm the time if there are several endpoints', async () => {
  const [a, b] = [await startFaultyRpc(payment.url), await startFaultyRpc(payment.url)]
  const { pay, days, due } = await startWorld({ bsc: [a.url, b.url], xcr: [unreachableUrl] })
  await payment.mine()
  b.fail(() => 'drop')
  await expect(pay()).rejects.toThrow('no chain confirms the time')
  expect(await days()).toEqual([])
  b.heal()
  await pay()
  expect(await days()).toEqual(due)
})

test('while neither chain answers, days wait, and all are paid once one answers', async () => {
  const rpc = await startFaultyRpc(payment.url)
  rpc.fail(() => 'drop')
  const { holder, balance, pay, days, due, differences } = await startWorld({ bsc: [rpc.url], xcr: [unreachableUrl] })
  await expect(pay()).rejects.toThrow('no chain confirms the time')
  expect(await days()).toEqual([])

  rpc.heal()
  await payment.mine()
  await pay()
  await pay()
  expect(await days()).toEqual(due)
  expect(await balance(holder)).toBe(String(10 * due.length))
  expect(await differences()).toEqual([])
})

test('a stopped chain confirms no day after its last block, but the other chain does', async () => {
  const stalled = await startForgedTimeRpc(payment.url, () => Date.now() - 2 * DAY)
  const { services, pay, days, due } = await startWorld({ bsc: [stalled.url], xcr: [unreachableUrl] })
  await expect(pay()).rejects.toThrow('the newest block of each chain that answers is older than that day')
  expect(await days()).toEqual([])

  await reward.mine()
  const [readPaymentTime] = timeSourcesOf(services).chains
  const other = createChainClient([new RpcEndpoint(reward.url, { chainId: reward.chainId })])
  await pay({ chains: [readPaymentTime!, (latest) => other.readTime(latest)] })
  expect(await days()).toEqual(due)
})

test('a block from at least five minutes before 09:00 confirms the day', async () => {
  const { at, clock, openHolder, orm, runs } = await startWorld()
  at('2027-03-01T12:00:00Z')
  await openHolder()
  at('2027-03-02T09:00:00Z')
  const payWith = (block: string) =>
    payDueDays({ orm, clock, timeSources: { ...clockTimeSources(clock), chains: [async () => new Date(block)] } })
  await expect(payWith('2027-03-02T08:54:59Z')).rejects.toThrow('ALERT: The rewards of 2027-03-02 wait')
  await payWith('2027-03-02T08:55:00Z')
  expect((await runs()).at(-1)).toMatch('2027-03-02')
})

test('product time moves the day in a demo, and real time confirms it', async () => {
  const { clock, pay, days, due } = await startWorld()
  await payment.mine()
  await pay()
  clock.advanceProduct(2 * DAY)
  await pay()
  expect(await days()).toHaveLength(due.length + 2)
})

test('the operator gets one mail about a waiting day', async () => {
  const { orm, services } = await startWorld({ bsc: [unreachableUrl], xcr: [unreachableUrl] })
  const errors: unknown[] = []
  const worker = await runWorker(services, { jobs, sweeps }, (error) => void errors.push(error))
  const mails = () => mailsTo({ orm }, services.config.SUPPORT_EMAIL)
  await expect.poll(mails).toHaveLength(1)
  await worker.stop()
  const again = await runWorker(services, { jobs, sweeps }, (error) => void errors.push(error))
  await expect.poll(() => errors.filter((error) => /ALERT: The rewards of/.test(String(error))).length).toBe(2)
  await again.stop()
  expect(await mails()).toHaveLength(1)
  const [run] = await sql<{ error: string }>(orm.em.fork(), `select error from sweep_runs where name = 'pay-rewards'`)
  expect(run!.error).toContain('no chain confirms the time')
})
