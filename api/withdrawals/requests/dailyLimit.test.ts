import { expect, test } from 'vitest'
import { parseAmount } from '#shared/amount.ts'
import * as contract from '#shared/contract/withdrawals.ts'
import { DAY, HOUR } from '#shared/dates.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { InboxMessage } from '#api/entities/InboxMessage.ts'
import { useRewardChain, usePaymentChain } from '#api/testing/chains.ts'
import { useDatabase } from '#api/testing/database.ts'
import { findDifferences } from '#api/testing/findDifferences.ts'
import { mailsTo } from '#api/testing/mails.ts'
import type { Buyer } from '#api/testing/people.ts'
import { sql } from '#api/platform/db/sql.ts'
import { insertWithdrawal, startWithdrawals } from '#api/testing/withdrawals.ts'
import { countLockWaits } from '#api/testing/lockWaits.ts'
import { changeDailyLimit } from './changeDailyLimit.ts'

const database = useDatabase()
const payments = usePaymentChain()
const rewards = useRewardChain()

const start = () =>
  startWithdrawals(database, {
    env: { BSC_RPC_URLS: payments.url, XCR_RPC_URLS: rewards.url, XCR_TOKEN_ADDRESS: rewards.token },
  })
const xcr = (text: string) => parseAmount(text)!
const read = ({ browser }: Pick<Buyer, 'browser'>) => browser.call(contract.getDailyLimit, {})
const change = ({ browser }: Pick<Buyer, 'browser'>, limit: string | null) =>
  browser.call(contract.changeDailyLimit, { body: { limit: limit === null ? null : xcr(limit) } })
/** Raises or removes the limit with a code. */
async function raise(holder: Buyer, limit: string | null) {
  await holder.grantMark()
  return change(holder, limit)
}
const subjects = async (holder: Buyer) => (await mailsTo(database, holder.user.email)).map(({ subject }) => subject)
const above = { status: 409, code: 'withdrawal_daily_limit' }

test('without a limit nothing is refused; the first one counts at once, without a code', async () => {
  const withdrawals = await start()
  const holder = await withdrawals.openHolder({ xcr: '100000' })
  expect(await read(holder)).toEqual({ limit: null, left: null, growsAt: null, next: null })
  await withdrawals.ask(holder, '4000')
  const growsAt = new Date(withdrawals.server.clock.now().getTime() + DAY)

  expect(await change(holder, '8000')).toEqual({ limit: xcr('8000'), left: xcr('4000'), growsAt, next: null })
  await expect(withdrawals.ask(holder, '4000.00000001')).rejects.toMatchObject({
    ...above,
    details: { limit: '8000', left: '4000', growsAt: growsAt.toISOString() },
  })
  await withdrawals.ask(holder, '4000')
  expect(await read(holder)).toMatchObject({ left: 0n })
  expect(await findDifferences(database.orm)).toEqual([])
})

test('a request counts for 24 hours in real time, and a refunded one not at all', async () => {
  const withdrawals = await start()
  const { clock } = withdrawals.server
  const holder = await withdrawals.openHolder({ xcr: '100000' })
  await change(holder, '6000')
  clock.advanceProduct(DAY)
  const { id } = await withdrawals.ask(holder, '3000')
  await withdrawals.ask(holder, '3000')
  clock.advanceProduct(3 * DAY)
  await expect(withdrawals.ask(holder, '3000')).rejects.toMatchObject(above)

  await holder.browser.call(contract.cancelWithdrawal, { params: { id } })
  clock.advance(HOUR)
  await withdrawals.ask(holder, '3000')
  clock.advance(DAY - HOUR - 1)
  await expect(withdrawals.ask(holder, '3000')).rejects.toMatchObject(above)
  clock.advance(1)
  await withdrawals.ask(holder, '3000')
})

test('a server whose clock is ahead of the database counts the last 24 hours, too', async () => {
  const withdrawals = await start()
  const holder = await withdrawals.openHolder({ xcr: '100000' })
  await change(holder, '3000')
  await withdrawals.ask(holder, '3000')
  withdrawals.server.clock.advanceMachine(2 * DAY)
  await expect(withdrawals.ask(holder, '3000')).rejects.toMatchObject(above)
})

test('what was requested at a server whose clock is behind the database counts, too', async () => {
  const withdrawals = await start()
  const { clock } = withdrawals.server
  const holder = await withdrawals.openHolder({ xcr: '100000' })
  await change(holder, '3000')
  clock.advance(-2 * DAY)
  await withdrawals.ask(holder, '3000')
  clock.advance(2 * DAY)
  await expect(withdrawals.ask(holder, '3000')).rejects.toMatchObject(above)
})

test('a server whose clock is ahead of the database ends no wait for a raise, also not by a lower one', async () => {
  const withdrawals = await start()
  const holder = await withdrawals.openHolder({ xcr: '100000' })
  await change(holder, '3000')
  await raise(holder, null)
  withdrawals.server.clock.advanceMachine(2 * DAY)
  expect(await read(holder)).toMatchObject({ limit: xcr('3000'), next: { limit: null } })
  expect(await raise(holder, '50000')).toMatchObject({ limit: xcr('3000') })
  await expect(withdrawals.ask(holder, '4000')).rejects.toMatchObject(above)
})

test('a server whose clock is behind the database lets a raise wait for 24 hours, too', async () => {
  const withdrawals = await start()
  const { clock } = withdrawals.server
  const holder = await withdrawals.openHolder({ xcr: '100000' })
  await change(holder, '3000')
  await holder.grantMark()
  const { id, email, language } = holder.user
  const [mark] = await sql<{ key: string }>(
    database.orm.em.fork(),
    'select session_key as key from step_up_marks where user_id = $1',
    [id],
  )
  await database.orm.em.fork().transactional((em) =>
    changeDailyLimit(em, withdrawals.server.services, {
      user: { id, email, language },
      sessionKey: mark!.key,
      limit: null,
      clientAddress: '203.0.113.7',
      now: new Date(clock.now().getTime() - 2 * DAY),
    }),
  )
  await expect(withdrawals.ask(holder, '4000')).rejects.toMatchObject(above)
})

test('a request that waits for another one counts it', async () => {
  const withdrawals = await start()
  const holder = await withdrawals.openHolder({ xcr: '100000' })
  await change(holder, '5000')
  await holder.grantMark()
  const signed = await withdrawals.sign(holder, '3000')
  let second: Promise<unknown> | undefined
  await database.orm.em.fork().transactional(async (em) => {
    await sql(em, 'select from users where id = $1 for no key update', [holder.user.id])
    second = withdrawals.send(holder, signed).catch((error: unknown) => error)
    await expect.poll(() => countLockWaits(database)).toBe(1)
    await insertWithdrawal(database.orm, { userId: holder.user.id, now: withdrawals.server.clock.now() })
  })
  expect(await second).toMatchObject({ ...above, details: { left: '2000' } })
})

test('a request that waits for the limit to be lowered obeys it', async () => {
  const withdrawals = await start()
  const holder = await withdrawals.openHolder({ xcr: '100000' })
  await holder.grantMark()
  const signed = await withdrawals.sign(holder, '3000')
  let request: Promise<unknown> | undefined
  await database.orm.em.fork().transactional(async (em) => {
    const { services, clock } = withdrawals.server
    const { id, email, language } = holder.user
    await changeDailyLimit(em, services, {
      user: { id, email, language },
      sessionKey: 'none',
      limit: 0n,
      clientAddress: '203.0.113.7',
      now: clock.now(),
    })
    await em.flush()
    request = withdrawals.send(holder, signed).catch((error: unknown) => error)
    await expect.poll(() => countLockWaits(database)).toBe(1)
  })
  expect(await request).toMatchObject(above)
})

test('a raise needs a code and counts after 24 hours, in real time and without a job', async () => {
  const withdrawals = await start()
  const { clock } = withdrawals.server
  const holder = await withdrawals.openHolder({ xcr: '100000' })
  await change(holder, '3000')
  await expect(change(holder, '9000')).rejects.toMatchObject({ status: 403, code: 'otp_required' })
  await expect(change(holder, null)).rejects.toMatchObject({ status: 403, code: 'otp_required' })
  const from = new Date(clock.now().getTime() + DAY)
  expect(await raise(holder, '9000')).toMatchObject({ limit: xcr('3000'), next: { limit: xcr('9000'), from } })

  clock.advanceProduct(3 * DAY)
  clock.set(new Date(from.getTime() - 1))
  await expect(withdrawals.ask(holder, '3000.00000001')).rejects.toMatchObject(above)
  clock.set(from)
  expect(await read(holder)).toEqual({ limit: xcr('9000'), left: xcr('9000'), growsAt: null, next: null })
  await withdrawals.ask(holder, '9000')
})

test('a removal counts after 24 hours, too; the same call again neither delays it nor is told again', async () => {
  const withdrawals = await start()
  const { clock } = withdrawals.server
  const holder = await withdrawals.openHolder({ xcr: '100000' })
  await change(holder, '0')
  await expect(withdrawals.ask(holder, '3000')).rejects.toMatchObject(above)
  const first = await raise(holder, null)
  clock.advance(HOUR)
  expect(await change(holder, null)).toEqual(first)
  expect((await subjects(holder)).filter((subject) => subject.includes('will be removed'))).toHaveLength(1)
  clock.advance(DAY - HOUR)
  expect(await read(holder)).toEqual({ limit: null, left: null, growsAt: null, next: null })
  await withdrawals.ask(holder, '50000')
})

test('a higher raise starts its 24 hours anew, so that a small one does not carry a large one', async () => {
  const withdrawals = await start()
  const { clock } = withdrawals.server
  const holder = await withdrawals.openHolder({ xcr: '100000' })
  await change(holder, '3000')
  await raise(holder, '3001')
  clock.advance(DAY - 1)
  await raise(holder, '90000')
  clock.advance(1)
  await expect(withdrawals.ask(holder, '3001')).rejects.toMatchObject(above)
})

test.each(['3000', '2000'])('%s instead of 3000 cancels a planned raise, without a code', async (limit) => {
  const withdrawals = await start()
  const holder = await withdrawals.openHolder()
  await change(holder, '3000')
  await raise(holder, '9000')
  expect(await change(holder, limit)).toMatchObject({ limit: xcr(limit), next: null })
  withdrawals.server.clock.advance(2 * DAY)
  expect(await read(holder)).toMatchObject({ limit: xcr(limit), next: null })
})

test('without an authenticator it can be lowered but not raised', async () => {
  const withdrawals = await start()
  const holder = await withdrawals.openHolder()
  await change(holder, '9000')
  await holder.grantMark()
  await sql(database.orm.em.fork(), 'update users set otp_secret = null, otp_enabled_at = null where id = $1', [holder.user.id])
  await expect(change(holder, null)).rejects.toMatchObject({ status: 403, code: 'otp_not_enabled' })
  expect(await change(holder, '3000')).toMatchObject({ limit: xcr('3000') })
})

test('its owner is told of each change in the inbox and by mail, and it is audited; the same limit again changes nothing', async () => {
  const withdrawals = await start()
  const holder = await withdrawals.openHolder()
  await change(holder, '9000')
  await change(holder, '9000')
  await raise(holder, '12000')
  await change(holder, '9000')
  expect(await subjects(holder)).toEqual([
    'Your daily withdrawal limit is 9,000 XCR',
    'Your daily withdrawal limit will be raised to 12,000 XCR',
    'Your daily withdrawal limit is 9,000 XCR',
  ])
  const em = database.orm.em.fork()
  const told = await em.find(InboxMessage, { user: holder.user.id })
  expect(told.map(({ topic, link }) => [topic, link])).toEqual(Array(3).fill(['security', '/security']))
  const entries = await em.find(
    AuditEntry,
    { action: 'withdrawal.daily_limit', target: holder.user.email },
    { orderBy: { at: 1 } },
  )
  expect(entries.map(({ before, after }) => [before, after])).toEqual([
    [{ limit: null }, { limit: '9000' }],
    [{ limit: '9000' }, { limit: '9000', next: '12000', from: expect.any(String) }],
    [{ limit: '9000', next: '12000', from: expect.any(String) }, { limit: '9000' }],
  ])
})

test.each(['-1', '1.000000001', '1000000000.1', '1e3', ''])('%j is no limit', async (limit) => {
  const withdrawals = await start()
  const holder = await withdrawals.openHolder()
  const answer = await holder.browser.fetch(withdrawals.server.url + contract.changeDailyLimit.path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ limit }),
  })
  expect(answer.status).toBe(400)
  expect(await read(holder)).toMatchObject({ limit: null })
})
