import type { EntityManager } from '@mikro-orm/postgresql'
import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, test } from 'vitest'
import type { Address } from 'viem'
import { formatAmount } from '#shared/amount.ts'
import type { AuditAction } from '#shared/auditActions.ts'
import { listPersonHolds } from '#shared/contract/admin/person.ts'
import * as admin from '#shared/contract/admin/withdrawals.ts'
import { getAuthUser } from '#shared/contract/identity.ts'
import * as contract from '#shared/contract/withdrawals.ts'
import { DAY, HOUR, MINUTE } from '#shared/dates.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { holdWithdrawals } from '#api/accounts/users/holdWithdrawals.ts'
import { setWallet } from '#api/accounts/wallets/setWallet.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { LedgerEntry } from '#api/entities/LedgerEntry.ts'
import { StepUpMark } from '#api/entities/StepUpMark.ts'
import { User } from '#api/entities/User.ts'
import { Withdrawal } from '#api/entities/Withdrawal.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { makeAccount, usePaymentChain, useRewardChain } from '#api/testing/chains.ts'
import { useDatabase } from '#api/testing/database.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { findDifferences } from '#api/testing/findDifferences.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { type Payouts, startPayouts, startPayoutsOnHosts } from '#api/testing/payouts.ts'
import { type Buyer, logIn, makeBuyer } from '#api/testing/people.ts'
import { startWithdrawals, type Withdrawals } from '#api/testing/withdrawals.ts'
import { countLockWaits } from '#api/testing/lockWaits.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import { approveWithdrawal } from './approveWithdrawal.ts'
import { cancelWithdrawal } from './cancelWithdrawal.ts'
import { rejectWithdrawal } from './rejectWithdrawal.ts'
import { releaseHolds } from './releaseHolds.ts'

const database = useDatabase()
const payments = usePaymentChain()
const rewards = useRewardChain()

const start = (env: Record<string, string> = {}) =>
  startWithdrawals(database, {
    env: { BSC_RPC_URLS: payments.url, XCR_RPC_URLS: rewards.url, XCR_TOKEN_ADDRESS: rewards.token, ...env },
  })

/** A holder whose password was just reset. */
async function openHeld(withdrawals: Withdrawals, xcr = '1000000'): Promise<Buyer> {
  const holder = await withdrawals.openHolder({ xcr })
  await hold(withdrawals.server, holder.user.id)
  return holder
}
const hold = ({ services, clock }: Pick<Withdrawals['server'], 'services' | 'clock'>, userId: string) =>
  services.orm.em.fork().transactional((em) => holdWithdrawals(em, { userId, now: clock.now(), dueNow: clock.now() }))

const em = () => database.orm.em.fork()
const listed = async (holder: Buyer) => (await holder.browser.call(contract.listWithdrawals, {}))[0]!
const balanceOf = async (holder: Buyer) => formatAmount((await holder.browser.call(getAuthUser, {})).balance.availableXcr)
const cancel = (holder: Buyer, id: string, idempotencyKey?: string) =>
  holder.browser.call(contract.cancelWithdrawal, { params: { id } }, idempotencyKey ? { idempotencyKey } : {})
const statusOf = async (id: string) => (await em().findOneOrFail(Withdrawal, id)).status
const release = ({ server }: Withdrawals) => releaseHolds.run(server.services)

describe('a withdrawal after a change of the account', () => {
  test('is on hold until 24 hours after the change and is then released by the clock', async () => {
    const withdrawals = await start()
    const { clock } = withdrawals.server
    const holder = await openHeld(withdrawals)
    const until = new Date(clock.now().getTime() + DAY)
    clock.advance(HOUR)

    const answer = await withdrawals.ask(holder, '3000')
    expect(answer).toMatchObject({ status: 'manual_review', heldUntil: until, needsReview: false, canCancel: true })
    const [mail] = await mailsTo(database, holder.user.email)
    expect(mail!.text).toContain('on hold')
    expect(mail!.text).not.toContain('review it')

    clock.set(new Date(until.getTime() - 1))
    await release(withdrawals)
    expect(await statusOf(answer.id)).toBe('manual_review')
    clock.set(until)
    await release(withdrawals)
    expect(await listed(holder)).toMatchObject({ status: 'pending', heldUntil: null, needsReview: false, canCancel: true })
    expect(await findDifferences(database.orm)).toEqual([])
  })

  test('stays on hold where the clock of a worker or server is ahead of the database', async () => {
    const withdrawals = await start()
    const holder = await openHeld(withdrawals)
    const { id } = await withdrawals.ask(holder, '3000')
    withdrawals.server.clock.advanceMachine(2 * DAY)

    await release(withdrawals)
    expect(await statusOf(id)).toBe('manual_review')
    const later = await withdrawals.ask(holder, '3000')
    expect(later).toMatchObject({ status: 'manual_review', heldUntil: expect.any(Date) })
  })

  test('stays on hold for a day where the clock of the server that changed the account is behind the database', async () => {
    const withdrawals = await start()
    const { clock } = withdrawals.server
    const holder = await withdrawals.openHolder({ xcr: '1000000' })
    clock.advance(-2 * DAY)
    await hold(withdrawals.server, holder.user.id)
    clock.advance(2 * DAY)

    const { id } = await withdrawals.ask(holder, '3000')
    expect(await statusOf(id)).toBe('manual_review')
    clock.advance(-2 * DAY)
    await hold(withdrawals.server, holder.user.id)
    clock.advance(2 * DAY + HOUR)
    await release(withdrawals)
    expect(await statusOf(id)).toBe('manual_review')
  })

  test('to a wallet that a server whose clock is behind the database has registered is on hold, too', async () => {
    const withdrawals = await start()
    const { clock, services } = withdrawals.server
    const holder = await withdrawals.openHolder({ xcr: '1000000' })
    const address = makeAccount().address.toLowerCase() as Address
    const now = new Date(clock.now().getTime() - 2 * DAY)
    const change = { user: holder.user, address, proven: true, clientAddress: '203.0.113.1', now }
    await em().transactional((em) => setWallet(em, services, change))
    expect((await holder.browser.call(contract.getDailyLimit, {})).heldUntil).toEqual(expect.any(Date))
  })

  test('to a wallet that replaces one registered by a server whose clock was ahead is on hold, too', async () => {
    const withdrawals = await start()
    const { clock, services } = withdrawals.server
    const holder = await makeBuyer(withdrawals.server, { wallet: null })
    const register = (now: Date) => {
      const address = makeAccount().address.toLowerCase() as Address
      const change = { user: holder.user, address, proven: true, clientAddress: '203.0.113.1', now }
      return em().transactional((em) => setWallet(em, services, change))
    }
    await register(new Date(clock.now().getTime() + DAY))
    await register(clock.now())
    expect((await holder.browser.call(contract.getDailyLimit, {})).heldUntil).toEqual(expect.any(Date))
  })

  test('is announced with its hold before it is requested', async () => {
    const withdrawals = await start()
    const { clock, services } = withdrawals.server
    const announced = async ({ browser }: Buyer) => (await browser.call(contract.getDailyLimit, {})).heldUntil
    const holder = await openHeld(withdrawals)
    const held = await withdrawals.ask(holder, '3000')
    expect(held.heldUntil).toEqual(expect.any(Date))
    expect(await announced(holder)).toEqual(held.heldUntil)
    clock.set(held.heldUntil!)
    expect(await announced(holder)).toBeUndefined()

    const address = makeAccount().address.toLowerCase() as Address
    const change = { user: holder.user, address, proven: true, clientAddress: '203.0.113.1', now: clock.now() }
    await em().transactional((em) => setWallet(em, services, change))
    expect(await announced(holder)).toEqual(new Date(clock.now().getTime() + DAY))
  })

  test('is announced with what began its hold last', async () => {
    const withdrawals = await start()
    const { clock, services } = withdrawals.server
    const holder = await withdrawals.openHolder({ xcr: '1000000' })
    const { email } = holder.user
    const cause = async () => (await holder.browser.call(contract.getDailyLimit, {})).holdCause
    const change = (action: AuditAction) =>
      em().transactional(async (em) => {
        await holdWithdrawals(em, { userId: holder.user.id, now: clock.now(), dueNow: clock.now() })
        recordAudit(em, { actor: `user:${email}`, action, target: email })
      })
    expect(await cause()).toBeUndefined()
    await hold(withdrawals.server, holder.user.id)
    expect(await cause(), 'no entry of the log tells').toBeUndefined()
    for (const [action, expected] of [
      ['otp.disable', 'authenticator'],
      ['password.reset', 'password'],
      ['user.password_reset', 'password'],
      ['otp.reset', 'authenticator'],
      ['account.thaw', 'freeze'],
    ] as const) {
      await change(action)
      expect(await cause(), action).toBe(expected)
      clock.advance(MINUTE)
    }

    const address = makeAccount().address.toLowerCase() as Address
    const taken = { user: holder.user, address, proven: true, clientAddress: '203.0.113.1', now: clock.now() }
    await em().transactional((em) => setWallet(em, services, taken))
    expect(await cause()).toBe('wallet')
    clock.advance(DAY)
    expect(await cause()).toBeUndefined()
  })

  test('is listed with its hold for administrators, with who or what ended it', async () => {
    const withdrawals = await start()
    const { server } = withdrawals
    const holder = await openHeld(withdrawals)
    const kept = await withdrawals.ask(holder, '3000')
    const cancelled = await withdrawals.ask(holder, '3001')
    await cancel(holder, cancelled.id)
    server.clock.advance(DAY)
    await release(withdrawals)

    const { browser } = await openAdministrator(server)
    const query = { limit: 10, offset: 0 }
    const { rows } = await browser.call(listPersonHolds, { params: { id: holder.user.id }, query })
    expect(rows.map(({ actor, action, target }) => [actor, action, target])).toEqual([
      ['system', 'withdrawal.release', `withdrawal:${kept.id}`],
      [`user:${holder.user.email}`, 'withdrawal.cancel', `withdrawal:${cancelled.id}`],
      [`user:${holder.user.email}`, 'withdrawal.hold', `withdrawal:${cancelled.id}`],
      [`user:${holder.user.email}`, 'withdrawal.hold', `withdrawal:${kept.id}`],
    ])
  })

  test('above the review limit also waits for a person after its hold', async () => {
    const withdrawals = await start({ PAYOUT_REVIEW_ABOVE: '20000' })
    const { clock } = withdrawals.server
    const holder = await openHeld(withdrawals)
    const { id, ...answer } = await withdrawals.ask(holder, '20000.00000001')
    expect(answer).toMatchObject({ status: 'manual_review', heldUntil: expect.any(Date), needsReview: true })
    const [mail] = await mailsTo(database, holder.user.email)
    expect(mail!.text).toContain('will review it after that')

    clock.advance(2 * DAY)
    await release(withdrawals)
    expect(await statusOf(id)).toBe('manual_review')
  })

  test('is not released by the demo clock', async () => {
    const withdrawals = await start()
    const holder = await openHeld(withdrawals)
    const { id } = await withdrawals.ask(holder, '3000')
    withdrawals.server.clock.advanceProduct(30 * DAY)
    await release(withdrawals)
    expect(await statusOf(id)).toBe('manual_review')
  })

  test('is held again for 24 hours by another change, also when it waits for a person', async () => {
    const withdrawals = await start({ PAYOUT_REVIEW_ABOVE: '20000' })
    const { clock } = withdrawals.server
    const holder = await openHeld(withdrawals)
    const held = await withdrawals.ask(holder, '3000')
    const reviewed = await withdrawals.ask(holder, '30000')
    clock.advance(DAY - MINUTE)
    await hold(withdrawals.server, holder.user.id)
    const until = new Date(clock.now().getTime() + DAY)

    clock.advance(2 * MINUTE)
    await release(withdrawals)
    for (const { id } of [held, reviewed])
      expect(await em().findOneOrFail(Withdrawal, id)).toMatchObject({ status: 'manual_review', heldUntil: until })
    clock.set(until)
    await release(withdrawals)
    expect(await statusOf(held.id)).toBe('pending')
  })

  test('is held again for 24 hours when the wallet is replaced', async () => {
    const withdrawals = await start()
    const { clock, services } = withdrawals.server
    const holder = await openHeld(withdrawals)
    const { id } = await withdrawals.ask(holder, '3000')
    clock.advance(HOUR)
    const address = makeAccount().address.toLowerCase() as Address
    const change = { user: holder.user, address, proven: true, clientAddress: '203.0.113.1', now: clock.now() }
    await em().transactional((em) => setWallet(em, services, change))
    expect(await em().findOneOrFail(Withdrawal, id)).toMatchObject({ heldUntil: new Date(clock.now().getTime() + DAY) })
  })

  test('of another account is not affected', async () => {
    const withdrawals = await start()
    const [holder, other] = [await openHeld(withdrawals), await openHeld(withdrawals)]
    const { id, heldUntil } = await withdrawals.ask(other, '3000')
    withdrawals.server.clock.advance(HOUR)
    await hold(withdrawals.server, holder.user.id)
    expect((await em().findOneOrFail(Withdrawal, id)).heldUntil).toEqual(heldUntil)
  })

  test('requested before holds existed still waits for a person', async () => {
    const withdrawals = await start()
    const holder = await openHeld(withdrawals)
    const { id } = await withdrawals.ask(holder, '3000')
    await sql(em(), 'update withdrawals set held_until = null where id = $1', [id])
    withdrawals.server.clock.advance(2 * DAY)
    await release(withdrawals)
    expect(await listed(holder)).toMatchObject({ status: 'manual_review', heldUntil: null, needsReview: true })
  })
})

describe('the review limit', () => {
  test('counts held withdrawals, which are all paid when the hold ends', async () => {
    const withdrawals = await start({ PAYOUT_REVIEW_ABOVE: '20000' })
    const holder = await openHeld(withdrawals)
    for (const xcr of ['15000', '5000']) expect(await withdrawals.ask(holder, xcr)).toMatchObject({ needsReview: false })
    expect(await withdrawals.ask(holder, '3000')).toMatchObject({ needsReview: true })
  })

  test('counts a held withdrawal until 24 hours after its release', async () => {
    const withdrawals = await start({ PAYOUT_REVIEW_ABOVE: '20000' })
    const { clock } = withdrawals.server
    const holder = await openHeld(withdrawals)
    await withdrawals.ask(holder, '20000')
    clock.advance(DAY)
    await release(withdrawals)
    clock.advance(DAY - 1)
    expect(await withdrawals.ask(holder, '3000')).toMatchObject({ status: 'manual_review', heldUntil: null })
    clock.advance(1)
    expect(await withdrawals.ask(holder, '3000')).toMatchObject({ status: 'pending' })
  })

  test('holds for concurrent withdrawals of two sessions', async () => {
    const withdrawals = await start({ PAYOUT_REVIEW_ABOVE: '20000' })
    const { server } = withdrawals
    for (let round = 0; round < 4; round += 1) {
      const holder = await withdrawals.openHolder({ xcr: '100000' })
      const browser = server.openBrowser()
      const sessionKey = await logIn(server, browser, holder.user)
      const other = { ...holder, browser }
      await holder.grantMark()
      const marks = em()
      marks.create(StepUpMark, { user: holder.user.id, sessionKey, grantedAt: server.clock.now() })
      await marks.flush()
      const signed = await Promise.all([withdrawals.sign(holder, '15000'), withdrawals.sign(holder, '15000')])
      const answers = await Promise.all([withdrawals.send(holder, signed[0]), withdrawals.send(other, signed[1])])
      expect(answers.map(({ status }) => status).toSorted()).toEqual(['manual_review', 'pending'])
    }
  })
})

describe('an administrator who approves', () => {
  test('gives a reason before the end of the hold, and needs none after it', async () => {
    const withdrawals = await start({ PAYOUT_REVIEW_ABOVE: '20000' })
    const { server } = withdrawals
    const holder = await openHeld(withdrawals)
    const [early, late] = [await withdrawals.ask(holder, '3000'), await withdrawals.ask(holder, '30000')]
    const { browser } = await openAdministrator(server)
    const approve = (id: string, notes?: string) =>
      browser.call(admin.approveWithdrawal, { params: { id }, body: notes === undefined ? {} : { notes } })

    await expect(approve(early.id)).rejects.toMatchObject({ status: 400, code: 'reason_required' })
    await expect(approve(early.id, '   ')).rejects.toMatchObject({ status: 400, code: 'reason_required' })
    expect(await statusOf(early.id)).toBe('manual_review')
    await approve(early.id, 'Confirmed by phone.')
    const entry = await em().findOneOrFail(AuditEntry, { action: 'withdrawal.approve', target: `withdrawal:${early.id}` })
    expect(entry.before).toMatchObject({ heldUntil: early.heldUntil!.toISOString() })
    expect(entry.after).toMatchObject({ adminNotes: 'Confirmed by phone.', status: 'pending', heldUntil: null })
    expect(await em().findOneOrFail(Withdrawal, early.id)).toMatchObject({ heldUntil: null })

    server.clock.advance(DAY)
    await approve(late.id)
    expect(await statusOf(late.id)).toBe('pending')
  })
})

describe('cancelling', () => {
  test('refunds a held or pending withdrawal once, and answers a repeated request alike', async () => {
    const withdrawals = await start()
    const holder = await openHeld(withdrawals, '10000')
    const { id } = await withdrawals.ask(holder, '3000')
    const key = crypto.randomUUID()

    const answer = await cancel(holder, id, key)
    expect(answer).toMatchObject({ id, status: 'failed', heldUntil: null, canCancel: false })
    expect(await cancel(holder, id, key)).toEqual(answer)
    await expect(cancel(holder, id)).rejects.toMatchObject({ status: 409, code: 'withdrawal_closed' })

    expect(await balanceOf(holder)).toBe('10000')
    expect(await em().find(LedgerEntry, { cause: `refund:${id}` })).toHaveLength(1)
    expect(await em().findOneOrFail(AuditEntry, { action: 'withdrawal.cancel', target: `withdrawal:${id}` })).toMatchObject({
      actor: `user:${holder.user.email}`,
    })
    const mails = await mailsTo(database, holder.user.email)
    expect(mails.map(({ subject }) => subject)).toContain('Withdrawal cancelled: 3,000 XCR returned')
    withdrawals.server.clock.advance(2 * DAY)
    await release(withdrawals)
    expect(await statusOf(id)).toBe('failed')
    const pending = await withdrawals.ask(holder, '3000')
    expect(pending.status).toBe('pending')
    await cancel(holder, pending.id)
    expect(await balanceOf(holder)).toBe('10000')
    expect(await findDifferences(database.orm)).toEqual([])
  })

  test('is refused for the withdrawal of another account', async () => {
    const withdrawals = await start()
    const [holder, thief] = [await openHeld(withdrawals), await withdrawals.openHolder()]
    const { id } = await withdrawals.ask(holder, '3000')
    await expect(cancel(thief, id)).rejects.toMatchObject({ status: 404 })
    expect(await statusOf(id)).toBe('manual_review')
  })

  test('is refused while the reward chain does not answer', async () => {
    const withdrawals = await start({ XCR_RPC_URLS: 'http://127.0.0.1:1' })
    const holder = await openHeld(withdrawals)
    const { id } = await withdrawals.ask(holder, '3000')
    await expect(cancel(holder, id)).rejects.toMatchObject({ status: 503, code: 'chain_unavailable' })
    expect(await statusOf(id)).toBe('manual_review')
  })
})

const ownerOf = async (manager: EntityManager, id: string): Promise<Owner> => {
  const { email } = await manager.findOneOrFail(User, id)
  return { id, email, language: 'en' }
}

/** Cancels as the route does after its checks of the chain. */
const cancelDirectly = ({ orm, services }: Payouts, { id, user }: Withdrawal) =>
  orm.em
    .fork()
    .transactional(async (em) =>
      cancelWithdrawal(em, services, { id, user: await ownerOf(em, user.id), clientAddress: '127.0.0.1' }),
    )

const closed = { status: 409, code: 'withdrawal_closed' }

describe('with a payout worker', () => {
  const openReleased = (payouts: Payouts) =>
    payouts.open({ reviewReason: 'recent_change', heldUntil: new Date(payouts.clock.now().getTime() - 1) })

  test('a held withdrawal is signed only after its release', async () => {
    const payouts = await startPayouts()
    const { id } = await openReleased(payouts)
    await payouts.tick()
    expect(await payouts.payouts()).toEqual([])
    await releaseHolds.run(payouts.services)
    await payouts.tick()
    await payouts.confirm()
    expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
    expect(await payouts.audit()).toEqual([])
  })

  test('a signed withdrawal cannot be cancelled', async () => {
    const payouts = await startPayouts()
    const withdrawal = await payouts.open()
    await payouts.tick()
    await expect(cancelDirectly(payouts, withdrawal)).rejects.toMatchObject(closed)
    await sql(
      payouts.orm.em.fork(),
      `update withdrawals set status = 'manual_review', review_reason = 'unknown_outcome' where id = $1`,
      [withdrawal.id],
    )
    await expect(cancelDirectly(payouts, withdrawal)).rejects.toMatchObject(closed)
    await payouts.confirm()
    expect(await payouts.balance(withdrawal.user.id)).toBe('0')
    expect(await payouts.transfers()).toHaveLength(1)
  })

  test('a withdrawal cancelled at the moment the worker signs it is paid and not refunded', async () => {
    const payouts = await startPayouts()
    const withdrawal = await payouts.open()
    const outside = AsyncLocalStorage.snapshot()
    let cancelling: Promise<unknown> | undefined
    const worker = payouts.newWorker({
      step: async (step) => {
        if (step !== 'signed' || cancelling) return
        cancelling = outside(() => cancelDirectly(payouts, withdrawal).catch((error: unknown) => error))
        await outside(() => expect.poll(() => countLockWaits(payouts)).toBe(1))
      },
    })
    await worker.tick()
    expect(await cancelling).toMatchObject(closed)
    await payouts.confirm()
    expect(await payouts.withdrawal(withdrawal.id)).toMatchObject({ status: 'completed' })
    expect(await payouts.balance(withdrawal.user.id)).toBe('0')
  })

  test('a withdrawal that is being cancelled is not signed', async () => {
    const payouts = await startPayouts()
    const withdrawal = await payouts.open()
    const outside = AsyncLocalStorage.snapshot()
    await payouts.orm.em.fork().transactional(async (em) => {
      await cancelWithdrawal(em, payouts.services, {
        id: withdrawal.id,
        user: await ownerOf(em, withdrawal.user.id),
        clientAddress: '127.0.0.1',
      })
      await outside(() => payouts.tick())
    })
    await payouts.tick()
    expect(await payouts.payouts()).toEqual([])
    expect(await payouts.balance(withdrawal.user.id)).toBe('3000')
  })

  test('cancel, approve, reject, release and sign at once either pay or refund each withdrawal, once', async () => {
    const payouts = await startPayouts()
    const { orm, services, clock } = payouts
    const opened: Withdrawal[] = []
    for (let index = 0; index < 16; index += 1) opened.push(index % 2 ? await payouts.open() : await openReleased(payouts))
    const decide = (work: Promise<unknown>) =>
      work.then(
        () => 'done',
        (error: { status?: number }) => error.status ?? error,
      )

    const answers = await Promise.all([
      releaseHolds.run(services),
      payouts.tick(),
      ...opened.flatMap((withdrawal) => [
        decide(cancelDirectly(payouts, withdrawal)),
        decide(cancelDirectly(payouts, withdrawal)),
        decide(orm.em.fork().transactional((em) => approveWithdrawal(em, { id: withdrawal.id, now: clock.now() }))),
        decide(orm.em.fork().transactional((em) => rejectWithdrawal(em, services, { id: withdrawal.id, reason: 'No.' }))),
      ]),
      releaseHolds.run(services),
    ])
    expect(answers.filter((answer) => answer !== undefined && answer !== 'done' && answer !== 409)).toEqual([])
    await releaseHolds.run(services)
    for (let look = 0; look < 3; look += 1) {
      await payouts.tick()
      await payouts.confirm()
    }

    const paid = (await payouts.transfers()).map(({ to }) => to)
    for (const { id, toAddress, user } of opened) {
      const isPaid = paid.filter((to) => to === toAddress).length
      expect(isPaid).toBeLessThanOrEqual(1)
      expect((await payouts.withdrawal(id)).status).toBe(isPaid ? 'completed' : 'failed')
      expect(await payouts.balance(user.id)).toBe(isPaid ? '0' : '3000')
    }
    expect(await payouts.audit()).toEqual([])
  })

  test('nothing is cancelled while a wallet that the database does not know yet has sent something', async () => {
    const payouts = await startPayouts()
    const holder = await makeBuyer(payouts.server)
    await giveXcr(payouts.orm, holder.user.id, '3000')
    const { id, toAddress } = await payouts.open({ userId: holder.user.id })
    await payouts.chain.transfer({ from: payouts.key, to: toAddress, amount: 2995n * 10n ** 18n })
    await expect(cancel(holder, id)).rejects.toMatchObject({ status: 409, code: 'payouts_stopped' })
    expect(await payouts.balance(holder.user.id)).toBe('0')
  })

  test('nothing is cancelled while the chain shows a payment that a restored database does not know', async () => {
    const payouts = await startPayouts()
    await payouts.tick()
    const holder = await makeBuyer(payouts.server)
    await giveXcr(payouts.orm, holder.user.id, '3000')
    const { id } = await payouts.open({ userId: holder.user.id, toAddress: makeAccount().address })
    // The state after an older backup was restored, before the worker has looked at the chain.
    const { toAddress } = await payouts.withdrawal(id)
    await payouts.chain.transfer({ from: payouts.key, to: toAddress, amount: 2995n * 10n ** 18n })

    await expect(cancel(holder, id)).rejects.toMatchObject({ status: 409, code: 'payouts_stopped' })
    await payouts.mineLater()
    await payouts.tick()
    expect((await payouts.wallet()).stoppedBecause).not.toBeNull()
    await expect(cancel(holder, id)).rejects.toMatchObject({ status: 409, code: 'payouts_stopped' })
    await expect(cancelDirectly(payouts, await payouts.withdrawal(id))).rejects.toMatchObject({ code: 'payouts_stopped' })
    expect(await payouts.balance(holder.user.id)).toBe('0')
  })

  test('one host alone, which hides a payment that a restored database does not know, lets nothing be cancelled or rejected', async () => {
    const { payouts, first: hiding, second: stopped } = await startPayoutsOnHosts()
    await payouts.tick()
    const [holder, administrator] = [await makeBuyer(payouts.server), await openAdministrator(payouts.server)]
    await giveXcr(payouts.orm, holder.user.id, '6000')
    const [cancelled, rejected] = [
      await payouts.open({ userId: holder.user.id }),
      await payouts.open({ userId: holder.user.id, reviewReason: 'above_limit' }),
    ]
    await payouts.chain.transfer({ from: payouts.key, to: cancelled.toAddress, amount: 2995n * 10n ** 18n })
    hiding.fail(({ method }) => (method === 'eth_getTransactionCount' ? { rewrite: () => '0x0' } : undefined))
    stopped.fail(() => 'drop')

    const unknown = { status: 503, code: 'chain_unavailable' }
    await expect(cancel(holder, cancelled.id)).rejects.toMatchObject(unknown)
    const rejection = { params: { id: rejected.id }, body: { reason: 'No.' } }
    await expect(administrator.browser.call(admin.rejectWithdrawal, rejection)).rejects.toMatchObject(unknown)
    expect(await payouts.balance(holder.user.id)).toBe('0')
    stopped.heal()
    await expect(cancel(holder, cancelled.id)).rejects.toMatchObject({ status: 409, code: 'payouts_stopped' })
  })
})
