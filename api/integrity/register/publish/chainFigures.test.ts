import { type Hex, parseEther, toHex } from 'viem'
import { expect, test, vi } from 'vitest'
import { privateKeyToAccount } from 'viem/accounts'
import { rejectWithdrawal } from '#shared/contract/admin/withdrawals.ts'
import { HOUR, MINUTE, SECOND, utcDay } from '#shared/dates.ts'
import { dayAfter, rewardInstant } from '#shared/rewardTime.ts'
import { paymentEndpoints } from '#api/platform/chain/paymentEndpoints.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { sql } from '#api/platform/db/sql.ts'
import { payDueDays } from '#api/rewards/daily/payDueDays.ts'
import { finishReread, readDueBlocks, rereadNow } from '#api/sale/deposits/rereads.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { clockTimeSources } from '#api/testing/FakeClock.ts'
import { startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { startPayouts } from '#api/testing/payouts.ts'
import { buy } from '#api/testing/registerHolders.ts'
import { startRegister } from '#api/testing/registerWorld.ts'
import { startSale } from '#api/testing/sale.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'
import { reconcilePayouts } from '#api/withdrawals/payouts/reconcilePayouts.ts'
import { readChainLimits } from './chainFigures.ts'
import { publishNewest } from './publishRegister.ts'

test('a payout whose nonce was used elsewhere holds the books back only until its wallet is explained', async () => {
  const payouts = await startPayouts()
  await payouts.open()
  await payouts.tick()
  const [{ attempts }] = (await payouts.payouts()) as [Awaited<ReturnType<typeof payouts.payouts>>[number]]
  await payouts.chain.client.dropTransaction({ hash: attempts[0]!.hash })
  await payouts.chain.client.sendTransaction({ account: payouts.key, to: makeAccount().address, value: 1n, nonce: 0 })
  await payouts.confirm()
  payouts.clock.advance(30 * SECOND)
  await payouts.tick()
  expect(await payouts.payouts()).toMatchObject([{ state: 'lost' }])
  const em = payouts.orm.em.fork()
  expect(await readChainLimits(em)).toMatchObject({ isWalletStopped: true, unsettledSince: expect.any(Date) })

  await payouts.reconcile()
  expect(await readChainLimits(em)).toMatchObject({ isWalletStopped: false, unsettledSince: null })
})

test('the books wait for a block that is to be read again, but not while an endpoint keeps showing what has no receipt there', async () => {
  const sale = await startSale()
  const em = sale.database.orm.em.fork()
  await sale.chain.mine(sale.confirmations + 20)
  await sale.watch()
  const { decidedUpTo } = await readChainLimits(em)

  await rereadNow(em, 7n)
  expect(await readChainLimits(em)).toMatchObject({ decidedUpTo: 6 })

  const [block] = await readDueBlocks(em, { finalNumber: 7n })
  await finishReread(em, block!, { isDoubtful: true })
  expect(await readChainLimits(em)).toMatchObject({ decidedUpTo })
})

/** A register with three published days, whose payout worker has sent a withdrawal since. */
async function startWithPayout() {
  const world = await startRegister()
  const { services, clock } = world.server
  const buyer = await world.openBuyer()
  await buy(world, buyer, 2)
  const { user, wallet } = buyer
  for (let day = 0; day < 3; day++) await world.payDay()
  await world.publish()
  const withdrawal = { userId: user.id, amount: '30', toAddress: wallet.address, now: clock.now() }
  const { id } = await insertWithdrawal(services.orm, withdrawal)
  await world.tickPayouts()
  return { world, id }
}

test('after a lost payout is reconciled and rejected, days are published for longer than a day, and while its wallet is stopped again', async () => {
  const { world, id } = await startWithPayout()
  const { services, clock } = world.server
  const em = services.orm.em.fork()
  const [attempt] = await sql<{ hash: Hex }>(em, 'select hash from payout_attempts')
  await world.rewards.client.dropTransaction(attempt!)
  const account = privateKeyToAccount(services.config.PAYOUT_PRIVATE_KEY as Hex)
  await world.rewards.client.sendTransaction({ account, to: makeAccount().address, value: 1n, nonce: 0 })
  await world.rewards.mine(3)
  await world.tickPayouts()
  clock.advance(30 * SECOND)
  await world.tickPayouts()
  const endpoints = rewardEndpoints(services.config)
  await reconcilePayouts(services, { endpoints, actor: 'operator:test', wallet: world.wallet })
  await world.call(rejectWithdrawal, { params: { id }, body: { reason: 'Lost.' } })
  expect(await sql(em, 'select state from payouts')).toEqual([{ state: 'lost' }])

  for (const hours of [0, 26, 52]) {
    await world.payDay()
    const later = new Date(Date.now() + MINUTE + hours * HOUR)
    for (const chain of [world.chain, world.rewards]) {
      await chain.mineAt(later)
      await chain.mine(3)
    }
    await world.watch()
    clock.set(new Date(later.getTime() + MINUTE))
    await publishNewest(services)
    const { ticks } = await world.verify({ now: clock.now().getTime() })
    expect([...ticks].filter(([, { outcome }]) => outcome === 'failed' || outcome === 'unknown')).toEqual([])
  }
  expect((await world.entries()).filter((text) => text.startsWith('books/v1\n'))).toHaveLength(4)

  const published = clock.now()
  await world.payDay()
  await sql(em, `update payout_wallets set stopped_because = 'Another nonce is unknown.', stopped_at = $1`, [published])
  clock.set(new Date(published.getTime() + MINUTE))
  await publishNewest(services)
  expect((await world.entries()).filter((text) => text.startsWith('books/v1\n'))).toHaveLength(5)
})

test.for([
  { when: 'stops its wallet while the chain is read', stops: true, because: 'payouts are stopped' },
  { when: 'has not stopped its wallet yet', stops: false, because: /the payout wallet 0x\w{40} has sent .* not recorded/ },
])(
  'no books are signed without a payout that a restored database does not know: the worker $when',
  async ({ stops, because }) => {
    const { world } = await startWithPayout()
    const { services } = world.server
    await world.rewards.mine(3)
    await world.database.superuser.em.fork().transactional(async (em) => {
      await sql(em, 'set local session_replication_role = replica')
      for (const table of ['payout_attempts', 'payouts']) await sql(em, `delete from ${table}`)
      await sql(em, `update withdrawals set status = 'pending'`)
      await sql(em, 'update payout_wallets set next_nonce = 0')
    })
    await world.payDay()
    const rpc = await startFaultyRpc(world.rewards.url)
    let isDue = stops
    rpc.fail(async ({ method, params }) => {
      if (!isDue || method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return undefined
      isDue = false
      await world.tickPayouts()
      return undefined
    })
    const { config } = services
    const endpoints = { payment: paymentEndpoints(config), reward: rewardEndpoints({ ...config, XCR_RPC_URLS: [rpc.url] }) }

    await expect(world.publish({ endpoints })).rejects.toThrow(because)
    expect((await world.entries()).filter((text) => text.startsWith('books/v1\n'))).toHaveLength(1)
  },
)

test('a reserve that one endpoint alone shows is not signed, and the last one stays until two agree', async () => {
  const world = await startRegister({ xcr: '1000' })
  const { config } = world.server.services
  await buy(world, await world.openBuyer(), 2)
  const liar = await startFaultyRpc(world.rewards.url)
  const publishFrom = async (...urls: string[]) => {
    await world.payDay()
    await world.publish({
      endpoints: { payment: paymentEndpoints(config), reward: rewardEndpoints({ ...config, XCR_RPC_URLS: urls }) },
    })
    const books = (await world.entries()).filter((text) => text.startsWith('books/v1\n'))
    return books.map((text) => /^reserve .*:(\d+)$/m.exec(text)?.[1])
  }
  const [thousand, more] = [parseEther('1000').toString(), parseEther('1007').toString()]
  expect(await publishFrom(world.rewards.url)).toEqual([thousand])

  // A call without a recipient is the one that reads balances; the others check the token.
  liar.fail(({ method, params: [call] }) =>
    method === 'eth_call' && !(call as { to?: string }).to
      ? { rewrite: (balance: Hex) => toHex(BigInt(balance) * 2n, { size: 32 }) }
      : undefined,
  )
  await world.rewards.mint(world.wallet, parseEther('7'))
  await world.rewards.mine(3)
  expect(await publishFrom(liar.url, world.rewards.url)).toEqual([thousand, thousand])
  const honest = await startFaultyRpc(world.rewards.url)
  expect(await publishFrom(liar.url, world.rewards.url, honest.url)).toEqual([thousand, thousand, more])
  expect(await world.problems()).toEqual({})
})

/** A register with the real clock and one published day. `day` is the next one. */
async function startReal() {
  const world = await startRegister({ config: { demo: false } })
  const { services, clock } = world.server
  await buy(world, await world.openBuyer(), 2)
  const day = dayAfter(utcDay(new Date()))
  /** Both chains, or one, have blocks shortly before the day's 09:00, and the clock is shortly after it. */
  const reach = async (next: string, chains = [world.chain, world.rewards]) => {
    const nine = rewardInstant(next).getTime()
    for (const chain of chains) {
      await chain.mineAt(new Date(nine - 10 * SECOND))
      await chain.mine(3)
    }
    await world.watch()
    clock.set(new Date(nine + 5 * SECOND))
  }
  const pay = () => payDueDays({ ...services, timeSources: clockTimeSources(clock) })
  const problems = async () => {
    // The audit after the test takes place on that day.
    await sql(services.orm.em.fork(), 'update installation set clock_offset_ms = $1', [clock.now().getTime() - Date.now()])
    const { ticks } = await world.verify({ now: clock.now().getTime() + MINUTE })
    return [...ticks].filter(([, { outcome }]) => outcome === 'failed' || outcome === 'unknown')
  }
  await reach(day)
  await pay()
  await publishNewest(services)
  expect(await problems()).toEqual([])
  return { world, day, reach, pay, problems }
}

test('missed days that are paid while the chains are read are published at once, with blocks of the last of them', async () => {
  const { world, day, reach, pay, problems } = await startReal()
  const { services, clock } = world.server
  for (const missed of [dayAfter(day), dayAfter(dayAfter(day))]) await reach(missed)
  // The run is killed before the second day.
  const readDatabaseTime = vi.fn().mockResolvedValueOnce(clock.now()).mockRejectedValue(new Error('killed'))
  const timeSources = { ...clockTimeSources(clock), readDatabaseTime }
  await expect(payDueDays({ ...services, timeSources })).rejects.toThrow('killed')
  const [reward] = rewardEndpoints(services.config)
  const request = reward!.request.bind(reward)
  let paying: Promise<void> | undefined
  reward!.request = async (...call) => {
    await (paying ??= pay())
    return request(...call)
  }

  await publishNewest(services, { endpoints: { payment: paymentEndpoints(services.config), reward: [reward!] } })

  expect((await world.entries()).filter((text) => text.startsWith('books/v1\n'))).toHaveLength(2)
  expect(await problems()).toEqual([])
})

test('while a chain halts for more than a day, days wait for its blocks, and no equation is called false', async () => {
  const { world, day, reach, pay, problems } = await startReal()
  const { services, clock } = world.server
  const first = dayAfter(day)
  const second = dayAfter(first)
  await reach(first, [world.chain])
  await pay()
  const halted = 'the reward chain has no final block of the 24 hours before'
  await expect(publishNewest(services)).rejects.toThrow(`ALERT: the public register publishes no day: ${halted}`)
  clock.advance(2 * HOUR)
  await expect(publishNewest(services)).rejects.toThrow(halted)
  await reach(second)
  await pay()
  await publishNewest(services)

  expect((await world.entries()).filter((text) => text.startsWith('note/v1\n')).join()).not.toContain('topic held')
  expect(await problems()).toEqual([])
})
