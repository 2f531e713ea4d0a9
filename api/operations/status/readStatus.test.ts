import { beforeEach, expect, test } from 'vitest'
import type { Incident, ServiceStatus } from '#shared/contract/status.ts'
import { HOUR, MINUTE, SECOND } from '#shared/dates.ts'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import type { Environment } from '#api/platform/config.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { useDatabase } from '#api/testing/database.ts'
import { FakeClock } from '#api/testing/FakeClock.ts'
import { makeUser } from '#api/testing/factories.ts'
import { giveXcr } from '#api/testing/giveXcr.ts'
import { REGISTER_ON, testConfig } from '#api/testing/testConfig.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'
import { readStatus, verdictOf } from './readStatus.ts'

const database = useDatabase()
const run = (text: string, parameters: readonly unknown[] = []) => sql(database.orm.em.fork(), text, parameters)

beforeEach(async () => {
  for (const table of ['chain_blocks', 'chain_progress', 'reward_runs', 'withdrawals', 'payout_wallets', 'incidents', 'deposits'])
    await run(`delete from ${table}`)
})

/** A product of which the watcher has read all blocks up to now. */
async function setUp(env: Environment = {}) {
  const clock = new FakeClock()
  const services = { clock, config: testConfig({ DATABASE_URL: database.url, ...env }) }
  await run('insert into chain_blocks (chain_id, number, hash, time) values ($1, 900, $2, $3)', [
    PAYMENT_CHAIN_ID,
    `0x${'a'.repeat(64)}`,
    clock.now(),
  ])
  await run('insert into chain_progress (chain_id, head_number, verified_number, updated_at) values ($1, 902, 0, now())', [
    PAYMENT_CHAIN_ID,
  ])
  return { clock, read: () => readStatus(database.orm.em.fork(), services) }
}

test('a product that runs on time says how far each part is', async () => {
  const { clock, read } = await setUp()
  await run(`insert into reward_runs (day, rate, closed_at, paid_at) values ('2000-01-01', 1, now(), now())`)
  clock.set(new Date('2000-01-01T10:00:00Z'))
  await run('update chain_blocks set time = $1', [clock.now()])

  expect(await read()).toEqual({
    verdict: 'ok',
    readAt: clock.now(),
    payments: { state: 'ok', block: 900, blockTime: clock.now(), blocksBehind: 2 },
    rewards: { state: 'ok', lastDay: '2000-01-01' },
    payouts: { state: 'ok', waiting: 0, oldest: null },
    register: null,
    incidents: [],
  })
})

test('payments are delayed beyond a hundred blocks, by an old block, and before the first one', async () => {
  const { clock, read } = await setUp()
  const stateOf = async () => {
    const { verdict, payments } = await read()
    return [verdict, payments.state, payments.blocksBehind]
  }
  await run('update chain_progress set head_number = 1000')
  expect(await stateOf()).toEqual(['ok', 'ok', 100])
  await run('update chain_progress set head_number = 1001')
  expect(await stateOf()).toEqual(['payments_delayed', 'delayed', 101])
  await run('update chain_progress set head_number = 900')
  clock.advance(2 * MINUTE)
  expect(await stateOf()).toEqual(['ok', 'ok', 0])
  clock.advance(SECOND)
  expect(await stateOf()).toEqual(['payments_delayed', 'delayed', 0])
  await run('delete from chain_blocks')
  expect(await stateOf()).toEqual(['payments_delayed', 'delayed', 0])
})

test('payments are delayed while a final one waits, which too few endpoints agree on', async () => {
  const { read } = await setUp({ PAYMENT_CONFIRMATIONS: '15' })
  await run(
    `insert into deposits (id, chain_id, block_number, transaction_hash, ordinal, sender, recipient, amount, state, first_seen_at)
     values ($1, $2, 785, $3, 0, '0x0', '0x0', 3, 'seen', now())`,
    [newId(), PAYMENT_CHAIN_ID, `0x${'b'.repeat(64)}`],
  )
  expect((await read()).verdict).toBe('ok')
  await run('update deposits set block_number = 784')
  expect((await read()).verdict).toBe('payments_delayed')
  await run(`update deposits set state = 'ignored'`)
  expect((await read()).verdict).toBe('ok')
})

test('payouts are delayed by an old withdrawal, a stop and a cap; those that a person reviews are not counted', async () => {
  const { clock, read } = await setUp()
  const { user } = await makeUser(database.orm.em.fork())
  const userId = user.id
  await giveXcr(database.orm, userId, '6000')
  const insert = (reviewReason?: 'above_limit') =>
    insertWithdrawal(database.orm, { userId, amount: '3000', ...(reviewReason && { reviewReason }) })
  await insert()
  await insert('above_limit')
  await run('update withdrawals set created_at = $1', [new Date(clock.now().getTime() - HOUR)])
  expect((await read()).payouts).toEqual({ state: 'ok', waiting: 1, oldest: new Date(clock.now().getTime() - HOUR) })
  clock.advanceProduct(SECOND)
  expect(await read()).toMatchObject({ verdict: 'payouts_delayed', payouts: { state: 'delayed' } })

  await run('delete from withdrawals')
  await run('insert into payout_wallets (address, next_nonce) values ($1, 0)', [`0x${'1'.repeat(40)}`])
  expect((await read()).verdict).toBe('ok')
  for (const column of ['stopped_because', 'capped_since']) {
    await run(`update payout_wallets set stopped_because = null, capped_since = null`)
    await run(`update payout_wallets set ${column} = now()`)
    expect([column, (await read()).verdict]).toEqual([column, 'payouts_delayed'])
  }
})

test('the register is delayed by a late day, a stop and a missing anchor', async () => {
  const { clock, read } = await setUp(REGISTER_ON)
  const verdict = async () => (await read()).verdict
  clock.set(new Date('2000-01-01T10:00:00Z'))
  await run('update chain_blocks set time = $1', [clock.now()])
  await run(`insert into reward_runs (day, rate, closed_at, paid_at) values ('2000-01-01', 1, $1, $1)`, [clock.now()])
  clock.advance(30 * MINUTE)
  await run('update chain_blocks set time = $1', [clock.now()])
  expect(await read()).toMatchObject({ verdict: 'ok', register: { state: 'ok', lastDay: null, anchoredAt: null } })
  clock.advance(SECOND)
  expect(await verdict()).toBe('register_delayed')
  await run(`delete from reward_runs`)
  for (const column of ['stopped_because', 'held_because', 'unanchored_because']) {
    await run(`update register_state set ${column} = 'the wallet 0x1 is empty'`)
    expect([column, await verdict()]).toEqual([column, 'register_delayed'])
    expect(JSON.stringify(await read())).not.toContain('0x1')
    await run(`update register_state set ${column} = null`)
  }
  expect(await verdict()).toBe('ok')
})

test('open incidents and those of the last 90 days are listed, newest first, without their author', async () => {
  const { clock, read } = await setUp()
  const ago = (days: number) => new Date(clock.now().getTime() - days * 24 * HOUR)
  const insert = (title: string, startedAt: Date, resolvedAt: Date | null) =>
    run(
      `insert into incidents (id, title_en, text_en, started_at, updated_at, resolved_at, created_by)
       values ($1, $2, 'Text', $3, $3, $4, 'admin:keeper')`,
      [newId(), title, startedAt, resolvedAt],
    )
  await insert('forgotten', ago(100), ago(91))
  await insert('recent', ago(95), ago(89))
  await insert('new', ago(1), ago(1))
  expect(await read()).toMatchObject({
    verdict: 'ok',
    incidents: [{ title: { en: 'new', ko: null } }, { title: { en: 'recent' } }],
  })

  await insert('open', ago(120), null)
  const status = await read()
  expect(status.verdict).toBe('incident')
  expect(status.incidents.map(({ title }) => title.en)).toEqual(['new', 'recent', 'open'])
  expect(JSON.stringify(status)).not.toContain('keeper')
})

test.each<[Partial<Record<'payments' | 'rewards' | 'payouts' | 'register', 'delayed'>>, boolean, string]>([
  [{}, false, 'ok'],
  [{}, true, 'incident'],
  [{ rewards: 'delayed' }, false, 'rewards_delayed'],
  [{ payments: 'delayed' }, true, 'payments_delayed'],
  [{ register: 'delayed', payouts: 'delayed' }, false, 'several_delayed'],
])('the verdict of %j, with an open incident: %s, is %s', (delays, hasIncident, verdict) => {
  const of = (part: keyof typeof delays) => ({ state: delays[part] ?? 'ok' })
  const incidents = hasIncident ? [{ resolvedAt: null } as Incident] : []
  const parts = { payments: of('payments'), rewards: of('rewards'), payouts: of('payouts'), register: of('register'), incidents }
  expect(verdictOf(parts as ServiceStatus)).toBe(verdict)
})
