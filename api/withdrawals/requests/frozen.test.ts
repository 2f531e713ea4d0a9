import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test } from 'vitest'
import * as admin from '#shared/contract/admin/withdrawals.ts'
import * as contract from '#shared/contract/withdrawals.ts'
import { DAY, MINUTE } from '#shared/dates.ts'
import { freezeAccount } from '#api/accounts/freezes/freezeAccount.ts'
import { thawNow } from '#api/accounts/freezes/thawAccount.ts'
import { StepUpMark } from '#api/entities/StepUpMark.ts'
import { User } from '#api/entities/User.ts'
import { Withdrawal } from '#api/entities/Withdrawal.ts'
import { overdue } from '#api/integrity/checks/overdue.ts'
import { sql } from '#api/platform/db/sql.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { usePaymentChain, useRewardChain } from '#api/testing/chains.ts'
import { useDatabase } from '#api/testing/database.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { startPayouts } from '#api/testing/payouts.ts'
import { type Buyer, logIn } from '#api/testing/people.ts'
import { insertWithdrawal, startWithdrawals, type Withdrawals } from '#api/testing/withdrawals.ts'
import { countLockWaits } from '#api/testing/lockWaits.ts'
import type { Services } from '#api/platform/services.ts'
import { releaseHolds } from './releaseHolds.ts'

const database = useDatabase()
const payments = usePaymentChain()
const rewards = useRewardChain()

const start = (env: Record<string, string> = {}) =>
  startWithdrawals(database, {
    env: { BSC_RPC_URLS: payments.url, XCR_RPC_URLS: rewards.url, XCR_TOKEN_ADDRESS: rewards.token, ...env },
  })

const freeze = ({ orm, ...services }: Services, userId: string) =>
  orm.em.fork().transactional((em) => freezeAccount(em, services, { userId, now: services.clock.now() }))
const thaw = async ({ orm, ...services }: Services, userId: string) =>
  orm.em.fork().transactional(async (em) =>
    thawNow(em, services, {
      user: await em.findOneOrFail(User, userId),
      actor: 'operator:x',
      reason: 'Known.',
      now: services.clock.now(),
    }),
  )
const read = (id: string) => database.orm.em.fork().findOneOrFail(Withdrawal, id)
const release = ({ server }: Withdrawals) => releaseHolds.run(server.services)

/** The holder with a session that the freeze did not end, and a verified code. */
async function comeBack({ server }: Withdrawals, holder: Buyer): Promise<Buyer> {
  const em = database.orm.em.fork()
  const browser = server.openBrowser()
  const sessionKey = await logIn(server, browser, await em.findOneOrFail(User, holder.user.id))
  em.create(StepUpMark, { user: holder.user.id, sessionKey, grantedAt: server.clock.now() })
  await em.flush()
  return { ...holder, browser }
}

test('a withdrawal of a frozen account that is not signed is on hold, however long, and until a day after the thaw', async () => {
  const withdrawals = await start()
  const { server } = withdrawals
  const holder = await withdrawals.openHolder({ xcr: '100000' })
  const { id } = await withdrawals.ask(holder, '3000')
  await freeze(server.services, holder.user.id)
  expect(await read(id)).toMatchObject({ status: 'manual_review', reviewReason: 'recent_change' })
  const [mail] = await mailsTo(database, holder.user.email)
  expect(mail!.text).toContain('Withdrawals that were not signed yet are on hold.')
  expect(mail!.text).toContain(`On hold: 3000 XCR → ${holder.wallet.address.toLowerCase()}`)
  expect(mail!.text).not.toContain('signed already')

  server.clock.advance(30 * DAY)
  await release(withdrawals)
  expect((await read(id)).status).toBe('manual_review')
  const times = { now: server.clock.now(), productNow: server.clock.productNow() }
  expect((await overdue.run(database.orm.em.fork(), times)).filter((text) => text.includes(id))).toEqual([])

  await thaw(server.services, holder.user.id)
  server.clock.advance(DAY - MINUTE)
  await release(withdrawals)
  expect((await read(id)).status).toBe('manual_review')
  server.clock.advance(MINUTE)
  await release(withdrawals)
  expect((await read(id)).status).toBe('pending')
})

test('a withdrawal for which a person decides waits for one after the thaw, and can be cancelled meanwhile', async () => {
  const withdrawals = await start({ PAYOUT_REVIEW_ABOVE: '20000' })
  const { server } = withdrawals
  const holder = await withdrawals.openHolder({ xcr: '100000' })
  const { id } = await withdrawals.ask(holder, '30000')
  const small = await withdrawals.ask(holder, '3000')
  await freeze(server.services, holder.user.id)
  const back = await comeBack(withdrawals, holder)
  expect(await back.browser.call(contract.cancelWithdrawal, { params: { id: small.id } })).toMatchObject({ status: 'failed' })
  await thaw(server.services, holder.user.id)
  server.clock.advance(2 * DAY)
  await release(withdrawals)
  expect(await read(id)).toMatchObject({ status: 'manual_review', reviewReason: 'above_limit' })
})

test('a new withdrawal is refused while the account is frozen, and on hold for a day after the thaw', async () => {
  const withdrawals = await start()
  const { server } = withdrawals
  const holder = await withdrawals.openHolder({ xcr: '100000' })
  await freeze(server.services, holder.user.id)
  const back = await comeBack(withdrawals, holder)
  const ask = async () => withdrawals.send(back, await withdrawals.sign(back, '3000'))
  await expect(ask()).rejects.toMatchObject({ status: 409, code: 'account_frozen' })
  await thaw(server.services, holder.user.id)
  const heldUntil = new Date(server.clock.now().getTime() + DAY)
  expect(await ask()).toMatchObject({ status: 'manual_review', heldUntil, needsReview: false })
})

test('an administrator cannot approve an unsigned withdrawal of a frozen account, and can reject it', async () => {
  const withdrawals = await start()
  const { server } = withdrawals
  const holder = await withdrawals.openHolder({ xcr: '100000' })
  const { id } = await withdrawals.ask(holder, '3000')
  await freeze(server.services, holder.user.id)
  const { browser } = await openAdministrator(server)
  const approve = () => browser.call(admin.approveWithdrawal, { params: { id }, body: { notes: 'The owner called.' } })
  await expect(approve()).rejects.toMatchObject({ status: 409, code: 'account_frozen' })
  const thawsAt = new Date(server.clock.now().getTime() + MINUTE)
  await sql(database.orm.em.fork(), 'update users set thaws_at = $2 where id = $1', [holder.user.id, thawsAt])
  await expect(approve(), 'while a thaw is planned').rejects.toMatchObject({ code: 'account_frozen' })
  expect((await read(id)).status).toBe('manual_review')
  await browser.call(admin.rejectWithdrawal, { params: { id }, body: { reason: 'The owner called.' } })
  expect((await read(id)).status).toBe('failed')
})

test('a withdrawal from before holds existed still waits for a person after a freeze', async () => {
  const withdrawals = await start()
  const { services } = withdrawals.server
  const holder = await withdrawals.openHolder()
  const { id } = await insertWithdrawal(services.orm, { userId: holder.user.id, reviewReason: 'recent_change' })
  await freeze(services, holder.user.id)
  expect(await read(id)).toMatchObject({ status: 'manual_review', heldUntil: null })
})

test('a freeze during the signing waits for it: the withdrawal is paid, and the mail says so', async () => {
  const payouts = await startPayouts()
  const withdrawal = await payouts.open()
  const { id: userId } = withdrawal.user
  await giveXcr(payouts.orm, userId, '3000')
  const later = await payouts.open({ userId: userId, reviewReason: 'above_limit' })
  const outside = AsyncLocalStorage.snapshot()
  let freezing: Promise<unknown> | undefined
  const worker = payouts.newWorker({
    step: async (step) => {
      if (step !== 'signed' || freezing) return
      freezing = outside(() => freeze(payouts.services, userId))
      await outside(() => expect.poll(() => countLockWaits(payouts)).toBe(1))
    },
  })
  await worker.tick()
  expect(await freezing).toMatchObject({ signed: [{ toAddress: withdrawal.toAddress }] })
  const { email } = await payouts.orm.em.fork().findOneOrFail(User, userId)
  const [mail] = await mailsTo(payouts.database, email)
  expect(mail!.text).toContain('Withdrawals that were signed already can no longer be stopped.')
  expect(mail!.text).toContain(`Signed already: 3000 XCR → ${withdrawal.toAddress}`)
  expect(mail!.text).toContain(`On hold: 3000 XCR → ${later.toAddress}`)
  await payouts.confirm()
  expect(await payouts.withdrawal(withdrawal.id)).toMatchObject({ status: 'completed' })
  expect(await payouts.withdrawal(later.id)).toMatchObject({ status: 'manual_review', reviewReason: 'above_limit' })
  expect(await payouts.audit()).toEqual([])
})

test('a withdrawal that is being frozen, or is frozen, is not signed', async () => {
  const payouts = await startPayouts()
  const withdrawal = await payouts.open()
  const outside = AsyncLocalStorage.snapshot()
  await payouts.orm.em.fork().transactional(async (em) => {
    await freezeAccount(em, payouts.services, { userId: withdrawal.user.id, now: payouts.clock.now() })
    await outside(() => payouts.tick())
  })
  await payouts.tick()
  expect(await payouts.payouts()).toEqual([])
  expect(await payouts.audit()).toEqual([])
})

test('freezes, releases and signing at once leave each withdrawal either signed or on hold', async () => {
  const payouts = await startPayouts()
  const opened: Withdrawal[] = []
  for (let index = 0; index < 12; index += 1)
    opened.push(
      await payouts.open(
        index % 2 ? {} : { reviewReason: 'recent_change', heldUntil: new Date(payouts.clock.now().getTime() - 1) },
      ),
    )
  await Promise.all([
    releaseHolds.run(payouts.services),
    payouts.tick(),
    ...opened.map(({ user }) => freeze(payouts.services, user.id)),
    releaseHolds.run(payouts.services),
  ])
  await releaseHolds.run(payouts.services)
  await payouts.tick()
  await payouts.confirm()
  const paid = new Set((await payouts.transfers()).map(({ to }) => to))
  for (const { id, toAddress } of opened)
    expect((await payouts.withdrawal(id)).status).toBe(paid.has(toAddress) ? 'completed' : 'manual_review')
  expect(await payouts.audit()).toEqual([])
})
