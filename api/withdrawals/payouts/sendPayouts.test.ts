import { expect, onTestFinished, test, vi } from 'vitest'
import { HOUR, MINUTE, SECOND } from '#shared/dates.ts'
import { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { REWARD_CHAIN_ID } from '#shared/sale.ts'
import { sql } from '#api/platform/db/sql.ts'
import { rejectWithdrawal } from '#api/withdrawals/requests/rejectWithdrawal.ts'
import { type FaultyRpc, startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { type Payouts, type PayoutsOptions, startPayouts, startPayoutsOnHosts } from '#api/testing/payouts.ts'

/** Starts payouts with a single endpoint that fails on demand. */
async function startFaultyPayouts(options: PayoutsOptions = {}): Promise<Payouts & { rpc: FaultyRpc }> {
  let rpc: FaultyRpc | undefined
  const payouts = await startPayouts({
    ...options,
    rpcUrls: async (chain) => [(rpc = await startFaultyRpc(chain.url)).url],
  })
  return { ...payouts, rpc: rpc! }
}

const refuse = (message: string) => ({ error: { code: -32000, message } })

/** Expects exactly one transfer per withdrawal, and nonces without a gap. */
async function expectPaidOnce(payouts: Payouts, ids: readonly string[]): Promise<void> {
  const withdrawals = await Promise.all(ids.map((id) => payouts.withdrawal(id)))
  expect(withdrawals.map(({ status }) => status)).toEqual(ids.map(() => 'completed'))
  const transfers = await payouts.transfers()
  expect(transfers.map(({ to }) => to).toSorted()).toEqual(withdrawals.map(({ toAddress }) => toAddress).toSorted())
  expect(transfers.map(({ hash }) => hash).toSorted()).toEqual(withdrawals.map((row) => String(row.transactionHash)).toSorted())
  expect((await payouts.payouts()).map(({ nonce }) => nonce)).toEqual(ids.map((_, index) => index))
}

test("a withdrawal is paid once after an outage of the chain's endpoint", async () => {
  const payouts = await startFaultyPayouts()
  const { id } = await payouts.open()
  payouts.rpc.fail(() => 'drop')
  await expect(payouts.tick()).rejects.toThrow('did not answer')
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'pending' })

  payouts.rpc.heal()
  await payouts.tick()
  payouts.rpc.fail(() => 'drop')
  await payouts.chain.mine(payouts.confirmations)
  await expect(payouts.tick()).rejects.toThrow('did not answer')
  payouts.rpc.heal()
  await payouts.tick()

  await expectPaidOnce(payouts, [id])
})

test('a former leader resends nothing: what is resent is confirmed in its term first', async () => {
  const payouts = await startFaultyPayouts()
  await payouts.open()
  payouts.rpc.fail(({ method }) => (method === 'eth_sendRawTransaction' ? 'drop' : undefined))
  await expect(payouts.tick()).rejects.toThrow('did not answer')
  payouts.rpc.heal()
  await sql(payouts.orm.em.fork(), `update leaderships set epoch = 2 where role = 'payouts'`)

  await expect(payouts.tick()).rejects.toThrow('Term 1 as payouts is over.')

  await payouts.chain.mine(1)
  expect(await payouts.transfers()).toEqual([])
})

test('while one of two endpoints does not answer, the other sends the payout, which completes once both show it', async () => {
  const unreachable: FaultyRpc[] = []
  const payouts = await startPayouts({
    rpcUrls: async (chain) => {
      unreachable.push(await startFaultyRpc(chain.url))
      return [unreachable[0]!.url, chain.url]
    },
  })
  await payouts.tick()
  unreachable[0]!.fail(() => 'drop')
  const { id, toAddress } = await payouts.open()
  await expect(payouts.tick()).rejects.toThrow('did not answer')
  await payouts.tick()
  await payouts.confirm()
  expect(await payouts.transfers()).toMatchObject([{ to: toAddress }])
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'processing' })
  unreachable[0]!.heal()
  await payouts.tick()
  await expectPaidOnce(payouts, [id])
})

test('after a timeout the stored bytes are sent again, and no others', async () => {
  const payouts = await startFaultyPayouts()
  const { id } = await payouts.open()
  const slow = new RpcEndpoint(payouts.rpc.url, { chainId: REWARD_CHAIN_ID }, { timeout: 1_000 })
  const worker = payouts.newWorker({ endpoints: [slow] })
  const released = Promise.withResolvers<void>()
  payouts.rpc.fail(async ({ method }) => {
    if (method === 'eth_sendRawTransaction') await released.promise
    return undefined
  })

  await expect(worker.tick()).rejects.toThrow('took too long')
  released.resolve()
  payouts.rpc.heal()
  await payouts.tick()
  await payouts.confirm()

  await expectPaidOnce(payouts, [id])
  expect((await payouts.payouts())[0]!.attempts).toHaveLength(1)
})

test('a transaction counts as sent if the node accepts it and closes the connection', async () => {
  const payouts = await startFaultyPayouts()
  const { id } = await payouts.open()
  payouts.rpc.fail(async ({ method, params }) => {
    if (method !== 'eth_sendRawTransaction') return undefined
    await payouts.chain.client.sendRawTransaction({ serializedTransaction: params[0] as `0x${string}` }).catch(() => {})
    return 'drop'
  })
  await expect(payouts.tick()).rejects.toThrow('did not answer')
  payouts.rpc.heal()
  // The resend is answered with "already known".
  await payouts.tick()
  await payouts.confirm()
  await expectPaidOnce(payouts, [id])
  expect((await payouts.payouts())[0]!.attempts).toHaveLength(1)
  expect(payouts.alerts).toEqual([])
})

test.for(['already known', 'nonce too low', 'AlreadyKnown', 'OldNonce'])('the error "%s" counts as accepted', async (message) => {
  const payouts = await startFaultyPayouts()
  const { id } = await payouts.open()
  payouts.rpc.fail(async ({ method, params }) => {
    if (method !== 'eth_sendRawTransaction') return undefined
    await payouts.chain.client.sendRawTransaction({ serializedTransaction: params[0] as `0x${string}` }).catch(() => {})
    return refuse(message)
  })
  await payouts.tick()
  await payouts.tick()
  await payouts.confirm()
  await expectPaidOnce(payouts, [id])
  expect((await payouts.payouts())[0]!.attempts).toHaveLength(1)
  expect(payouts.alerts).toEqual([])
})

test('"nonce too low" without a receipt completes and refunds nothing', async () => {
  const payouts = await startFaultyPayouts()
  const { id, user } = await payouts.open()
  payouts.rpc.fail(({ method }) => (method === 'eth_sendRawTransaction' ? refuse('nonce too low') : undefined))
  for (let look = 0; look < 5; look += 1) {
    payouts.clock.advance(11 * SECOND)
    await payouts.confirm()
  }
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'processing' })
  expect(await payouts.balance(user.id)).toBe('0')
  expect(await payouts.payouts()).toHaveLength(1)
})

test('a payout that the mempool dropped is sent again with the same bytes', async () => {
  const payouts = await startPayouts()
  const { id } = await payouts.open()
  await payouts.tick()
  const [{ attempts }] = (await payouts.payouts()) as [Awaited<ReturnType<Payouts['payouts']>>[number]]
  await payouts.chain.client.dropTransaction({ hash: attempts[0]!.hash })
  await payouts.tick()
  await payouts.confirm()
  expect(await payouts.transfers()).toEqual([])

  payouts.clock.advance(10 * SECOND)
  await payouts.tick()
  await payouts.confirm()

  await expectPaidOnce(payouts, [id])
  expect((await payouts.payouts())[0]!.attempts).toHaveLength(1)
})

test('a stuck payout is replaced at its nonce with higher fees, and the ones behind it are not', async () => {
  const payouts = await startPayouts()
  const ids = [(await payouts.open()).id, (await payouts.open()).id, (await payouts.open()).id]
  await payouts.tick()
  payouts.clock.advance(59 * SECOND)
  await payouts.tick()
  expect((await payouts.payouts()).map(({ attempts }) => attempts.length)).toEqual([1, 1, 1])

  payouts.clock.advance(SECOND)
  await payouts.tick()
  await payouts.tick()

  const [first, ...others] = await payouts.payouts()
  expect(others.map(({ attempts }) => attempts.length)).toEqual([1, 1])
  const [old, new_] = first!.attempts
  expect(BigInt(new_!.max_fee_per_gas) * 1_000n).toBeGreaterThanOrEqual(BigInt(old!.max_fee_per_gas) * 1_125n)
  expect((await payouts.withdrawal(ids[0]!)).transactionHash).toBe(new_!.hash)
  await payouts.confirm()
  await expectPaidOnce(payouts, ids)
  expect((await payouts.transfers())[0]!.hash).toBe(new_!.hash)
})

test('a payout that a worker with a clock of before replaces is not replaced alike again', async () => {
  const payouts = await startPayouts()
  const { id } = await payouts.open()
  await payouts.tick()
  payouts.clock.advance(MINUTE)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 2 * HOUR })
  onTestFinished(() => void vi.useRealTimers())
  await payouts.tick()
  const replaced = (await payouts.withdrawal(id)).transactionHash

  await payouts.tick()
  vi.useRealTimers()

  expect((await payouts.payouts())[0]!.attempts.map(({ hash }) => hash)).toEqual([expect.any(String), replaced])
  await payouts.confirm()
  await expectPaidOnce(payouts, [id])
})

test('all waiting payouts are replaced when the base fee exceeds their maximum fee', async () => {
  const payouts = await startFaultyPayouts()
  const ids = [(await payouts.open()).id, (await payouts.open()).id]
  await payouts.tick()
  // The node keeps them queued.
  const kept = (await payouts.payouts()).map(({ attempts }) => attempts[0]!.signed_bytes)
  payouts.rpc.fail(({ method, params }) =>
    method === 'eth_sendRawTransaction' && kept.includes(params[0] as `0x${string}`) ? refuse('already known') : undefined,
  )
  await payouts.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: 20n * 10n ** 9n })
  await payouts.chain.mine()
  expect(await payouts.transfers()).toEqual([])

  payouts.clock.advance(MINUTE)
  await payouts.tick()
  expect((await payouts.payouts()).map(({ attempts }) => attempts.length)).toEqual([2, 2])
  await payouts.confirm()
  await expectPaidOnce(payouts, ids)
})

test('the withdrawal is completed if the replaced transaction is mined after all', async () => {
  const payouts = await startFaultyPayouts()
  const { id } = await payouts.open()
  await payouts.tick()
  payouts.clock.advance(55 * SECOND)
  await payouts.tick()
  payouts.clock.advance(5 * SECOND)
  // The replacement does not reach the chain.
  payouts.rpc.fail(({ method }) => (method === 'eth_sendRawTransaction' ? 'drop' : undefined))
  await expect(payouts.tick()).rejects.toThrow()
  payouts.rpc.heal()
  await payouts.confirm()
  const [payout] = await payouts.payouts()
  expect(payout!.attempts).toHaveLength(2)
  expect(payout!.final_hash).toBe(payout!.attempts[0]!.hash)
  await expectPaidOnce(payouts, [id])
})

test("while gas costs more than the operator's limit, nothing is signed or replaced, and the operator is alerted once", async () => {
  const payouts = await startFaultyPayouts()
  const first = await payouts.open()
  await payouts.tick()
  const second = await payouts.open()
  payouts.clock.advance(MINUTE)
  const asking = (gwei: bigint) => () => `0x${(gwei * 10n ** 9n).toString(16)}`
  payouts.rpc.fail(({ method }) => (method === 'eth_gasPrice' ? { rewrite: asking(1_001n) } : undefined))
  for (let look = 0; look < 3; look += 1) await payouts.tick()
  expect((await payouts.payouts()).map(({ attempts }) => attempts.length)).toEqual([1])
  expect(payouts.alerts).toEqual([expect.stringContaining('gwei for a unit of gas, more than PAYOUT_MAX_GAS_PRICE allows')])

  payouts.rpc.fail(({ method }) => (method === 'eth_gasPrice' ? { rewrite: asking(900n) } : undefined))
  await payouts.tick()
  await payouts.tick()
  await payouts.confirm()
  await expectPaidOnce(payouts, [first.id, second.id])
})

const gwei = (amount: bigint) => `0x${(amount * 10n ** 9n).toString(16)}`
const quote = (rpc: FaultyRpc, price: string) =>
  rpc.fail(({ method }) => (method === 'eth_gasPrice' ? { rewrite: () => price } : undefined))
const offersOf = async (payouts: Payouts) =>
  (await payouts.payouts()).flatMap(({ attempts }) => attempts.map((attempt) => BigInt(attempt.max_fee_per_gas)))

test('of a gas price that exceeds the limit again and again, the operator is told once an hour', async () => {
  const payouts = await startFaultyPayouts()
  const exceed = async () => {
    await payouts.open()
    quote(payouts.rpc, gwei(1_001n))
    await payouts.tick()
    quote(payouts.rpc, gwei(100n))
    await payouts.tick()
  }
  for (let time = 0; time < 3; time += 1) await exceed()
  expect(payouts.alerts).toHaveLength(1)

  payouts.clock.advance(HOUR)
  await exceed()
  expect(payouts.alerts).toHaveLength(2)
})

test.each([
  { price: gwei(900n), limit: 'below' },
  { price: gwei(5_000n), limit: 'above' },
])('a gas price $limit the limit that one of two hosts invents is not paid and stops no payout', async ({ price }) => {
  const { payouts, first } = await startPayoutsOnHosts()
  quote(first, price)
  const { id } = await payouts.open()
  await payouts.tick()
  await payouts.confirm()
  await expectPaidOnce(payouts, [id])
  for (const offer of await offersOf(payouts)) expect(offer).toBeLessThan(100n * 10n ** 9n)
  expect(payouts.alerts).toEqual([])
})

test.each([gwei(0n), gwei(5_000n)])('of three hosts one that asks %s for gas changes nothing', async (price) => {
  const { payouts, first } = await startPayoutsOnHosts({ hosts: 3 })
  await payouts.open()
  await payouts.tick()
  await payouts.confirm()
  quote(first, price)
  await payouts.open()
  await payouts.tick()
  await payouts.confirm()
  const [before, after] = await offersOf(payouts)
  expect(Number(after) / Number(before)).toBeCloseTo(1, 0)
})

test('payouts that are not mined at the lower price of two hosts offer more each minute, up to the higher one', async () => {
  const { payouts, second } = await startPayoutsOnHosts()
  quote(second, gwei(500n))
  const ids = [(await payouts.open()).id, (await payouts.open()).id, (await payouts.open()).id]
  await payouts.tick()
  for (let minute = 0; minute < 8; minute += 1) {
    payouts.clock.advance(MINUTE)
    await payouts.tick()
  }
  const rows = await payouts.payouts()
  expect(rows).toHaveLength(3)
  for (const { attempts } of rows) {
    const offers = attempts.map((attempt) => BigInt(attempt.max_fee_per_gas))
    expect(offers[0]).toBeLessThan(100n * 10n ** 9n)
    for (const [index, offer] of offers.slice(1).entries()) expect(offer).toBeLessThanOrEqual(offers[index]! * 4n)
    expect(offers.at(-1)).toBeGreaterThan(490n * 10n ** 9n)
  }
  expect(payouts.alerts).toEqual([])
  await payouts.confirm()
  await expectPaidOnce(payouts, ids)
})

test('of two hosts one that asks nothing for gas delays a payout by four minutes at most', async () => {
  const { payouts, first, second } = await startPayoutsOnHosts()
  quote(first, gwei(0n))
  quote(second, gwei(500n))
  await payouts.open()
  await payouts.tick()
  for (let minute = 0; minute < 4; minute += 1) {
    payouts.clock.advance(MINUTE)
    await payouts.tick()
  }
  expect((await offersOf(payouts)).at(-1)).toBeGreaterThan(490n * 10n ** 9n)
})

test('one of two hosts that refuses every fee as too low makes no payout expensive', async () => {
  const { payouts, first } = await startPayoutsOnHosts()
  first.fail(({ method }) => {
    if (method === 'eth_sendRawTransaction') return refuse('transaction underpriced')
    return method === 'eth_gasPrice' ? { rewrite: () => gwei(900n) } : undefined
  })
  const { id } = await payouts.open()
  for (let look = 0; look < 6; look += 1) await payouts.tick()
  const [offered, ...raised] = await offersOf(payouts)
  expect(raised.length).toBeLessThanOrEqual(1)
  for (const offer of raised) expect(Number(offer) / Number(offered)).toBeCloseTo(1.125)
  await payouts.confirm()
  await expectPaidOnce(payouts, [id])
})

test('a payout that both of two hosts refuse reaches the higher gas price soon after a minute', async () => {
  const { payouts, first, second } = await startPayoutsOnHosts()
  for (const [rpc, price] of [
    [first, gwei(0n)],
    [second, gwei(500n)],
  ] as const)
    rpc.fail(({ method }) => {
      if (method === 'eth_sendRawTransaction') return refuse('transaction underpriced')
      return method === 'eth_gasPrice' ? { rewrite: () => price } : undefined
    })
  await payouts.open()
  for (let look = 0; look < 3; look += 1) await payouts.tick()
  expect((await offersOf(payouts)).at(-1)).toBeLessThan(100n * 10n ** 9n)
  payouts.clock.advance(MINUTE)
  for (let look = 0; look < 5; look += 1) await payouts.tick()
  expect((await offersOf(payouts)).at(-1)).toBeGreaterThan(490n * 10n ** 9n)
})

test('payouts behind one that is not mined for long are not raised above what all hosts ask', async () => {
  const { payouts } = await startPayoutsOnHosts()
  for (let count = 0; count < 3; count += 1) await payouts.open()
  await payouts.tick()
  for (let minute = 0; minute < 12; minute += 1) {
    payouts.clock.advance(MINUTE)
    await payouts.tick()
  }
  const [first, ...behind] = (await payouts.payouts()).map(({ attempts }) => attempts.length)
  expect(first).toBeGreaterThan(10)
  expect(behind).toEqual([1, 1])
})

test('a negative gas price of one host stops no payout', async () => {
  const { payouts, first } = await startPayoutsOnHosts()
  first.fail(({ method }) =>
    method === 'eth_getBlockByNumber'
      ? { rewrite: (block: object | null) => block && { ...block, baseFeePerGas: '-1000000000000' } }
      : undefined,
  )
  const { id } = await payouts.open()
  await payouts.tick()
  await payouts.confirm()
  await expectPaidOnce(payouts, [id])
})

test('the operator is told once if a stuck payout may not offer more than the limit', async () => {
  const payouts = await startFaultyPayouts({ env: { PAYOUT_MAX_GAS_PRICE: '5' } })
  await payouts.open()
  await payouts.tick()
  payouts.clock.advance(MINUTE)
  payouts.rpc.fail(({ method }) =>
    method === 'eth_sendRawTransaction' ? refuse('replacement transaction underpriced') : undefined,
  )
  for (let look = 0; look < 30; look += 1) await payouts.tick()
  expect(payouts.alerts).toEqual([expect.stringContaining('its replacement would offer more than PAYOUT_MAX_GAS_PRICE')])
})

test('"replacement transaction underpriced" raises the fees further, up to a limit with an alert', async () => {
  const payouts = await startFaultyPayouts()
  const { id } = await payouts.open()
  await payouts.tick()
  payouts.clock.advance(MINUTE)
  payouts.rpc.fail(({ method }) =>
    method === 'eth_sendRawTransaction' ? refuse('replacement transaction underpriced') : undefined,
  )
  for (let look = 0; look < 5; look += 1) await payouts.tick()
  const raised = (await payouts.payouts())[0]!.attempts.map((attempt) => BigInt(attempt.max_fee_per_gas))
  expect(raised.length).toBeGreaterThanOrEqual(5)
  for (const [index, fee] of raised.slice(1).entries()) expect(fee * 1_000n).toBeGreaterThanOrEqual(raised[index]! * 1_125n)
  for (let look = 0; look < 40; look += 1) await payouts.tick()
  const [last] = (await payouts.payouts()).map(({ attempts }) => attempts.length)
  await payouts.tick()
  expect((await payouts.payouts())[0]!.attempts).toHaveLength(last!)
  expect(payouts.alerts).toEqual([expect.stringContaining('20 times the usual fee')])

  payouts.rpc.heal()
  payouts.clock.advance(MINUTE)
  await payouts.tick()
  await payouts.confirm()
  await expectPaidOnce(payouts, [id])
})

test('fees that the node rejects as too low are raised at once', async () => {
  const payouts = await startFaultyPayouts()
  const { id } = await payouts.open()
  let refusals = 0
  payouts.rpc.fail(({ method }) =>
    method === 'eth_sendRawTransaction' && ++refusals <= 2 ? refuse('transaction underpriced') : undefined,
  )
  await payouts.tick()
  await payouts.tick()
  expect((await payouts.payouts())[0]!.attempts).toHaveLength(2)
  await payouts.confirm()
  await expectPaidOnce(payouts, [id])
})

test('an unexpected refusal alerts once, and the payout is retried', async () => {
  const payouts = await startFaultyPayouts()
  const ids = [(await payouts.open()).id, (await payouts.open()).id]
  payouts.rpc.fail(({ method }) => (method === 'eth_sendRawTransaction' ? refuse('txpool is full') : undefined))
  await payouts.tick()
  await payouts.tick()
  expect(payouts.alerts).toEqual([expect.stringContaining('txpool is full')])
  payouts.rpc.heal()
  await payouts.tick()
  await payouts.confirm()
  await expectPaidOnce(payouts, ids)
})

test('the bytes of a signed withdrawal are sent even while it is in review', async () => {
  const payouts = await startFaultyPayouts()
  const { id } = await payouts.open()
  payouts.rpc.fail(({ method }) => (method === 'eth_sendRawTransaction' ? 'drop' : undefined))
  await expect(payouts.tick()).rejects.toThrow()
  await sql(
    payouts.orm.em.fork(),
    `update withdrawals set status = 'manual_review', review_reason = 'unknown_outcome' where id = $1`,
    [id],
  )
  payouts.rpc.heal()
  await payouts.tick()
  await payouts.confirm()
  await expectPaidOnce(payouts, [id])
})

test('nothing is sent to an endpoint of another chain', async () => {
  const payouts = await startFaultyPayouts()
  const { id } = await payouts.open()
  payouts.rpc.fail(({ method }) => (method === 'eth_chainId' ? { rewrite: () => '0x38' } : undefined))
  await expect(payouts.newWorker({ endpoints: rewardEndpoints(payouts.services.config) }).tick()).rejects.toThrow('is chain 56')
  expect(payouts.rpc.calls.map(({ method }) => method)).not.toContain('eth_sendRawTransaction')
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'pending' })
})

test('a signed withdrawal whose row says pending is not signed again and does not block others', async () => {
  const payouts = await startPayouts()
  const signed = await payouts.open()
  await payouts.tick()
  await sql(payouts.orm.em.fork(), `update withdrawals set status = 'pending' where id = $1`, [signed.id])
  const { id } = await payouts.open()
  await payouts.tick()
  expect(await payouts.payouts()).toMatchObject([
    { cause: `withdrawal:${signed.id}`, attempts: [{ kind: 'pay' }] },
    { cause: `withdrawal:${id}`, attempts: [{ kind: 'pay' }] },
  ])
})

/** Too little for any transaction, and more than any block has. */
const wrongEstimates = ['0x1', '0x3b9aca00'] as const
const estimating =
  (gas: string) =>
  ({ method }: { method: string }) =>
    method === 'eth_estimateGas' ? { rewrite: () => gas } : undefined

test.for(wrongEstimates)(
  'a payout signed with %s units of gas, as its only host said, is paid once the host says more',
  async (gas) => {
    const payouts = await startFaultyPayouts()
    const { id } = await payouts.open()
    payouts.rpc.fail(estimating(gas))
    await payouts.tick()
    payouts.rpc.heal()
    const later = await payouts.open()

    payouts.clock.advance(MINUTE)
    await payouts.tick()
    await payouts.confirm()
    await payouts.confirm()

    await expectPaidOnce(payouts, [id, later.id])
  },
)

test('a rejected withdrawal that was signed with too little gas is refunded, and later ones are paid', async () => {
  const payouts = await startFaultyPayouts()
  const { id } = await payouts.open()
  payouts.rpc.fail(estimating('0x1'))
  await payouts.tick()
  payouts.rpc.heal()
  await payouts.orm.em.fork().transactional((em) => rejectWithdrawal(em, payouts.services, { id, reason: 'Stuck.' }))
  const later = await payouts.open()

  await payouts.tick()
  await payouts.confirm()
  await payouts.confirm()

  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'failed' })
  expect(await payouts.withdrawal(later.id)).toMatchObject({ status: 'completed' })
})

test('nothing is signed while the only host estimates no gas at all, and the operator is told', async () => {
  const payouts = await startFaultyPayouts()
  const { id } = await payouts.open()
  payouts.rpc.fail(estimating('0x0'))
  await payouts.tick()
  expect(payouts.alerts).toEqual([expect.stringContaining('says that a payout would fail')])

  payouts.rpc.heal()
  await payouts.tick()
  await payouts.confirm()

  await expectPaidOnce(payouts, [id])
})

test.for(wrongEstimates)('nothing is signed with %s units of gas that one of two hosts estimates alone', async (gas) => {
  const { payouts, first } = await startPayoutsOnHosts()
  const { id } = await payouts.open()
  first.fail(estimating(gas))

  await payouts.tick()
  await payouts.tick()

  expect(await payouts.payouts()).toEqual([])
  expect(payouts.alerts).toEqual([expect.stringContaining('do not agree on the gas')])
  first.heal()
  await payouts.tick()
  await payouts.confirm()
  await expectPaidOnce(payouts, [id])
})

test.for(wrongEstimates)('%s units of gas that the host in use alone of three estimates stop no payout', async (gas) => {
  const { payouts, first } = await startPayoutsOnHosts({ hosts: 3 })
  const { id } = await payouts.open()
  first.fail(estimating(gas))

  await payouts.tick()
  await payouts.tick()
  await payouts.confirm()

  await expectPaidOnce(payouts, [id])
})

test('once hosts disagree on the gas of a stuck payout, no other is signed with the gas that one told before', async () => {
  const { payouts, first, second } = await startPayoutsOnHosts()
  await payouts.tick()
  await payouts.open()
  first.fail(estimating('0x1'))
  second.fail(() => 'drop')
  await payouts.tick()
  second.heal()
  payouts.clock.advance(MINUTE)
  await payouts.tick()

  await payouts.open()
  await payouts.tick()

  expect(await payouts.payouts()).toHaveLength(1)
  expect(payouts.alerts).toContainEqual(expect.stringContaining('do not agree on the gas'))
})

test.for(wrongEstimates)('a payout is paid though it was replaced with %s units of gas for an hour', async (gas) => {
  const payouts = await startFaultyPayouts()
  const { id } = await payouts.open()
  payouts.rpc.fail(estimating(gas))
  for (let minute = 0; minute < 60; minute += 1) {
    await payouts.tick()
    payouts.clock.advance(MINUTE)
  }
  payouts.rpc.heal()

  await payouts.tick()
  payouts.clock.advance(MINUTE)
  await payouts.tick()
  await payouts.confirm()

  await expectPaidOnce(payouts, [id])
})

test.for(wrongEstimates)('%s units of gas that one of three hosts estimates alone stop no payout', async (gas) => {
  const { payouts, second } = await startPayoutsOnHosts({ hosts: 3 })
  const { id } = await payouts.open()
  second.fail(estimating(gas))

  await payouts.tick()
  await payouts.confirm()

  await expectPaidOnce(payouts, [id])
  expect(payouts.alerts).toEqual([])
})

test('a payout that one of two hosts accepts and passes on to no other is sent to the other after a minute', async () => {
  const { payouts, first } = await startPayoutsOnHosts()
  const { id } = await payouts.open()
  first.fail(({ method }) => (method === 'eth_sendRawTransaction' ? { send: { method: 'eth_chainId', params: [] } } : undefined))
  await payouts.tick()
  payouts.clock.advance(MINUTE)
  await payouts.tick()
  payouts.clock.advance(10 * SECOND)

  await payouts.tick()
  await payouts.confirm()

  await expectPaidOnce(payouts, [id])
})
