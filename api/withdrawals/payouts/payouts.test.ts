import { expect, test } from 'vitest'
import { parseEther } from 'viem'
import { parseAmount } from '#shared/amount.ts'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { RpcEndpoint } from '#api/platform/chain/RpcEndpoint.ts'
import { LeadershipLost } from '#api/platform/db/lead.ts'
import { sql } from '#api/platform/db/sql.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { changePayoutKey } from '#api/testing/changePayoutKey.ts'
import { startFaultyRpc, startStoppable } from '#api/testing/faultyRpc.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { type Payouts, startPayouts, startPayoutsOnHosts } from '#api/testing/payouts.ts'
import { payoutSteps } from './PayoutContext.ts'

const OPERATOR = 'operator@example.com'

test('a withdrawal is signed, sent, mined and completed with its fee, once', async () => {
  const payouts = await startPayouts()
  const { id, toAddress, user } = await payouts.open({ amount: '3000', fee: '5' })

  await payouts.tick()
  await payouts.tick()
  const [sent] = await payouts.payouts()
  expect(sent).toMatchObject({ nonce: 0, cause: `withdrawal:${id}`, state: 'sent', amount: '2995' })
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'processing', transactionHash: sent!.attempts[0]!.hash })

  await payouts.chain.mine(2)
  await payouts.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'processing' })
  expect(await payouts.held(toAddress)).toBe('2995')

  await payouts.chain.mine(1)
  await payouts.tick()
  await payouts.tick()

  const hash = sent!.attempts[0]!.hash
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed', transactionHash: hash, transferOrdinal: 0 })
  expect(await payouts.payouts()).toMatchObject([{ state: 'paid', final_hash: hash }])
  expect(await payouts.transfers()).toEqual([{ to: toAddress, amount: '2995', hash }])
  expect(await payouts.fees()).toBe('5')
  expect(await payouts.balance(user.id)).toBe('0')
  const mails = await mailsTo(payouts.database, `${user.id}@example.com`)
  expect(mails).toHaveLength(1)
  for (const part of ['3,000 XCR', '5 XCR', '2,995 XCR', toAddress, hash, `/tx/${hash}`]) expect(mails[0]!.text).toContain(part)
  const changes = await sql<{ keys: string[] }>(payouts.orm.em.fork(), 'select keys from change_events where user_id = $1', [
    user.id,
  ])
  // Requested, signed, paid.
  expect(changes.filter(({ keys }) => keys.includes('/api/xcr-withdrawals'))).toHaveLength(3)
  expect(payouts.alerts).toEqual([])
})

test('a withdrawal without a fee moves no fee', async () => {
  const payouts = await startPayouts()
  const { id } = await payouts.open({ fee: '0' })
  await payouts.tick()
  await payouts.confirm()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
  expect(await payouts.fees()).toBe('0')
})

test('hundreds of withdrawals are paid in the order of their requests, within the limit of unmined payouts', async () => {
  const payouts = await startPayouts({ env: { PAYOUTS_IN_FLIGHT: '130' } })
  const opened = []
  for (let index = 0; index < 250; index += 1) {
    payouts.clock.advance(1)
    opened.push(await payouts.open({ amount: String(3000 + index) }))
  }

  await payouts.tick()
  expect(await payouts.payouts()).toHaveLength(130)
  await payouts.tick()
  expect(await payouts.payouts()).toHaveLength(130)
  for (let look = 0; look < 3; look += 1) await payouts.confirm()

  const rows = await payouts.payouts()
  expect(rows.map(({ nonce }) => nonce)).toEqual(opened.map((_, index) => index))
  expect(rows.map(({ cause }) => cause)).toEqual(opened.map(({ id }) => `withdrawal:${id}`))
  expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['paid']))
  expect((await payouts.transfers()).map(({ to }) => to)).toEqual(opened.map(({ toAddress }) => toAddress))
  expect(await payouts.fees()).toBe('1250')
})

test('only pending withdrawals are paid', async () => {
  const payouts = await startPayouts()
  const waiting = await payouts.open({ reviewReason: 'above_limit' })
  await payouts.tick()
  expect(await payouts.payouts()).toEqual([])
  expect(await payouts.withdrawal(waiting.id)).toMatchObject({ status: 'manual_review' })
})

test.for(payoutSteps)('a fault at the step %s loses nothing and pays nothing twice', async (step) => {
  const payouts = await startPayouts()
  const opened = [await payouts.open(), await payouts.open()]
  let struck = false
  const struckWorker = payouts.newWorker({
    step: async (at) => {
      if (at !== step || struck) return
      struck = true
      throw new Error(`struck at ${step}`)
    },
  })
  const later = step === 'receiptRead' || step === 'settled'
  if (later) {
    await payouts.tick()
    await payouts.chain.mine(payouts.confirmations)
  }
  await expect(struckWorker.tick()).rejects.toThrow(`struck at ${step}`)

  // Another leader continues from the rows.
  await sql(payouts.orm.em.fork(), `update leaderships set epoch = 2 where role = 'payouts'`)
  const next = payouts.newWorker({ epoch: 2 })
  await next.tick()
  await payouts.chain.mine(payouts.confirmations)
  await next.tick()

  for (const { id } of opened) expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
  expect((await payouts.transfers()).map(({ to }) => to).toSorted()).toEqual(opened.map(({ toAddress }) => toAddress).toSorted())
  expect((await payouts.payouts()).map(({ nonce, attempts }) => [nonce, attempts.length])).toEqual([
    [0, 1],
    [1, 1],
  ])
  expect(await payouts.fees()).toBe('10')
  expect(payouts.alerts).toEqual([])
})

test('a paused leader that was replaced can neither sign nor settle', async () => {
  const payouts = await startPayouts()
  const first = await payouts.open()
  await payouts.tick()
  await payouts.chain.mine(payouts.confirmations)
  const second = await payouts.open()
  await sql(payouts.orm.em.fork(), `update leaderships set epoch = 2 where role = 'payouts'`)

  await expect(payouts.tick()).rejects.toThrow(LeadershipLost)
  expect(await payouts.withdrawal(first.id)).toMatchObject({ status: 'processing' })
  await payouts.newWorker({ epoch: 2 }).tick()
  const third = await payouts.open()
  await expect(payouts.tick()).rejects.toThrow(LeadershipLost)

  expect(await payouts.withdrawal(first.id)).toMatchObject({ status: 'completed' })
  expect(await payouts.withdrawal(second.id)).toMatchObject({ status: 'processing' })
  expect(await payouts.withdrawal(third.id)).toMatchObject({ status: 'pending' })
  expect(await payouts.payouts()).toHaveLength(2)
})

test('concurrent workers sign each withdrawal once, each with its own nonce', async () => {
  const payouts = await startPayouts({ env: { PAYOUTS_IN_FLIGHT: '300' } })
  await payouts.tick()
  const workers = [payouts.newWorker(), payouts.newWorker(), payouts.newWorker()]
  // More than one batch.
  const opened = []
  for (let index = 0; index < 150; index += 1) opened.push(await payouts.open())

  await Promise.all(workers.map((worker) => worker.tick()))
  await payouts.confirm()

  expect((await payouts.payouts()).map(({ nonce, state }) => [nonce, state])).toEqual(opened.map((_, index) => [index, 'paid']))
  expect((await payouts.transfers()).map(({ to }) => to).toSorted()).toEqual(opened.map(({ toAddress }) => toAddress).toSorted())
})

test('with too little XCR withdrawals wait, the operator is alerted once, and a top-up pays them', async () => {
  const payouts = await startPayouts({ xcr: '4000', env: { ALERT_EMAIL: OPERATOR } })
  const [first, second] = [await payouts.open(), await payouts.open()]

  await payouts.tick()
  await payouts.tick()
  await payouts.tick()

  expect(await payouts.withdrawal(first.id)).toMatchObject({ status: 'processing' })
  expect(await payouts.withdrawal(second.id)).toMatchObject({ status: 'pending' })
  expect(payouts.alerts).toEqual([expect.stringContaining('1005 XCR left')])
  expect(await mailsTo(payouts.database, OPERATOR)).toMatchObject([{ text: expect.stringContaining('1005 XCR left') }])

  await payouts.fund('5000')
  await payouts.confirm()
  await payouts.confirm()
  expect(await payouts.withdrawal(second.id)).toMatchObject({ status: 'completed' })
  expect(payouts.alerts).toHaveLength(1)

  // A second shortage alerts again.
  await payouts.open({ amount: '50000' })
  await payouts.tick()
  expect(payouts.alerts).toHaveLength(2)
})

test('XCR that one of two hosts invents is not spent, and the operator is told after a minute', async () => {
  const { payouts, first } = await startPayoutsOnHosts({ xcr: '4000' })
  first.fail(({ method, params }) =>
    method === 'eth_call' && JSON.stringify(params).includes('0x70a08231')
      ? { rewrite: () => `0x${'f'.repeat(30).padStart(64, '0')}` }
      : undefined,
  )
  const [paid, waiting] = [await payouts.open(), await payouts.open()]

  await payouts.tick()
  await payouts.confirm()

  expect(await payouts.withdrawal(paid.id)).toMatchObject({ status: 'completed' })
  expect(await payouts.withdrawal(waiting.id)).toMatchObject({ status: 'pending' })
  expect(payouts.alerts).toEqual([])
  payouts.clock.advance(MINUTE)
  await payouts.tick()
  await payouts.tick()
  expect(payouts.alerts).toEqual([expect.stringContaining('One endpoint of the reward chain shows 1005 XCR')])

  await payouts.fund('5000')
  await payouts.confirm()
  await payouts.confirm()
  expect(await payouts.withdrawal(waiting.id)).toMatchObject({ status: 'completed' })
})

test('an empty payout wallet that one of three hosts shows alone stops no payout', async () => {
  const { payouts, second } = await startPayoutsOnHosts({ hosts: 3 })
  second.fail(({ method, params }) =>
    method === 'eth_call' && JSON.stringify(params).includes('0x70a08231') ? { rewrite: () => `0x${'0'.repeat(64)}` } : undefined,
  )
  const { id } = await payouts.open()

  await payouts.tick()
  await payouts.confirm()

  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
})

test('an empty payout wallet that the host in use alone of three shows stops no payout', async () => {
  const { payouts, first } = await startPayoutsOnHosts({ hosts: 3 })
  first.fail(({ method, params }) =>
    method === 'eth_call' && JSON.stringify(params).includes('0x70a08231') ? { rewrite: () => `0x${'0'.repeat(64)}` } : undefined,
  )
  const { id } = await payouts.open()

  await payouts.tick()
  await payouts.tick()
  await payouts.confirm()

  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
  expect(payouts.alerts).toEqual([])
})

test('an empty coin balance that the host in use alone shows stops no payout and alerts nobody', async () => {
  const { payouts, first } = await startPayoutsOnHosts()
  first.fail(({ method }) => (method === 'eth_getBalance' ? { rewrite: () => '0x0' } : undefined))
  await expectPaidByNextHost(payouts)
  expect(payouts.alerts).toEqual([])
})

test('a coin balance that one of two hosts invents hides for one round that the wallet is empty', async () => {
  const { payouts, second } = await startPayoutsOnHosts({ coins: '0.00000001' })
  second.fail(({ method }) => (method === 'eth_getBalance' ? { rewrite: () => '0xffffffffffffffff' } : undefined))
  await payouts.open()
  await payouts.tick()
  expect(payouts.alerts).toEqual([])
  await payouts.tick()
  expect(payouts.alerts).toEqual([expect.stringContaining('Insufficient funds for gas')])
})

test('a final balance that the host in use alone of three hides stops no payout', async () => {
  const { payouts, first } = await startPayoutsOnHosts({ hosts: 3 })
  await payouts.chain.mine(payouts.confirmations)
  const head = await payouts.chain.client.getBlockNumber()
  first.fail(({ method, params }) =>
    method === 'eth_call' && JSON.stringify(params).includes('0x70a08231') && BigInt(String(params[1])) < head
      ? { rewrite: () => `0x${'0'.repeat(64)}` }
      : undefined,
  )
  await expectPaidByNextHost(payouts)
})

async function expectPaidByNextHost(payouts: Payouts): Promise<void> {
  const { id } = await payouts.open()

  await payouts.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'pending' })
  await payouts.tick()
  await payouts.confirm()

  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
}

test('XCR of signed, unmined payouts is not spent twice', async () => {
  const payouts = await startPayouts({ xcr: '4000' })
  await payouts.open()
  await payouts.tick()
  const second = await payouts.open()

  await payouts.tick()
  expect(await payouts.withdrawal(second.id)).toMatchObject({ status: 'pending' })
  await payouts.confirm()
  expect(await payouts.withdrawal(second.id)).toMatchObject({ status: 'pending' })
  expect(payouts.alerts).toEqual([expect.stringContaining('1005 XCR left')])
})

test('a top-up counts when it is final; until then withdrawals wait without an alert', async () => {
  const payouts = await startPayouts({ xcr: '0', confirmations: 5 })
  const { id } = await payouts.open()
  await payouts.fund('5000')
  await payouts.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'pending' })

  await payouts.chain.mine(3)
  await payouts.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'pending' })
  await payouts.chain.mine(1)
  await payouts.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'processing' })
  expect(payouts.alerts).toEqual([])
})

test('an empty wallet alerts, and small withdrawals do not overtake a large one at the front', async () => {
  const payouts = await startPayouts({ xcr: '0' })
  await payouts.open({ amount: '9000' })
  payouts.clock.advance(1)
  const small = await payouts.open({ amount: '3000' })
  await payouts.tick()
  expect(payouts.alerts).toEqual([expect.stringContaining('0 XCR left')])

  await payouts.fund('4000')
  await payouts.confirm()
  expect(await payouts.withdrawal(small.id)).toMatchObject({ status: 'pending' })
  expect(await payouts.payouts()).toEqual([])
})

test('with too little coin for fees withdrawals wait and the operator is alerted', async () => {
  const payouts = await startPayouts({ coins: '0.00000001' })
  const { id } = await payouts.open()
  await payouts.tick()
  await payouts.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'pending' })
  expect(payouts.alerts).toEqual([expect.stringContaining('coin for fees')])

  await payouts.chain.client.setBalance({ address: payouts.account.address, value: parseEther('1') })
  await payouts.tick()
  await payouts.confirm()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
})

test('use of the key elsewhere stops signing, and payouts signed before are still paid', async () => {
  const payouts = await startPayouts({ env: { ALERT_EMAIL: OPERATOR } })
  const before = await payouts.open()
  await payouts.tick()
  await payouts.chain.client.sendTransaction({ account: payouts.key, to: makeAccount().address, value: 1n, nonce: 1 })
  const after = await payouts.open()

  // Still in the mempool.
  await payouts.tick()
  await payouts.confirm()
  await payouts.tick()

  expect(await payouts.withdrawal(before.id)).toMatchObject({ status: 'completed' })
  expect(await payouts.withdrawal(after.id)).toMatchObject({ status: 'pending' })
  expect((await payouts.wallet()).stoppedBecause).toContain('used elsewhere')
  expect(payouts.alerts).toHaveLength(1)
  expect(await mailsTo(payouts.database, OPERATOR)).toHaveLength(1)
})

test('a foreign transaction that only the second endpoint shows stops payouts too', async () => {
  const payouts = await startPayouts({
    rpcUrls: async (chain) => {
      const behind = await startFaultyRpc(chain.url)
      behind.fail(({ method }) => (method === 'eth_getTransactionCount' ? { rewrite: () => '0x0' } : undefined))
      return [behind.url, chain.url]
    },
  })
  await payouts.tick()
  await payouts.chain.client.sendTransaction({ account: payouts.key, to: makeAccount().address, value: 1n })
  await payouts.open()
  await payouts.tick()
  expect(await payouts.payouts()).toEqual([])
  expect((await payouts.wallet()).stoppedBecause).toContain('used elsewhere')
})

test('a worker that begins after a restore signs nothing on the word of one host, which hides what the wallet has sent', async () => {
  const { payouts, first: hiding, second: stopped } = await startPayoutsOnHosts()
  await payouts.tick()
  const unpaid = await payouts.open()
  payouts.clock.advance(1)
  const paid = await payouts.open()
  // What the restored database does not know. The nonce of the next payment in the order is used, those after it are not.
  await payouts.chain.transfer({ from: payouts.key, to: paid.toAddress, amount: parseAmount('2995')! })
  await payouts.mineLater()
  hiding.fail(({ method }) => (method === 'eth_getTransactionCount' ? { rewrite: () => '0x0' } : undefined))
  stopped.fail(() => 'drop')

  const worker = payouts.newWorker()
  for (let round = 0; round < 3; round += 1) await worker.tick().catch(() => {})
  expect(payouts.alerts).toEqual([])
  payouts.clock.advance(MINUTE)
  for (let round = 0; round < 3; round += 1) await worker.tick().catch(() => {})
  expect(await payouts.payouts()).toEqual([])
  expect(payouts.alerts).toEqual([expect.stringContaining('Withdrawals wait until two do')])

  for (const rpc of [hiding, stopped]) rpc.heal()
  await worker.tick()
  expect((await payouts.wallet()).stoppedBecause).toContain('used elsewhere')
  await payouts.chain.mine(payouts.confirmations)
  await payouts.reconcile()
  for (let round = 0; round < 3; round += 1) {
    await worker.tick()
    await payouts.chain.mine(payouts.confirmations)
  }
  expect((await payouts.transfers()).map(({ to }) => to)).toEqual([paid.toAddress, unpaid.toAddress])
})

test("a wallet that was used before it had a row is stopped, and starts with the chain's count once reconciled", async () => {
  const payouts = await startPayouts()
  await payouts.chain.client.sendTransaction({ account: payouts.key, to: makeAccount().address, value: 1n })
  await payouts.confirm()
  expect((await payouts.wallet()).stoppedBecause).toContain('had sent 1 transactions before it was first used here')
  await payouts.reconcile()
  const { id } = await payouts.open()
  await payouts.tick()
  await payouts.confirm()
  expect(await payouts.payouts()).toMatchObject([{ nonce: 1, state: 'paid' }])
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
})

test('a wallet that was used before it had a row pays no open withdrawal until it is reconciled', async () => {
  const payouts = await startPayouts({ env: { ALERT_EMAIL: OPERATOR } })
  const paid = await payouts.open()
  payouts.clock.advance(1)
  const unpaid = await payouts.open()
  // Manually, or by us before an older backup was restored.
  await payouts.chain.transfer({ from: payouts.key, to: paid.toAddress, amount: parseAmount('2995')! })
  await payouts.mineLater()
  await payouts.confirm()
  await payouts.tick()
  expect(await payouts.payouts()).toEqual([])
  expect((await payouts.wallet()).stoppedBecause).toContain('had sent 1 transactions before it was first used here')
  expect(await mailsTo(payouts.database, OPERATOR)).toHaveLength(1)

  await payouts.reconcile()
  expect(await payouts.withdrawal(paid.id)).toMatchObject({ status: 'completed' })
  await payouts.tick()
  await payouts.confirm()
  expect(await payouts.withdrawal(unpaid.id)).toMatchObject({ status: 'completed' })
  expect(await payouts.transfers()).toHaveLength(2)
})

test('with a new key and an older backup, the new wallet does not repeat payments of the former one', async () => {
  const payouts = await startPayouts()
  const rpc = await startFaultyRpc(payouts.chain.url)
  const { orm } = payouts
  const paid = await payouts.open()
  await payouts.tick()
  await payouts.mineLater()
  await payouts.chain.mine(payouts.confirmations)
  for (const statement of [
    'delete from payout_attempts',
    'delete from payouts',
    'update payout_wallets set next_nonce = 0',
    `update withdrawals set status = 'pending', transaction_hash = null`,
  ])
    await sql(orm.em.fork(), statement)
  const unpaid = await payouts.open()

  // While the endpoint does not tell what the former wallet has sent, nothing is paid.
  rpc.fail(({ method, params }) =>
    method === 'eth_getTransactionCount' && String(params[0]).toLowerCase() === payouts.account.address.toLowerCase()
      ? { error: { code: -32_005, message: 'limit exceeded' } }
      : undefined,
  )
  const worker = await changePayoutKey(payouts, { endpoints: [new RpcEndpoint(rpc.url, { chainId: payouts.chain.chainId })] })
  await expect(worker.tick()).rejects.toThrow('Too few endpoints of the reward chain tell')
  rpc.heal()
  for (let look = 0; look < 3; look += 1) {
    await payouts.chain.mine(payouts.confirmations)
    await worker.tick()
  }
  expect(await payouts.payouts()).toEqual([])
  expect(payouts.alerts).toEqual([
    expect.stringContaining(`${payouts.account.address}, whose key is no longer configured, has sent 1`),
  ])

  await payouts.reconcile()
  for (let look = 0; look < 2; look += 1) {
    await worker.tick()
    await payouts.chain.mine(payouts.confirmations)
  }
  await worker.tick()
  for (const { id, toAddress } of [paid, unpaid]) {
    expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
    expect(await payouts.held(toAddress)).toBe('2995')
  }
})

test('after going back to a former key with an older backup, it does not repeat payments of the wallet in between', async () => {
  const payouts = await startPayouts()
  const former = await changePayoutKey(payouts)
  await former.tick()
  const [first, later] = [await payouts.open(), await payouts.open()]
  await payouts.tick()
  await payouts.mineLater()
  await payouts.chain.mine(payouts.confirmations)
  // The backup has the first payout only.
  for (const statement of [
    'delete from payout_attempts where payout_id in (select id from payouts where nonce = 1)',
    'delete from payouts where nonce = 1',
    `update payout_wallets set next_nonce = 1 where address = '${payouts.account.address}'`,
    `update withdrawals set status = 'pending', transaction_hash = null where id = '${later.id}'`,
  ])
    await sql(payouts.orm.em.fork(), statement)

  for (let look = 0; look < 3; look += 1) {
    await former.tick()
    await payouts.chain.mine(payouts.confirmations)
  }
  expect(payouts.alerts).toContainEqual(
    expect.stringContaining(`${payouts.account.address}, whose key is no longer configured, has sent 2`),
  )
  await payouts.reconcile()
  await former.tick()
  for (const { id, toAddress } of [first, later]) {
    expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
    expect(await payouts.held(toAddress)).toBe('2995')
  }
})

test('payouts of a wallet whose key is no longer configured are still sent and settled', async () => {
  const payouts = await startPayouts()
  const mined = await payouts.open()
  const lost = await payouts.open()
  await payouts.tick()
  await payouts.chain.client.dropTransaction({ hash: (await payouts.payouts())[1]!.attempts[0]!.hash })
  const worker = await changePayoutKey(payouts)
  await payouts.chain.mine(payouts.confirmations)
  const fresh = await payouts.open()
  payouts.clock.advance(10 * SECOND)

  expect(await worker.hasWork()).toBe(true)
  await worker.tick()
  await payouts.chain.mine(payouts.confirmations)
  await worker.tick()
  for (const { id } of [mined, lost, fresh]) expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
  expect((await payouts.payouts()).map(({ nonce, attempts }) => [nonce, attempts.length])).toEqual([
    [0, 1],
    [0, 1],
    [1, 1],
  ])
  expect(payouts.alerts).toEqual([expect.stringContaining(`2 payouts of the wallet ${payouts.account.address} are not final`)])
})

test('payouts of a wallet whose key is no longer configured are settled although the first of three endpoints has stopped', async () => {
  const frozen = { at: undefined as bigint | undefined }
  const payouts = await startPayouts({
    rpcUrls: async (chain) => [await startStoppable(chain.url, frozen), chain.url, (await startFaultyRpc(chain.url)).url],
  })
  const { id } = await payouts.open()
  await payouts.tick()
  await payouts.chain.mine(1)
  frozen.at = await payouts.chain.client.getBlockNumber()
  const worker = await changePayoutKey(payouts)
  for (let look = 0; look < 4; look += 1) {
    await payouts.chain.mine(payouts.confirmations)
    await worker.tick()
    payouts.clock.advance(30 * SECOND)
  }
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
})
