import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test } from 'vitest'
import { type Address, type Hash, parseGwei } from 'viem'
import { parseAmount } from '#shared/amount.ts'
import { DAY, HOUR, MINUTE, SECOND, utcDay } from '#shared/dates.ts'
import { batchSender } from '#api/dev/contracts/generated/batchSender.ts'
import { bep20Usdt } from '#api/dev/contracts/generated/bep20Usdt.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { sql } from '#api/platform/db/sql.ts'
import { newId } from '#api/platform/db/newId.ts'
import { type FaultyRpc, startFaultyRpc } from '#api/testing/faultyRpc.ts'
import { lieAboutAmount } from '#api/testing/lyingRpc.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { type Payouts, startPayouts } from '#api/testing/payouts.ts'
import { countLockWaits } from '#api/testing/lockWaits.ts'
import { approveWithdrawal } from './approveWithdrawal.ts'
import { markWithdrawalPaid } from './markWithdrawalPaid.ts'
import { type Payment, readPayment } from './readPayment.ts'
import { rejectWithdrawal } from './rejectWithdrawal.ts'

const approve = ({ orm, clock }: Payouts, id: string, notes?: string) =>
  orm.em.fork().transactional((em) => approveWithdrawal(em, { id, notes, now: clock.now() }))
const reject = ({ orm, services }: Payouts, id: string, reason = 'No.') =>
  orm.em.fork().transactional((em) => rejectWithdrawal(em, services, { id, reason }))
const readByHand = ({ services: { config } }: Payouts, transactionHash: Hash) =>
  readPayment(rewardEndpoints(config), { config, transactionHash })
async function markPaid(payouts: Payouts, id: string, transactionHash: Hash): Promise<void> {
  const { orm, services } = payouts
  const payment = await readByHand(payouts, transactionHash)
  await orm.em.fork().transactional((em) => markWithdrawalPaid(em, services, { id, payment }))
}

const closed = { code: 'withdrawal_closed', status: 409 }

test('an approved withdrawal is paid', async () => {
  const payouts = await startPayouts()
  const { id } = await payouts.open({ reviewReason: 'above_limit' })
  await payouts.tick()
  expect(await payouts.payouts()).toEqual([])

  await approve(payouts, id, 'Looked at.')
  await payouts.tick()
  await payouts.confirm()

  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed', reviewReason: null, adminNotes: 'Looked at.' })
  await expect(approve(payouts, id)).rejects.toMatchObject(closed)
})

test('an approved withdrawal that was signed keeps its nonce and its bytes', async () => {
  const payouts = await startPayouts()
  const { id } = await payouts.open()
  await payouts.tick()
  await payouts.chain.client.dropTransaction({ hash: (await payouts.payouts())[0]!.attempts[0]!.hash })
  await sql(
    payouts.orm.em.fork(),
    `update withdrawals set status = 'manual_review', review_reason = 'unknown_outcome' where id = $1`,
    [id],
  )

  await approve(payouts, id)
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'processing' })
  payouts.clock.advance(10 * SECOND)
  await payouts.tick()
  await payouts.confirm()

  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
  expect((await payouts.payouts()).map(({ attempts }) => attempts.length)).toEqual([1])
  expect(await payouts.transfers()).toHaveLength(1)
})

test.for([undefined, 'recent_change'] as const)(
  'a withdrawal rejected before it is signed (%s) is refunded at once',
  async (reason) => {
    const payouts = await startPayouts()
    const { id, user } = await payouts.open(reason ? { reviewReason: reason } : {})
    expect(await reject(payouts, id, 'Asked by phone.')).toBe('refunded')

    expect(await payouts.withdrawal(id)).toMatchObject({
      status: 'failed',
      refundedAt: expect.any(Date),
      adminNotes: 'Asked by phone.',
    })
    expect(await payouts.balance(user.id)).toBe('3000')
    expect(await mailsTo(payouts.database, `${user.id}@example.com`)).toHaveLength(1)
    await payouts.tick()
    expect(await payouts.payouts()).toEqual([])
    await expect(reject(payouts, id)).rejects.toMatchObject(closed)
    await expect(approve(payouts, id)).rejects.toMatchObject(closed)
    expect(await payouts.balance(user.id)).toBe('3000')
  },
)

/** Waits until another session waits for a lock. */
const waitForBlockedSession = (payouts: Payouts) => expect.poll(() => countLockWaits(payouts)).toBe(1)

test('a withdrawal rejected at the moment the worker signs it is cancelled on the chain, not refunded', async () => {
  const payouts = await startPayouts()
  const { id, user } = await payouts.open()
  let rejecting: ReturnType<typeof reject> | undefined
  const worker = payouts.newWorker({
    step: async (step) => {
      if (step !== 'signed' || rejecting) return
      // Outside the worker's transaction, like another process.
      rejecting = outside(() => reject(payouts, id))
      await outside(() => waitForBlockedSession(payouts))
    },
  })
  const outside = AsyncLocalStorage.snapshot()

  await worker.tick()
  expect(await rejecting).toBe('cancelling')
  expect(await payouts.balance(user.id)).toBe('0')
  await payouts.tick()
  await payouts.confirm()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'failed' })
  expect(await payouts.transfers()).toEqual([])
})

test('the worker signs other withdrawals while one is being rejected', async () => {
  const payouts = await startPayouts()
  const [rejected, other] = [await payouts.open(), await payouts.open()]
  const outside = AsyncLocalStorage.snapshot()
  await payouts.orm.em.fork().transactional(async (em) => {
    await rejectWithdrawal(em, payouts.services, { id: rejected.id, reason: 'No.' })
    await outside(() => payouts.tick())
  })
  await payouts.confirm()
  expect(await payouts.withdrawal(other.id)).toMatchObject({ status: 'completed' })
  expect(await payouts.withdrawal(rejected.id)).toMatchObject({ status: 'failed' })
  expect(await payouts.transfers()).toHaveLength(1)
})

test('a withdrawal rejected while the worker signs is either refunded or paid', async () => {
  const payouts = await startPayouts()
  const opened = []
  for (let index = 0; index < 12; index += 1) opened.push(await payouts.open())

  const [, ...answers] = await Promise.all([payouts.tick(), ...opened.map(({ id }) => reject(payouts, id))])
  for (let look = 0; look < 3; look += 1) {
    await payouts.tick()
    await payouts.confirm()
  }

  const paid = new Set((await payouts.transfers()).map(({ to }) => to))
  for (const [index, { id, toAddress, user }] of opened.entries()) {
    const { status } = await payouts.withdrawal(id)
    expect(status).toBe(paid.has(toAddress) ? 'completed' : 'failed')
    expect(await payouts.balance(user.id)).toBe(paid.has(toAddress) ? '0' : '3000')
    if (answers[index] === 'refunded') expect(status).toBe('failed')
  }
})

test('rejecting a signed withdrawal mines a zero-value transaction at its nonce, and refunds when that is final', async () => {
  const payouts = await startPayouts()
  const { id, user } = await payouts.open()
  await payouts.tick()
  expect(await reject(payouts, id)).toBe('cancelling')
  expect(await payouts.balance(user.id)).toBe('0')

  await payouts.tick()
  const [{ attempts }] = (await payouts.payouts()) as [Awaited<ReturnType<Payouts['payouts']>>[number]]
  expect(attempts.map(({ kind }) => kind)).toEqual(['pay', 'cancel'])
  await payouts.chain.mine(2)
  await payouts.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'processing' })
  await payouts.chain.mine(1)
  await payouts.tick()

  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'failed', transactionHash: attempts[1]!.hash })
  expect(await payouts.payouts()).toMatchObject([{ nonce: 0, state: 'cancelled', final_hash: attempts[1]!.hash }])
  expect(await payouts.balance(user.id)).toBe('3000')
  expect(await payouts.transfers()).toEqual([])
})

test('a rejected withdrawal whose payment is mined first is paid and not refunded', async () => {
  const payouts = await startPayouts()
  const { id, user } = await payouts.open()
  await payouts.tick()
  await payouts.chain.mine(1)
  await reject(payouts, id)
  await payouts.tick()
  await payouts.confirm()

  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
  expect(await payouts.balance(user.id)).toBe('0')
  expect(await payouts.transfers()).toHaveLength(1)
})

test('a stuck cancellation is replaced by another cancellation, never by a payment', async () => {
  const payouts = await startPayouts()
  const { id } = await payouts.open()
  await payouts.tick()
  await reject(payouts, id)
  await payouts.tick()
  payouts.clock.advance(MINUTE)
  await payouts.tick()
  expect((await payouts.payouts())[0]!.attempts.map(({ kind }) => kind)).toEqual(['pay', 'cancel', 'cancel'])
  await payouts.confirm()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'failed' })
})

test.for([
  ['the usual gas price has fallen far below what it offered', { PAYOUT_MAX_GAS_PRICE: '100' }, '0.1'],
  ['no higher fee is allowed', { PAYOUT_MAX_GAS_PRICE: '41' }, '20'],
] as const)('a rejected withdrawal that the node forgot is cancelled although %s', async ([, env, gwei]) => {
  const payouts = await startPayouts({ env })
  const setBaseFee = async (gwei: string) => {
    await payouts.chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei(gwei) })
    await payouts.chain.mine()
  }
  await setBaseFee('20')
  const { id, user } = await payouts.open()
  await payouts.tick()
  await payouts.chain.client.dropTransaction({ hash: (await payouts.payouts())[0]!.attempts[0]!.hash })
  await reject(payouts, id)
  await setBaseFee(gwei)
  await payouts.tick()
  await payouts.confirm()

  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'failed' })
  expect(await payouts.balance(user.id)).toBe('3000')
  expect(await payouts.transfers()).toEqual([])
  const [, cancellation] = (await payouts.payouts())[0]!.attempts
  const { maxFeePerGas } = await payouts.chain.client.getTransaction({ hash: cancellation!.hash })
  expect(maxFeePerGas).toBeLessThanOrEqual(parseGwei(env.PAYOUT_MAX_GAS_PRICE))
})

test('a withdrawal whose nonce a foreign transaction used can only be rejected, which refunds it', async () => {
  const payouts = await startPayouts()
  const { id, user } = await payouts.open()
  await payouts.tick()
  await payouts.chain.client.dropTransaction({ hash: (await payouts.payouts())[0]!.attempts[0]!.hash })
  await payouts.chain.client.sendTransaction({ account: payouts.key, to: makeAccount().address, value: 1n, nonce: 0 })
  await payouts.confirm()
  payouts.clock.advance(30 * SECOND)
  await payouts.tick()

  await expect(approve(payouts, id)).rejects.toMatchObject(closed)
  await expect(reject(payouts, id), 'a transaction of ours that was not found may have paid it').rejects.toMatchObject(closed)
  await payouts.reconcile()
  expect(await reject(payouts, id)).toBe('refunded')
  expect(await payouts.balance(user.id)).toBe('3000')
})

test('while payouts are stopped, a withdrawal that an unknown transaction may have paid is not refunded', async () => {
  const payouts = await startPayouts()
  await payouts.tick()
  const { id, toAddress, user } = await payouts.open({ reviewReason: 'above_limit' })
  // The state after an older backup was restored: the withdrawal was approved and paid since.
  await payouts.chain.transfer({ from: payouts.key, to: toAddress, amount: parseAmount('2995')! })
  await payouts.mineLater()
  await payouts.confirm()

  await expect(reject(payouts, id)).rejects.toMatchObject({ ...closed, message: expect.stringContaining('reconcile-payouts') })
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'manual_review', adminNotes: null })
  await payouts.reconcile()
  await expect(reject(payouts, id)).rejects.toMatchObject(closed)
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
  expect(await payouts.balance(user.id)).toBe('0')
})

test('an unknown withdrawal id returns 404', async () => {
  const payouts = await startPayouts()
  await expect(approve(payouts, newId())).rejects.toMatchObject({ status: 404 })
})

/** Pays manually from another wallet. Returns the hash of a final transfer that is newer than all withdrawals. */
async function payByHand(payouts: Payouts, to: Address, xcr: string, { final = true } = {}): Promise<Hash> {
  const treasury = makeAccount()
  await payouts.chain.mint(treasury.address, parseAmount(xcr)!)
  const hash = await payouts.chain.transfer({ from: treasury, to, amount: parseAmount(xcr)! })
  await payouts.mineLater()
  if (final) await payouts.chain.mine(payouts.confirmations)
  return hash
}

test('a manual transfer completes the withdrawal it paid', async () => {
  const payouts = await startPayouts()
  const { id, toAddress, user } = await payouts.open({ reviewReason: 'foreign_contract' })
  const hash = await payByHand(payouts, toAddress, '2995')
  await markPaid(payouts, id, hash)

  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed', transactionHash: hash, transferOrdinal: 0 })
  expect(await payouts.fees()).toBe('5')
  expect(await mailsTo(payouts.database, `${user.id}@example.com`)).toHaveLength(1)
  await payouts.tick()
  expect(await payouts.payouts()).toEqual([])
  await expect(markPaid(payouts, id, hash)).rejects.toMatchObject(closed)
})

test('a transfer with another recipient or amount completes no withdrawal', async () => {
  const payouts = await startPayouts()
  const { id, toAddress } = await payouts.open({ reviewReason: 'above_limit' })
  const foreign = { code: 'transaction_foreign', status: 409 }
  for (const [to, xcr] of [
    [toAddress, '3000'],
    [toAddress, '2994.999999999999999999'],
    [makeAccount().address, '2995'],
  ] as const)
    await expect(markPaid(payouts, id, await payByHand(payouts, to, xcr))).rejects.toMatchObject(foreign)
  await expect(markPaid(payouts, id, `0x${'7'.repeat(64)}`)).rejects.toMatchObject(foreign)
  await expect(markPaid(payouts, id, await payByHand(payouts, toAddress, '2995', { final: false }))).rejects.toMatchObject({
    ...foreign,
    message: expect.stringContaining('not final'),
  })
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'manual_review' })
})

test('a manual payment completes a withdrawal only when two endpoints show it', async () => {
  let liar: FaultyRpc | undefined
  const payouts = await startPayouts({
    rpcUrls: async (chain) => {
      liar = await startFaultyRpc(chain.url)
      return [liar.url, chain.url]
    },
  })
  const { id, toAddress } = await payouts.open({ reviewReason: 'above_limit' })
  const hash = await payByHand(payouts, toAddress, '1')
  lieAboutAmount(liar!, { hash, amount: parseAmount('2995')! })
  await expect(markPaid(payouts, id, hash)).rejects.toMatchObject({
    code: 'chain_unavailable',
    message: expect.stringContaining('contradict each other'),
  })
  liar!.fail(() => 'drop')
  await expect(markPaid(payouts, id, hash)).rejects.toMatchObject({ code: 'chain_unavailable' })
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'manual_review' })

  liar!.heal()
  await markPaid(payouts, id, await payByHand(payouts, toAddress, '2995'))
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
})

test('a refund has the date of its withdrawal, no matter when it happens', async () => {
  const payouts = await startPayouts()
  const { id, createdAt } = await payouts.open({ reviewReason: 'above_limit' })
  payouts.clock.advance(3 * DAY)
  await reject(payouts, id)
  expect(
    await sql(payouts.orm.em.fork(), `select to_char(date, 'YYYY-MM-DD') as date from ledger_entries where cause = $1`, [
      `refund:${id}`,
    ]),
  ).toEqual([{ date: utcDay(createdAt) }])
})

test('the fee of a withdrawal has the date of the withdrawal, no matter when it is paid', async () => {
  const payouts = await startPayouts()
  const { id, createdAt, toAddress } = await payouts.open({ reviewReason: 'above_limit' })
  payouts.clock.advance(3 * DAY)
  await markPaid(payouts, id, await payByHand(payouts, toAddress, '2995'))
  expect(
    await sql(payouts.orm.em.fork(), `select to_char(date, 'YYYY-MM-DD') as date from ledger_entries where cause = $1`, [
      `fee:${id}`,
    ]),
  ).toEqual([{ date: utcDay(createdAt) }])
})

test('a transfer of another token completes no withdrawal', async () => {
  const payouts = await startPayouts()
  const { id, toAddress } = await payouts.open({ reviewReason: 'above_limit' })
  const other = makeAccount().address
  await payouts.chain.placeToken(other)
  const treasury = makeAccount()
  await payouts.chain.client.setBalance({ address: treasury.address, value: 10n ** 18n })
  const contract = { account: treasury, address: other, abi: bep20Usdt.abi } as const
  await payouts.chain.client.writeContract({ ...contract, functionName: 'mint', args: [treasury.address, parseAmount('2995')!] })
  await payouts.chain.mine()
  const hash = await payouts.chain.client.writeContract({
    ...contract,
    functionName: 'transfer',
    args: [toAddress, parseAmount('2995')!],
  })
  await payouts.mineLater()
  await payouts.chain.mine(payouts.confirmations)
  await expect(markPaid(payouts, id, hash)).rejects.toMatchObject({ code: 'transaction_foreign' })
})

test('a transfer older than the request completes no withdrawal', async () => {
  const payouts = await startPayouts()
  const wallet = makeAccount().address
  const hash = await payByHand(payouts, wallet, '2995')
  payouts.clock.advance(HOUR)
  const { id } = await payouts.open({ reviewReason: 'above_limit', toAddress: wallet })
  await expect(markPaid(payouts, id, hash)).rejects.toMatchObject({ message: expect.stringContaining('older') })
})

test('one transfer completes one withdrawal, even if two name it at once; two transfers in one transaction complete two', async () => {
  const payouts = await startPayouts()
  const wallet = makeAccount().address
  const given = { reviewReason: 'above_limit', toAddress: wallet } as const
  const [first, second, third] = [await payouts.open(given), await payouts.open(given), await payouts.open(given)]
  const single = await payByHand(payouts, wallet, '2995')

  const answers = await Promise.allSettled([markPaid(payouts, first.id, single), markPaid(payouts, second.id, single)])
  expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  for (const answer of answers)
    if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'transaction_used' })
  const late = answers[0]!.status === 'fulfilled' ? second : first

  const treasury = makeAccount()
  const { client, token } = payouts.chain
  await client.setBalance({ address: treasury.address, value: 10n ** 18n })
  const deployed = await client.deployContract({ account: treasury, ...batchSender })
  await payouts.chain.mine()
  const { contractAddress } = await client.getTransactionReceipt({ hash: deployed })
  await payouts.chain.mint(contractAddress!, parseAmount('5990')!)
  const both = await client.writeContract({
    account: treasury,
    address: contractAddress!,
    abi: batchSender.abi,
    functionName: 'send',
    args: [token, wallet, [parseAmount('2995')!, parseAmount('2995')!]],
  })
  await payouts.chain.mine(payouts.confirmations)
  await markPaid(payouts, late.id, both)
  await markPaid(payouts, third.id, both)
  expect((await payouts.withdrawal(late.id)).transferOrdinal).toBe(0)
  expect((await payouts.withdrawal(third.id)).transferOrdinal).toBe(1)
})

test('of paying by hand, approving, rejecting and signing at once, one ends each withdrawal', async () => {
  const payouts = await startPayouts()
  const { orm, services } = payouts
  const opened = await Promise.all(Array.from({ length: 6 }, () => payouts.open({ reviewReason: 'above_limit' })))
  const payments: Payment[] = []
  for (const { toAddress } of opened) payments.push(await readByHand(payouts, await payByHand(payouts, toAddress, '2995')))

  const answers = await Promise.allSettled([
    ...opened.flatMap(({ id }, index) => {
      const decisions = [
        () => approve(payouts, id),
        () => reject(payouts, id),
        () => orm.em.fork().transactional((em) => markWithdrawalPaid(em, services, { id, payment: payments[index]! })),
      ]
      // Another one is the first each time.
      return decisions.map((_decide, turn) => decisions[(index + turn) % decisions.length]!())
    }),
    payouts.tick(),
  ])
  for (const answer of answers) if (answer.status === 'rejected') expect(answer.reason).toMatchObject(closed)
  for (let round = 0; round < 2; round += 1) {
    await payouts.tick()
    await payouts.confirm()
  }

  const signed = (await payouts.payouts()).map(({ cause }) => cause)
  for (const [index, { id, user }] of opened.entries()) {
    const { status, transactionHash } = await payouts.withdrawal(id)
    const isByHand = transactionHash === payments[index]!.transactionHash
    expect(signed.filter((cause) => cause === `withdrawal:${id}`)).toHaveLength(status === 'completed' && !isByHand ? 1 : 0)
    expect(await payouts.balance(user.id)).toBe(status === 'completed' ? '0' : '3000')
  }
  expect(await payouts.audit()).toEqual([])
})

test('a signed withdrawal cannot be marked as paid, and a payout of ours completes no other withdrawal', async () => {
  const payouts = await startPayouts()
  const wallet = makeAccount().address
  const signed = await payouts.open({ toAddress: wallet })
  await payouts.tick()
  const waiting = await payouts.open({ toAddress: wallet, reviewReason: 'above_limit' })
  await payouts.mineLater()
  await payouts.chain.mine(payouts.confirmations)
  const { hash } = (await payouts.payouts())[0]!.attempts[0]!

  await expect(markPaid(payouts, signed.id, hash)).rejects.toMatchObject(closed)
  await expect(markPaid(payouts, waiting.id, hash)).rejects.toMatchObject({ code: 'transaction_used' })
  await sql(
    payouts.orm.em.fork(),
    `update withdrawals set status = 'manual_review', review_reason = 'unknown_outcome' where id = $1`,
    [signed.id],
  )
  await expect(markPaid(payouts, signed.id, await payByHand(payouts, wallet, '2995'))).rejects.toMatchObject(closed)
})
