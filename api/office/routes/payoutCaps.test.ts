import { expect, test } from 'vitest'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import { changePayoutCap, getPayoutCaps } from '#shared/contract/admin/office.ts'
import { ADMIN_EVENTS_PATH } from '#shared/contract/events.ts'
import { listSystemSettings } from '#shared/contract/settings.ts'
import { listWithdrawals } from '#shared/contract/withdrawals.ts'
import { HOUR } from '#shared/dates.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { sql } from '#api/platform/db/sql.ts'
import { publishChanges } from '#api/platform/events/runNotifier.ts'
import { openAdministrator } from '#api/testing/administrators.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { listenToEvents } from '#api/testing/listenToEvents.ts'
import { type Payouts, startPayouts } from '#api/testing/payouts.ts'
import { makeBuyer } from '#api/testing/people.ts'
import { countLockWaits } from '#api/testing/lockWaits.ts'
import { lockWallet } from '#api/withdrawals/payoutWallets/lockWallet.ts'

/** A payout wallet and an administrator. */
async function start(env: Record<string, string> = {}) {
  const payouts = await startPayouts({ env })
  const { browser, username } = await openAdministrator(payouts.server)
  const change = (period: 'hour' | 'day', cap: string | null) =>
    browser.call(changePayoutCap, { body: { period, cap: cap === null ? null : parseAmount(cap)! } })
  return { payouts, browser, username, change, read: () => browser.call(getPayoutCaps, {}) }
}
async function openMany(payouts: Payouts, count: number) {
  for (let index = 0; index < count; index += 1) {
    payouts.clock.advance(1)
    await payouts.open({ amount: '3000', fee: '0' })
  }
}
async function countPaid(payouts: Payouts) {
  for (let round = 0; round < 2; round += 1) {
    await payouts.tick()
    await payouts.confirm()
  }
  return (await payouts.transfers()).length
}

test('a cap of the panel below the environment’s counts at once, and without it the environment’s again', async () => {
  const { payouts, change, read } = await start({ PAYOUT_CAP_HOUR: '9000' })
  await openMany(payouts, 5)
  await change('hour', '3000')
  expect(await countPaid(payouts)).toBe(1)
  expect((await read()).hour).toEqual({
    environment: parseAmount('9000'),
    panel: parseAmount('3000'),
    signed: parseAmount('3000'),
  })
  await change('hour', '9000')
  expect(await countPaid(payouts)).toBe(3)
  await change('hour', null)
  expect(await countPaid(payouts)).toBe(3)
  payouts.clock.advance(HOUR)
  expect(await countPaid(payouts)).toBe(5)
  expect(await payouts.audit()).toEqual([])
})

test('open pages of the back office hear of a cap, so that nobody goes on with one that no longer holds', async () => {
  const { payouts, browser, change } = await start()
  await publishChanges(payouts.orm)
  const stream = await listenToEvents(payouts.server, browser, ADMIN_EVENTS_PATH)
  await change('hour', '0')
  await publishChanges(payouts.orm)
  expect(await stream.hear()).toContain(getPayoutCaps.path)
  stream.leave()
})

test('0 stops payouts; owners see at once that theirs waits; nothing is lost', async () => {
  const { payouts, change } = await start()
  const { browser, user } = await makeBuyer(payouts.server)
  await openMany(payouts, 1)
  await giveXcr(payouts.orm, user.id, '3000')
  await payouts.open({ userId: user.id, amount: '3000', fee: '0' })
  const shown = () => browser.call(listWithdrawals, {})
  expect(await shown()).toMatchObject([{ status: 'pending', isCapped: false }])
  await change('day', '0')
  expect(await shown()).toMatchObject([{ status: 'pending', isCapped: true }])
  expect(await countPaid(payouts)).toBe(0)
  await change('day', null)
  expect(await countPaid(payouts)).toBe(2)
})

test('a cap above the environment’s is refused; where the environment has none, the panel may set any', async () => {
  const { change, read } = await start({ PAYOUT_CAP_HOUR: '9000' })
  await expect(change('hour', '9000.00000001')).rejects.toMatchObject({
    status: 400,
    serverMessage: 'The environment allows at most 9000 XCR.',
  })
  expect((await read()).hour.panel).toBeNull()
  await change('day', '1000000')
  expect((await read()).day).toEqual({ environment: null, panel: parseAmount('1000000'), signed: 0n })
})

test('a cap of the environment that was lowered below the panel’s counts', async () => {
  const { payouts } = await start({ PAYOUT_CAP_HOUR: '3000' })
  await sql(payouts.orm.em.fork(), `update installation set payout_cap_hour = 9000 * 1e18`)
  await openMany(payouts, 2)
  expect(await countPaid(payouts)).toBe(1)
})

test('a change waits for what is being signed under the cap before', async () => {
  const { payouts, change, read } = await start()
  await payouts.tick()
  let isAnswered = false
  let changing: Promise<unknown> | undefined
  await payouts.orm.em.fork().transactional(async (em) => {
    await lockWallet(em, payouts.account.address)
    changing = change('hour', '0').then(() => (isAnswered = true))
    await expect.poll(() => countLockWaits(payouts)).toBe(1)
    expect(isAnswered).toBe(false)
  })
  await changing
  expect((await read()).hour.panel).toBe(0n)
})

test('each change is audited with the cap before and after, and the same one is none', async () => {
  const { payouts, change, username } = await start()
  await change('hour', '6000')
  await change('hour', '6000')
  await change('hour', '5000.5')
  await change('hour', null)
  const entries = await payouts.orm.em.fork().find(AuditEntry, { action: 'payouts.cap' }, { orderBy: { id: 'asc' } })
  expect(entries.map(({ before, after }) => [before, after])).toEqual([
    [{ cap: null }, { cap: '6000' }],
    [{ cap: '6000' }, { cap: '5000.5' }],
    [{ cap: '5000.5' }, { cap: null }],
  ])
  expect(entries[0]).toMatchObject({ actor: `admin:${username}`, target: 'hour', ipAddress: '127.0.0.1' })
})

test('visitors do not read the caps', async () => {
  const { payouts, change } = await start({ PAYOUT_CAP_HOUR: '9000' })
  await change('hour', '4321')
  const visitor = payouts.server.openBrowser()
  await expect(visitor.call(getPayoutCaps, {})).rejects.toMatchObject({ status: 401 })
  const settings = await visitor.call(listSystemSettings, {})
  expect(settings.filter(({ key, value }) => key.includes('cap') || value.includes(formatAmount(parseAmount('4321')!)))).toEqual(
    [],
  )
})
