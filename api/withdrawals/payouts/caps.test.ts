import { expect, test } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import { DAY, HOUR, MINUTE, SECOND } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { listWithdrawals } from '../requests/listWithdrawals.ts'
import { makeAccount } from '#api/testing/chains.ts'
import { changePayoutKey } from '#api/testing/changePayoutKey.ts'
import { mailsTo } from '#api/testing/mails.ts'
import { type Payouts, startPayouts } from '#api/testing/payouts.ts'

/** Opens withdrawals of 3,000 XCR net each, a second apart. */
async function openMany(payouts: Payouts, count: number, amount = '3000') {
  const opened = []
  for (let index = 0; index < count; index += 1) {
    payouts.clock.advance(SECOND)
    opened.push(await payouts.open({ amount, fee: '0' }))
  }
  return opened
}
const paidTo = async (payouts: Payouts) => (await payouts.transfers()).map(({ to }) => to)
/** Works until nothing is signed any more. */
async function work(payouts: Payouts) {
  for (let round = 0; round < 2; round += 1) {
    await payouts.tick()
    await payouts.confirm()
  }
}
const alertsOfCaps = ({ alerts }: Payouts) => alerts.filter((alert) => alert.includes('reach their cap'))

test('a hundred emptied accounts stop at the cap; the others wait in order and none is lost', async () => {
  const payouts = await startPayouts({ env: { PAYOUT_CAP_HOUR: '60000', PAYOUT_CAP_DAY: '120000', PAYOUTS_IN_FLIGHT: '500' } })
  const opened = await openMany(payouts, 100)
  const inOrder = opened.map(({ toAddress }) => toAddress)

  await work(payouts)
  expect(await paidTo(payouts)).toEqual(inOrder.slice(0, 20))
  expect(alertsOfCaps(payouts)).toHaveLength(1)
  const mails = await mailsTo(payouts.database, payouts.services.config.SUPPORT_EMAIL)
  expect(mails.filter(({ text }) => text.includes('reach their cap'))).toHaveLength(1)

  payouts.clock.advance(HOUR)
  await work(payouts)
  expect(await paidTo(payouts)).toEqual(inOrder.slice(0, 40))
  payouts.clock.advance(HOUR)
  await work(payouts)
  expect(await paidTo(payouts), 'the cap of the day').toEqual(inOrder.slice(0, 40))
  expect(alertsOfCaps(payouts), 'it is the same situation').toHaveLength(1)

  for (const pause of [DAY, HOUR, DAY]) {
    payouts.clock.advance(pause)
    await work(payouts)
  }
  expect(await paidTo(payouts)).toEqual(inOrder)
  for (const { id } of opened) expect(await payouts.withdrawal(id)).toMatchObject({ status: 'completed' })
  expect(await payouts.audit()).toEqual([])
})

test('two workers at once do not exceed the cap', async () => {
  const payouts = await startPayouts({ env: { PAYOUT_CAP_HOUR: '15000' } })
  await openMany(payouts, 12)
  const workers = [payouts.newWorker(), payouts.newWorker(), payouts.newWorker()]
  await Promise.all(workers.map((worker) => worker.tick()))
  await work(payouts)
  expect(await paidTo(payouts)).toHaveLength(5)
  expect(await payouts.audit()).toEqual([])
})

test('a restarted worker neither exceeds the cap nor alerts again', async () => {
  const payouts = await startPayouts({ env: { PAYOUT_CAP_HOUR: '6000' } })
  await openMany(payouts, 3)
  await work(payouts)
  await payouts.newWorker().tick()
  await work(payouts)
  expect(await paidTo(payouts)).toHaveLength(2)
  expect(alertsOfCaps(payouts)).toHaveLength(1)
})

test('the period moves with the clock: what was signed an hour ago no longer counts', async () => {
  const payouts = await startPayouts({ env: { PAYOUT_CAP_HOUR: '6000' } })
  await openMany(payouts, 1)
  await work(payouts)
  payouts.clock.advance(HOUR - MINUTE)
  await openMany(payouts, 2)
  await work(payouts)
  expect(await paidTo(payouts)).toHaveLength(2)
  payouts.clock.advance(MINUTE)
  await work(payouts)
  expect(await paidTo(payouts)).toHaveLength(3)
})

test('what reaches the cap exactly is paid at once, and counts until exactly an hour later', async () => {
  const payouts = await startPayouts({ env: { PAYOUT_CAP_HOUR: '3000' } })
  await openMany(payouts, 1)
  await work(payouts)
  expect(payouts.alerts).toEqual([])
  await openMany(payouts, 1)
  payouts.clock.advance(HOUR - SECOND - 1)
  await work(payouts)
  expect(await paidTo(payouts)).toHaveLength(1)
  payouts.clock.advance(1)
  await work(payouts)
  expect(await paidTo(payouts)).toHaveLength(2)
})

test('the demo clock does not move the period', async () => {
  const payouts = await startPayouts({ env: { PAYOUT_CAP_DAY: '3000' } })
  await openMany(payouts, 2)
  await work(payouts)
  payouts.clock.advanceProduct(30 * DAY)
  await work(payouts)
  expect(await paidTo(payouts)).toHaveLength(1)
})

test('a worker whose clock is ahead of the database does not end the period', async () => {
  const payouts = await startPayouts({ env: { PAYOUT_CAP_DAY: '3000' } })
  await openMany(payouts, 2)
  await work(payouts)
  payouts.clock.advanceMachine(2 * DAY)
  await work(payouts)
  expect(await paidTo(payouts)).toHaveLength(1)
})

test('what a worker whose clock is behind the database has signed counts, too', async () => {
  const payouts = await startPayouts({ env: { PAYOUT_CAP_DAY: '3000' } })
  await openMany(payouts, 2)
  payouts.clock.advance(-2 * DAY)
  await work(payouts)
  payouts.clock.advance(2 * DAY)
  await work(payouts)
  expect(await paidTo(payouts)).toHaveLength(1)
})

test('replacements of a stuck payout count once', async () => {
  const payouts = await startPayouts({ env: { PAYOUT_CAP_HOUR: '6000' } })
  await openMany(payouts, 1)
  await payouts.tick()
  payouts.clock.advance(MINUTE)
  await payouts.tick()
  expect((await payouts.payouts())[0]!.attempts).toHaveLength(2)
  await openMany(payouts, 1)
  await work(payouts)
  expect(await paidTo(payouts)).toHaveLength(2)
})

test('a payout whose outcome is unknown counts, because it may have been paid', async () => {
  const payouts = await startPayouts({ env: { PAYOUT_CAP_HOUR: '6000' } })
  await openMany(payouts, 1)
  await payouts.tick()
  await sql(payouts.orm.em.fork(), `update payouts set state = 'lost', settled_at = now()`)

  await openMany(payouts, 2)
  await work(payouts)

  expect(await payouts.payouts()).toHaveLength(2)
})

test('a withdrawal above the cap waits without blocking the others, and the operator is told once', async () => {
  const payouts = await startPayouts({ env: { PAYOUT_CAP_HOUR: '5000' } })
  const [large] = await openMany(payouts, 1, '5000.00000001')
  const [small] = await openMany(payouts, 1)
  await work(payouts)
  expect(await paidTo(payouts)).toEqual([small!.toAddress])
  expect(await payouts.withdrawal(large!.id)).toMatchObject({ status: 'pending' })
  expect(payouts.alerts.filter((alert) => alert.includes('larger than the cap'))).toEqual([expect.stringContaining(large!.id)])
})

test('the operator is told at once of another withdrawal above the cap when there was none in between', async () => {
  const payouts = await startPayouts({ env: { PAYOUT_CAP_DAY: '3000' } })
  const first = await payouts.open({ amount: '4000' })
  await payouts.tick()
  await sql(
    payouts.orm.em.fork(),
    `update withdrawals set status = 'manual_review', review_reason = 'above_limit' where id = $1`,
    [first.id],
  )
  await payouts.tick()
  const second = await payouts.open({ amount: '5000' })
  await payouts.tick()
  expect(payouts.alerts).toEqual([expect.stringContaining(first.id), expect.stringContaining(second.id)])
})

test('owners see that their withdrawal waits for the cap, until it is sent', async () => {
  const payouts = await startPayouts({ env: { PAYOUT_CAP_HOUR: '3000' } })
  const [first, second] = await openMany(payouts, 2)
  const shown = async ({ user }: typeof first & object) => (await listWithdrawals(payouts.orm.em.fork(), { userId: user.id }))[0]!
  await work(payouts)
  expect(await shown(first!)).toMatchObject({ status: 'completed', isCapped: false })
  expect(await shown(second!)).toMatchObject({ status: 'pending', isCapped: true, canCancel: true })
  const keys = await sql<{ user_id: string }>(
    payouts.orm.em.fork(),
    'select distinct user_id from change_events where user_id = $1',
    [second!.user.id],
  )
  expect(keys).toHaveLength(1)
  payouts.clock.advance(HOUR)
  await work(payouts)
  expect(await shown(second!)).toMatchObject({ status: 'completed', isCapped: false })
  const [wallet] = await sql<{ capped_since: Date | null }>(payouts.orm.em.fork(), 'select capped_since from payout_wallets')
  expect(wallet!.capped_since).toBeNull()
})

const isCapped = async ({ orm }: Payouts) =>
  (await sql(orm.em.fork(), 'select from payout_wallets where capped_since is not null')).length > 0

test('a wallet whose key is changed while payouts wait for the cap no longer counts as one that waits', async () => {
  const payouts = await startPayouts({ env: { PAYOUT_CAP_HOUR: '3000' } })
  const [, second] = await openMany(payouts, 2)
  await work(payouts)
  expect(await isCapped(payouts)).toBe(true)

  const worker = await changePayoutKey(payouts)
  await worker.tick()
  expect(await isCapped(payouts)).toBe(true)
  expect(alertsOfCaps(payouts), 'it is the same situation').toHaveLength(1)
  payouts.clock.advance(HOUR)
  for (let round = 0; round < 2; round += 1) {
    await worker.tick()
    await payouts.chain.mine(payouts.confirmations)
  }
  await worker.tick()
  expect(await payouts.withdrawal(second!.id)).toMatchObject({ status: 'completed' })
  expect(await isCapped(payouts)).toBe(false)
})

test('a cap of 0 makes every withdrawal wait, and owners and operator are told once', async () => {
  const payouts = await startPayouts({ env: { PAYOUT_CAP_HOUR: '0' } })
  await payouts.tick()
  expect(await isCapped(payouts), 'nothing waits').toBe(false)
  await openMany(payouts, 2)
  await payouts.tick()
  expect(await isCapped(payouts)).toBe(true)
  expect(payouts.alerts).toEqual([expect.stringContaining('0 of 0 XCR in the last hour')])
})

test('a cap below what is already signed makes nothing wait while nothing is due', async () => {
  const payouts = await startPayouts()
  await openMany(payouts, 1)
  await work(payouts)
  await sql(payouts.orm.em.fork(), 'update installation set payout_cap_hour = 2000 * 1e18')
  await payouts.tick()
  expect(await isCapped(payouts)).toBe(false)
  expect(alertsOfCaps(payouts)).toEqual([])
})

test('the owner of a withdrawal above the cap sees that it waits for it', async () => {
  const payouts = await startPayouts({ env: { PAYOUT_CAP_HOUR: '5000' } })
  const [large] = await openMany(payouts, 1, '5000.00000001')
  const [small] = await openMany(payouts, 1)
  await payouts.tick()
  expect(await isCapped(payouts), 'all that fits is sent').toBe(false)
  const shown = (userId: string) => listWithdrawals(payouts.orm.em.fork(), { userId, largest: parseAmount('5000') })
  expect(await shown(large!.user.id)).toMatchObject([{ status: 'pending', isCapped: true }])
  expect(await shown(small!.user.id)).toMatchObject([{ status: 'processing', isCapped: false }])
})

test('the sweep of fees counts towards the cap and waits for it', async () => {
  const payouts = await startPayouts({ env: { PAYOUT_CAP_HOUR: '3000' } })
  await payouts.open({ amount: '3005', fee: '5' })
  await work(payouts)
  const recipient = makeAccount().address
  await payouts.collectFees(recipient)
  await work(payouts)
  expect(await paidTo(payouts)).toHaveLength(1)
  payouts.clock.advance(HOUR)
  await work(payouts)
  expect(await payouts.held(recipient)).toBe('5')
})

test('fees above the cap are not swept, and the operator is told once, until the cap is raised', async () => {
  const payouts = await startPayouts()
  const setCap = (cap: string | null) =>
    sql(payouts.orm.em.fork(), 'update installation set payout_cap_day = $1::numeric * 1e18', [cap])
  const alertsOfFees = () => payouts.alerts.filter((alert) => alert.startsWith('Fees of'))
  await payouts.open({ amount: '9000', fee: '6000' })
  await work(payouts)
  const recipient = makeAccount().address
  await payouts.collectFees(recipient)

  await setCap('0')
  await work(payouts)
  expect(alertsOfFees(), 'a cap of 0 stops everything').toEqual([])
  await setCap('5000')
  await work(payouts)
  payouts.clock.advance(DAY)
  await work(payouts)
  expect(await payouts.held(recipient)).toBe('0')
  expect(alertsOfFees()).toEqual([expect.stringContaining('6000 XCR')])
  const mails = await mailsTo(payouts.database, payouts.services.config.SUPPORT_EMAIL)
  expect(mails.filter(({ text }) => text.includes('Fees of'))).toHaveLength(1)

  await setCap('6000')
  await work(payouts)
  expect(await payouts.held(recipient)).toBe('6000')
  expect(payouts.alerts).toHaveLength(1)
})
