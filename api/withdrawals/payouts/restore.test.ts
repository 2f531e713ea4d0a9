import { expect, test } from 'vitest'
import type { Address, Hash } from 'viem'
import { parseAmount } from '#shared/amount.ts'
import { DAY, HOUR, SECOND } from '#shared/dates.ts'
import { rewardEndpoints } from '#api/platform/chain/rewardEndpoints.ts'
import { sql } from '#api/platform/db/sql.ts'
import { Withdrawal } from '#api/entities/Withdrawal.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { dumpDatabase } from '#api/testing/dumpDatabase.ts'
import { makeUser } from '#api/testing/factories.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { type Payouts, startPayouts } from '#api/testing/payouts.ts'
import { forgiveDebts, readOwed, settleDebts } from '../requests/debts.ts'
import { findReviewReason } from '../requests/findReviewReason.ts'
import { listWithdrawals } from '../requests/listWithdrawals.ts'
import { requireWithdrawable } from '../requests/requireWithdrawable.ts'
import { acknowledgeTransfer, attributeByHand } from './decideTransfer.ts'

interface Holder {
  userId: string
  email: string
  wallet: Address
}

interface HolderOptions {
  xcr?: string
  wallet?: Address
  /** Real time; a day ago by default. */
  registeredAt?: Date
}

async function openHolder({ orm, clock }: Payouts, { xcr, wallet, registeredAt }: HolderOptions = {}): Promise<Holder> {
  const now = clock.now()
  const address = (wallet ?? makeAccount().address).toLowerCase() as Address
  const { user } = await makeUser(orm.em.fork(), {
    wallet: address,
    otp: true,
    now,
    registeredAt: registeredAt ?? new Date(now.getTime() - DAY),
  })
  if (xcr) await giveXcr(orm, user.id, xcr)
  return { userId: user.id, email: user.email, wallet: address }
}

/** Requests a withdrawal to the registered wallet and has it paid. */
async function withdraw(payouts: Payouts, holder: Holder, amount = '3000') {
  const { id } = await payouts.open({ userId: holder.userId, toAddress: holder.wallet, amount })
  await payouts.tick()
  await payouts.mineLater()
  await payouts.confirm()
  return payouts.withdrawal(id)
}

/** Sends a payment without any row, like one whose rows were lost in a restore. */
async function payUnknown(payouts: Payouts, to: Address, xcr = '2995'): Promise<Hash> {
  const hash = await payouts.chain.transfer({ from: payouts.key, to, amount: parseAmount(xcr)! })
  await payouts.mineLater()
  await payouts.confirm()
  return hash
}

const withdrawalsOf = ({ orm }: Payouts, { userId }: Holder) =>
  orm.em.fork().find(Withdrawal, { user: userId }, { orderBy: { requestedAt: 'asc' } })

const owed = ({ orm }: Payouts, { userId }: Holder) => readOwed(orm.em.fork(), userId)

const decision = ({ services: { config } }: Payouts, hash: Hash) => ({
  endpoints: rewardEndpoints(config),
  hash,
  reason: 'looked up by hand',
  actor: 'operator:test',
})

test('after each restore of a dump, payments made since are booked and a new withdrawal is paid once', async () => {
  const before = await startPayouts()
  const holder = await openHolder(before, { xcr: '6500' })
  await before.stop()
  const restore = await dumpDatabase(before.database)

  const lost = await startPayouts({ after: { payouts: before, database: await restore() } })
  const { transactionHash } = await withdraw(lost, holder)
  await lost.stop()

  for (let times = 1; times <= 2; times += 1) {
    const restored = await startPayouts({ after: { payouts: before, database: await restore() } })
    await restored.tick()
    expect(await restored.balance(holder.userId)).toBe('6500')
    expect(await restored.wallet()).toMatchObject({ stoppedBecause: expect.any(String) })
    await restored.reconcile()
    expect(await restored.balance(holder.userId)).toBe(times === 1 ? '3500' : '500')
    expect(await withdrawalsOf(restored, holder)).toMatchObject(
      Array.from({ length: times }, () => ({ status: 'completed', amount: parseAmount('3000'), fee: parseAmount('5') })),
    )
    expect(await restored.audit()).toEqual([])
    if (times === 1) expect(await withdraw(restored, holder)).toMatchObject({ status: 'completed' })
    expect(await restored.balance(holder.userId)).toBe('500')
    expect(await restored.transfers()).toMatchObject([{ hash: transactionHash, amount: '2995' }, { amount: '2995' }])
    expect(await restored.audit()).toEqual([])
    await restored.stop()
  }
})

test('two reconciliations and an attribution by hand at once book a payment once', async () => {
  const payouts = await startPayouts()
  const { services } = payouts
  const holder = await openHolder(payouts, { xcr: '9500' })
  const hashes = [await payUnknown(payouts, holder.wallet), await payUnknown(payouts, holder.wallet)]
  await Promise.allSettled([
    payouts.reconcile(),
    attributeByHand(services, { ...decision(payouts, hashes[0]!), email: holder.email }),
    payouts.reconcile(),
    payouts.tick(),
    attributeByHand(services, { ...decision(payouts, hashes[1]!), email: holder.email }),
  ])
  await payouts.reconcile()
  expect(await withdrawalsOf(payouts, holder)).toMatchObject([{ status: 'completed' }, { status: 'completed' }])
  expect(await payouts.balance(holder.userId)).toBe('3500')
  expect(await payouts.wallet()).toMatchObject({ nextNonce: 2, stoppedBecause: null })
  expect(await payouts.audit()).toEqual([])
})

test('a withdrawal repeated before reconciliation is matched with the payment, or refunded', async () => {
  const payouts = await startPayouts()
  const [same, other] = [await openHolder(payouts, { xcr: '3000' }), await openHolder(payouts, { xcr: '6500' })]
  await payUnknown(payouts, same.wallet)
  await payUnknown(payouts, other.wallet)
  const now = new Date(payouts.clock.now().getTime() + HOUR)
  await payouts.open({ userId: same.userId, toAddress: same.wallet, now })
  await payouts.open({ userId: other.userId, toAddress: other.wallet, amount: '6000', now })
  await payouts.reconcile()

  expect(await withdrawalsOf(payouts, same)).toMatchObject([{ status: 'completed' }])
  expect(await payouts.balance(same.userId)).toBe('0')
  expect(await withdrawalsOf(payouts, other)).toMatchObject([
    { status: 'completed', amount: parseAmount('3000') },
    { status: 'failed', amount: parseAmount('6000') },
  ])
  expect(await payouts.balance(other.userId)).toBe('3500')
  await payouts.tick()
  await payouts.confirm()
  expect(await payouts.transfers()).toHaveLength(2)
  expect(await payouts.audit()).toEqual([])
})

test('a payment that the balance covers leaves an open withdrawal as it is', async () => {
  const payouts = await startPayouts()
  const holder = await openHolder(payouts, { xcr: '9500' })
  await payUnknown(payouts, holder.wallet)
  const now = new Date(payouts.clock.now().getTime() + HOUR)
  await payouts.open({ userId: holder.userId, toAddress: holder.wallet, amount: '6000', now })

  await payouts.reconcile()

  expect(await withdrawalsOf(payouts, holder)).toMatchObject([
    { status: 'completed', amount: parseAmount('3000') },
    { status: 'pending', amount: parseAmount('6000') },
  ])
  expect(await payouts.balance(holder.userId)).toBe('500')
})

test('a payment beyond the balance becomes a debt, which blocks payouts until rewards pay it off', async () => {
  const payouts = await startPayouts()
  const { orm, services } = payouts
  const holder = await openHolder(payouts, { xcr: '1000' })
  await payUnknown(payouts, holder.wallet)
  await payouts.reconcile()
  expect(await payouts.balance(holder.userId)).toBe('0')
  expect(await owed(payouts, holder)).toBe(parseAmount('2000'))
  expect(await listWithdrawals(orm.em.fork(), { userId: holder.userId })).toMatchObject([
    { status: 'completed', debt: { owed: parseAmount('2000'), closedAt: null } },
  ])
  expect(await payouts.audit()).toEqual([])

  const ask = () =>
    requireWithdrawable(orm.em.fork(), payouts.clock, {
      userId: holder.userId,
      amount: parseAmount('3000')!,
      now: payouts.clock.now(),
    })
  await giveXcr(orm, holder.userId, '500')
  await settleDebts.run(services)
  await giveXcr(orm, holder.userId, '4600')
  await expect(ask()).rejects.toMatchObject({ status: 409, code: 'withdrawal_debt', details: { owed: '1500' } })
  // A withdrawal that was already pending when the debt was recorded.
  const { id } = await payouts.open({ userId: holder.userId, toAddress: holder.wallet, amount: '3000' })
  await payouts.tick()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'pending' })

  payouts.clock.advance(DAY)
  await settleDebts.run(services)
  expect(await payouts.balance(holder.userId)).toBe('100')
  expect(await owed(payouts, holder)).toBe(0n)
  const entries = await sql<{ days: number; count: number }>(
    orm.em.fork(),
    `select count(distinct date)::int as days, count(*)::int as count from ledger_entries where cause like 'debt%'`,
  )
  expect(entries, 'all have the date of the withdrawal').toEqual([{ days: 1, count: 3 }])
  await settleDebts.run(services)
  await payouts.tick()
  await payouts.confirm()
  expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
  expect(await payouts.balance(holder.userId)).toBe('100')
  expect(await payouts.audit()).toEqual([])
})

test('an operator can forgive a debt', async () => {
  const payouts = await startPayouts()
  const { orm } = payouts
  const holder = await openHolder(payouts)
  await payUnknown(payouts, holder.wallet)
  await payouts.reconcile()
  const forgive = () =>
    orm.em
      .fork()
      .transactional((em) =>
        forgiveDebts(em, { email: holder.email, actor: 'operator:test', reason: 'our fault', now: payouts.clock.now() }),
      )
  expect(await forgive()).toBe('3000')
  expect(await forgive()).toBeUndefined()
  expect(await owed(payouts, holder)).toBe(0n)
  expect(await payouts.balance(holder.userId)).toBe('0')
  expect(await payouts.audit()).toEqual([])
  expect(
    await sql(orm.em.fork(), `select actor, after->>'reason' as reason from audit_entries where action = 'debt.forgive'`),
  ).toEqual([{ actor: 'operator:test', reason: 'our fault' }])
})

test('a transfer to a wallet of two accounts, or one not yet registered, is left to an operator', async () => {
  const payouts = await startPayouts()
  const { orm, services, clock } = payouts
  const former = await openHolder(payouts, { xcr: '3000' })
  await sql(orm.em.fork(), 'update wallet_registrations set removed_at = $1', [clock.now()])
  await sql(orm.em.fork(), 'update users set wallet_address = null')
  const present = await openHolder(payouts, { xcr: '3000', wallet: former.wallet })
  const newcomer = await openHolder(payouts, { xcr: '3000', registeredAt: new Date(clock.now().getTime() + DAY) })
  const hashes = [await payUnknown(payouts, former.wallet), await payUnknown(payouts, newcomer.wallet)]
  await expect(payouts.reconcile()).rejects.toThrow('Payouts stay stopped')
  for (const holder of [former, present, newcomer]) expect(await payouts.balance(holder.userId)).toBe('3000')

  await attributeByHand(services, { ...decision(payouts, hashes[0]!), email: former.email })
  await attributeByHand(services, { ...decision(payouts, hashes[1]!), email: newcomer.email })
  const again = attributeByHand(services, { ...decision(payouts, hashes[0]!), email: present.email })
  await expect(again).rejects.toThrow('that is not explained')
  expect((await payouts.reconcile()).at(-1)).toContain('Payouts resume')
  expect(await payouts.balance(former.userId)).toBe('0')
  expect(await payouts.balance(present.userId)).toBe('3000')
  expect(await payouts.balance(newcomer.userId)).toBe('0')
  expect(await payouts.audit()).toEqual([])
})

test("a transfer below the smallest withdrawal needs an operator, who cannot acknowledge one to an account's wallet as foreign", async () => {
  const payouts = await startPayouts()
  const { services } = payouts
  const holder = await openHolder(payouts, { xcr: '3000' })
  const hash = await payUnknown(payouts, holder.wallet, '0.000000000000000001')
  await expect(payouts.reconcile()).rejects.toThrow('Payouts stay stopped')
  const acknowledge = (email?: string) => acknowledgeTransfer(services, { ...decision(payouts, hash), email })
  await expect(acknowledge()).rejects.toThrow(`went to a wallet of ${holder.email}`)
  await expect(acknowledge('somebody@example.com')).rejects.toThrow(`went to a wallet of ${holder.email}`)
  await acknowledge(holder.email)
  await payouts.reconcile()
  expect(await payouts.balance(holder.userId)).toBe('3000')
  expect(await payouts.audit()).toEqual([])
})

test('a withdrawal to a wallet with an acknowledged transfer from before its registration needs review', async () => {
  const payouts = await startPayouts()
  const { orm, services, clock } = payouts
  const wallet = makeAccount().address.toLowerCase() as Address
  const hash = await payUnknown(payouts, wallet)
  await acknowledgeTransfer(services, { ...decision(payouts, hash), email: undefined })
  const reasonOf = ({ userId, wallet }: Holder) =>
    findReviewReason(orm.em.fork(), {
      userId,
      wallet,
      amount: parseAmount('3000')!,
      limit: parseAmount('10000')!,
      isForeign: false,
      reviewedUntil: null,
      now: clock.now(),
    })
  expect(await reasonOf(await openHolder(payouts, { wallet }))).toMatchObject({ reviewReason: 'paid_before' })
  expect(await reasonOf(await openHolder(payouts))).toEqual({ reviewReason: null, heldUntil: null })
})

test('zero-value transfers, which anyone can emit, neither stop payouts nor explain anything', async () => {
  const payouts = await startPayouts()
  const holder = await openHolder(payouts, { xcr: '3000' })
  await withdraw(payouts, holder)
  const stranger = makeAccount()
  await payouts.chain.client.setBalance({ address: stranger.address, value: 10n ** 18n })
  await payouts.chain.client.sendTransaction({
    account: stranger,
    to: payouts.chain.token,
    // transferFrom(payout wallet, holder, 0)
    data: `0x23b872dd${[payouts.account.address, holder.wallet].map((one) => one.slice(2).padStart(64, '0')).join('')}${'0'.repeat(64)}`,
  })
  await payouts.confirm()
  expect(await payouts.transfers()).toHaveLength(2)
  expect(await payouts.audit()).toEqual([])
  expect(await payouts.reconcile()).toEqual([expect.stringContaining('is not stopped')])
})

test('a lost sweep of fees is booked again, and the fees are not swept twice', async () => {
  const payouts = await startPayouts()
  const collector = makeAccount().address.toLowerCase() as Address
  await payouts.collectFees(collector)
  payouts.clock.advance(HOUR)
  const holder = await openHolder(payouts)
  await payUnknown(payouts, collector, '5')
  const swept = (await payouts.transfers())[0]!.hash
  await payUnknown(payouts, holder.wallet)
  await expect(payouts.reconcile()).resolves.toEqual(
    expect.arrayContaining([expect.stringContaining('is booked as the sweep of')]),
  )
  expect(await payouts.fees()).toBe('0')
  expect(await payouts.payouts()).toMatchObject([{ state: 'paid', final_hash: swept, amount: '5' }])
  await payouts.tick()
  expect(await payouts.payouts()).toHaveLength(1)
  expect(await payouts.audit()).toEqual([])
})

test('a lost sweep of fees is booked again, though another recipient was named before it was mined', async () => {
  const payouts = await startPayouts()
  const collector = makeAccount().address.toLowerCase() as Address
  await payouts.collectFees(collector)
  payouts.clock.advance(SECOND)
  await payouts.collectFees(makeAccount().address)
  payouts.clock.advance(HOUR)
  const holder = await openHolder(payouts)
  await payUnknown(payouts, collector, '5')
  await payUnknown(payouts, holder.wallet)
  expect((await payouts.reconcile()).at(-1)).toContain('Payouts resume')
  expect(await payouts.fees()).toBe('0')
  await payouts.tick()
  expect(await payouts.payouts()).toHaveLength(1)
  expect(await payouts.audit()).toEqual([])
})

test('two sweeps that a dump does not know are booked once each, though both were mined on one day', async () => {
  const before = await startPayouts()
  const collector = makeAccount().address.toLowerCase() as Address
  const holder = await openHolder(before, { xcr: '6500' })
  await withdraw(before, holder)
  await before.collectFees(collector)
  await before.stop()
  const restore = await dumpDatabase(before.database)

  const lost = await startPayouts({ after: { payouts: before, database: await restore() } })
  lost.clock.advance(SECOND)
  await lost.tick()
  await withdraw(lost, holder)
  lost.clock.advanceProduct(DAY)
  await lost.tick()
  await lost.mineLater()
  await lost.confirm()
  expect(await lost.held(collector)).toBe('10')
  await lost.stop()

  const restored = await startPayouts({ after: { payouts: before, database: await restore() } })
  restored.clock.advance(SECOND)
  await restored.tick()
  expect((await restored.wallet()).stoppedBecause).toContain('restored from an older backup')
  expect(await restored.transfers()).toHaveLength(4)
  const lines = await restored.reconcile()
  expect(lines.filter((line) => line.includes('is booked as the sweep of'))).toHaveLength(2)
  expect(lines.at(-1)).toContain('Payouts resume')
  expect(await restored.fees()).toBe('0')
  await restored.tick()
  await restored.confirm()
  expect(await restored.transfers()).toHaveLength(4)
  expect(await restored.audit()).toEqual([])
})

test("reconciling before the worker's next round stops the wallet instead of reporting success", async () => {
  const payouts = await startPayouts()
  const holder = await openHolder(payouts, { xcr: '3000' })
  await payouts.chain.transfer({ from: payouts.key, to: holder.wallet, amount: parseAmount('2995')! })
  await payouts.mineLater()
  await payouts.chain.mine(payouts.confirmations)
  expect((await payouts.reconcile()).at(-1)).toContain('Payouts resume')
  expect(await payouts.balance(holder.userId)).toBe('0')
  expect(await payouts.wallet()).toEqual({ nextNonce: 1, stoppedBecause: null })
})
