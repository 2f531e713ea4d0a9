import { beforeEach, describe, expect, test } from 'vitest'
import { formatAmount, parseAmount } from '#shared/amount.ts'
import * as contract from '#shared/contract/admin/office.ts'
import { getNodeStats, getUserNodes } from '#shared/contract/nodes.ts'
import { getNodeSettings, listSystemSettings } from '#shared/contract/settings.ts'
import { type SettingKey, settingDefaults, settingKeys } from '#shared/settings.ts'
import { DAY, utcDay } from '#shared/dates.ts'
import { firstRewardAfter } from '#shared/rewardTime.ts'
import { settingRules } from '#shared/settingRules.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'
import { Purchase } from '#api/entities/Purchase.ts'
import { publishChanges } from '#api/platform/events/runNotifier.ts'
import { readSettings } from '#api/sale/settings/readSettings.ts'
import { logInAdministrator, openAdministrator, type TestAdministrator } from '#api/testing/administrators.ts'
import { damage } from '#api/testing/damage.ts'
import { useDatabase } from '#api/testing/database.ts'
import { makeUser } from '#api/testing/factories.ts'
import { listenToEvents } from '#api/testing/listenToEvents.ts'
import { makeBuyer } from '#api/testing/people.ts'
import { startServer, type TestBrowser, type TestServer } from '#api/testing/server.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'
import { countLockWaits } from '#api/testing/lockWaits.ts'

const database = useDatabase()

beforeEach(async () => {
  const em = database.orm.em.fork()
  await database.superuser.em.fork().transactional((em) => damage(em, 'truncate setting_changes, change_events'))
  await sql(em, 'update installation set vesting_started_at = null')
})

async function setup() {
  const server = await startServer(database)
  const administrator = await openAdministrator(server)
  return { ...server, server, administrator, call: administrator.browser.call, orm: server.services.orm }
}

const auditsOf = (username: string) =>
  database.orm.em
    .fork()
    .find(AuditEntry, { actor: `admin:${username}`, action: { $ne: 'admin.login' } }, { orderBy: { id: 'asc' } })

/** Runs all until each waits for a lock, before the first continues. */
async function atOnce<T>(calls: (() => Promise<T>)[]): Promise<PromiseSettledResult<T>[]> {
  const holder = database.orm.em.fork()
  await holder.begin()
  await sql(holder, 'select from installation for update')
  const answers = Promise.allSettled(calls.map((call) => call()))
  try {
    await expect.poll(() => countLockWaits(database, 'installation|advisory')).toBe(calls.length)
  } finally {
    await holder.rollback()
  }
  return answers
}

/** Inserts a purchase and its effect on the supply. */
async function givePurchase(
  server: TestServer,
  {
    status = 'confirmed',
    nodes = 1,
    usdt,
    at = server.clock.productNow(),
  }: { status?: Purchase['status']; nodes?: number; usdt: string; at?: Date },
) {
  const em = server.services.orm.em.fork()
  const { user } = await makeUser(em)
  const amount = parseAmount(usdt)!
  const isConfirmed = status === 'confirmed'
  em.create(Purchase, {
    id: newId(),
    user,
    status,
    requestedQuantity: nodes,
    finalQuantity: isConfirmed ? nodes : null,
    unitPrice: 0n,
    amount,
    createdAt: at,
    confirmedAt: isConfirmed ? at : null,
    postedAt: at,
    openedAt: at,
  })
  await em.flush()
  if (isConfirmed) await sql(em, `update supply set ${amount > 0n ? 'paid = paid' : 'bonus = bonus'} + $1`, [nodes])
}

describe('the figures', () => {
  test('count confirmed purchases, paid withdrawals and granted bonuses, and no reservations', async () => {
    const { server, call, orm } = await setup()
    const before = await call(contract.getAdminStats, {})
    await givePurchase(server, { nodes: 10, usdt: '30.5' })
    await givePurchase(server, { nodes: 2, usdt: '6' })
    await givePurchase(server, { nodes: 1, usdt: '0' })
    await givePurchase(server, { status: 'pending', nodes: 5, usdt: '15' })
    await givePurchase(server, { status: 'failed', nodes: 5, usdt: '15' })
    await givePurchase(server, { status: 'manual_review', nodes: 5, usdt: '15' })
    await sql(orm.em.fork(), 'update supply set reserved = reserved + 5')

    const after = await call(contract.getAdminStats, {})

    expect(after).toEqual({
      totalUsers: before.totalUsers + 6,
      totalNodesSold: before.totalNodesSold + 13,
      paidNodesSold: before.paidNodesSold + 12,
      bonusNodesGiven: before.bonusNodesGiven + 1,
      totalRevenue: before.totalRevenue + parseAmount('36.5')!,
      pendingReviews: before.pendingReviews + 1,
      allWaiting: before.allWaiting + 1,
      vestingStartDate: null,
    })
    await sql(orm.em.fork(), 'update supply set reserved = reserved - 5')
  })

  test('count the deposits that need a manual review', async () => {
    const { call, orm } = await setup()
    const { pendingReviews } = await call(contract.getAdminStats, {})
    const deposit = `insert into deposits (id, chain_id, transaction_hash, ordinal, sender, recipient, amount, state, review_reason, first_seen_at)
      values ($1, 56, $2, 0, '0x0', '0x0', 1, $3, 'unmatched', now())`
    for (const state of ['review', 'ignored']) {
      const id = newId()
      await sql(orm.em.fork(), deposit, [id, `0x${id}`, state])
    }

    expect((await call(contract.getAdminStats, {})).pendingReviews).toBe(pendingReviews + 1)
    await sql(orm.em.fork(), 'delete from deposits')
  })
})

describe('vesting', () => {
  test('is started once, in product time, and audited', async () => {
    const { call, clock, administrator } = await setup()
    clock.advanceProduct(3 * DAY)

    expect(await call(contract.startVesting, {})).toEqual({ message: 'Vesting has started.' })

    expect((await call(contract.getAdminStats, {})).vestingStartDate).toEqual(clock.productNow())
    await expect(call(contract.startVesting, {})).rejects.toMatchObject({
      status: 409,
      code: 'vesting_conflict',
      serverMessage: 'Vesting has already been started.',
    })
    expect(await auditsOf(administrator.username)).toMatchObject([
      {
        action: 'vesting.start',
        ipAddress: '127.0.0.1',
        before: { vestingStartDate: null },
        after: { vestingStartDate: clock.productNow().toISOString() },
      },
    ])
  })

  test('is reset, and not twice', async () => {
    const { call, clock, administrator } = await setup()
    const refused = { status: 409, code: 'vesting_conflict', serverMessage: 'Vesting has not been started.' }
    await expect(call(contract.resetVesting, { body: {} })).rejects.toMatchObject(refused)
    await call(contract.startVesting, {})

    expect(await call(contract.resetVesting, { body: {} })).toEqual({ message: 'Vesting is reset.' })

    expect((await call(contract.getAdminStats, {})).vestingStartDate).toBeNull()
    await expect(call(contract.resetVesting, { body: {} })).rejects.toMatchObject(refused)
    expect((await auditsOf(administrator.username)).at(-1)).toMatchObject({
      action: 'vesting.reset',
      before: { vestingStartDate: clock.productNow().toISOString() },
      after: { vestingStartDate: null },
    })
  })

  test.each([contract.startVesting, contract.resetVesting])('of two concurrent calls one succeeds: $path', async (endpoint) => {
    const { server, call, orm, administrator } = await setup()
    const other = await openBrowserOf(server, administrator)
    if (endpoint === contract.resetVesting) await call(contract.startVesting, {})
    const [{ count: before }] = (await sql<{ count: number }>(orm.em.fork(), 'select count(*)::int from audit_entries')) as [
      { count: number },
    ]

    const answers = await Promise.allSettled([call, other.call, call, other.call].map((each) => each(endpoint, {})))

    expect(answers.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected'])
    for (const answer of answers)
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ status: 409, code: 'vesting_conflict' })
    expect(await sql(orm.em.fork(), 'select count(*)::int from audit_entries')).toEqual([{ count: before + 1 }])
  })

  test('may be repeated after a lost response', async () => {
    const { call } = await setup()
    const first = await call(contract.startVesting, {}, { idempotencyKey: 'start-once' })
    expect(await call(contract.startVesting, {}, { idempotencyKey: 'start-once' })).toEqual(first)
  })
})

/** Another browser in which the same administrator is logged in. */
async function openBrowserOf(server: TestServer, administrator: TestAdministrator): Promise<TestBrowser> {
  const browser = server.openBrowser()
  await logInAdministrator(browser, administrator)
  return browser
}

const shown = async ({ openBrowser }: TestServer) =>
  Object.fromEntries((await openBrowser().call(listSystemSettings, {})).map(({ key, value }) => [key, value]))

describe('settings', () => {
  const change = (call: Awaited<ReturnType<typeof setup>>['call'], key: SettingKey, value: string) =>
    call(contract.changeSystemSetting, { body: { key, value } })

  const changes: [SettingKey, string, string][] = [
    ['sales_enabled', 'false', 'false'],
    ['server_notice_enabled', ' true ', 'true'],
    ['sales_start_date', '2030-01-01T09:15:00Z', '2030-01-01T09:15:00.000Z'],
    ['withdrawal_fee_amount', '7.50', '7.5'],
    ['fee_recipient_address', `0x${'AB'.repeat(20)}`, `0x${'ab'.repeat(20)}`],
    ['node_price_usdt', '4.2', '4.2'],
  ]

  test.each(changes)('%s is changed, keeps its history and is audited', async (key, value, kept) => {
    const { call, orm, clock, administrator } = await setup()
    const before = clock.now()
    clock.advance(1)

    expect(await change(call, key, value)).toEqual({ key, value: kept, message: 'The setting is saved.' })

    expect(await readSettings(orm.em.fork())).toMatchObject({ [key]: kept })
    expect(await readSettings(orm.em.fork(), before)).toMatchObject({ [key]: settingDefaults[key] })
    expect(await auditsOf(administrator.username)).toMatchObject([
      {
        action: 'settings.change',
        target: key,
        ipAddress: '127.0.0.1',
        before: { value: settingDefaults[key] },
        after: { value: kept },
      },
    ])
    expect(await sql(orm.em.fork(), 'select key, value, set_by from setting_changes')).toEqual([
      { key, value: kept, set_by: `admin:${administrator.username}` },
    ])
  })

  test.each([3_000, 2 * DAY])('the last change is in force, whoever’s clock was ahead by %i ms before', async (ahead) => {
    const { call, orm, clock } = await setup()
    clock.advance(ahead)
    await change(call, 'node_price_usdt', '30')
    clock.advance(2_000 - ahead)

    await change(call, 'node_price_usdt', '3')
    await change(call, 'node_price_usdt', '5')

    const soon = new Date(clock.now().getTime() + 2_000)
    for (const at of [soon, new Date(soon.getTime() + 3 * DAY), undefined])
      expect(await readSettings(orm.em.fork(), at)).toMatchObject({ node_price_usdt: '5' })
  })

  test('a change that was made by a clock far ahead is in force once it is repeated', async () => {
    const { call, orm, clock } = await setup()
    clock.advance(2 * DAY)
    await change(call, 'node_price_usdt', '30')
    clock.advance(2_000 - 2 * DAY)
    const priceAt = async (at: Date) => (await readSettings(orm.em.fork(), at)).node_price_usdt
    expect(await priceAt(clock.now())).toBe('3')

    await change(call, 'node_price_usdt', '30')

    for (const later of [0, DAY, 3 * DAY]) expect(await priceAt(new Date(clock.now().getTime() + later))).toBe('30')
  })

  const refusals: [SettingKey, string][] = [
    ['sales_enabled', 'on'],
    ['server_notice_enabled', ''],
    ['sales_start_date', '2030-01-01T09:10:00Z'],
    ['withdrawal_fee_amount', '-1'],
    ['fee_recipient_address', '0x1'],
    ['fee_recipient_address', `0x${'0'.repeat(40)}`],
    ['node_price_usdt', '0'],
    ['xcr_per_node_daily', '-1'],
  ]

  test.each(refusals)('%s refuses %j with its own message, and nothing changes', async (key, value) => {
    const { call, orm, administrator } = await setup()

    await expect(change(call, key, value)).rejects.toMatchObject({
      status: 400,
      code: 'invalid_request',
      serverMessage: settingRules[key].message,
    })

    expect(await sql(orm.em.fork(), 'select from setting_changes')).toEqual([])
    expect(await auditsOf(administrator.username)).toEqual([])
  })

  test('fees are not sent to the contract of XCR, which would keep them', async () => {
    const { call, orm, services } = await setup()

    await expect(change(call, 'fee_recipient_address', services.config.XCR_TOKEN_ADDRESS)).rejects.toMatchObject({
      status: 400,
      serverMessage: 'The fee recipient must not be the contract of XCR, which keeps what it is sent.',
    })

    expect(await sql(orm.em.fork(), 'select from setting_changes')).toEqual([])
  })

  test('fees are not sent to a payout wallet, which would pay itself', async () => {
    const { call, orm } = await setup()
    const wallet = `0x${'ab'.repeat(20)}`
    await sql(orm.em.fork(), 'insert into payout_wallets (address, next_nonce) values ($1, 0)', [wallet])

    await expect(change(call, 'fee_recipient_address', wallet.toUpperCase().replace('0X', '0x'))).rejects.toMatchObject({
      status: 400,
      serverMessage: 'The fee recipient must not be a payout wallet, which would only pay itself.',
    })

    expect(await sql(orm.em.fork(), 'select from setting_changes')).toEqual([])
  })

  test('an unknown key is refused, also without our client’s checks', async () => {
    const { url, administrator } = await setup()
    const answer = await administrator.browser.fetch(`${url}${contract.changeSystemSetting.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: 'total_supply', value: '1' }),
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ code: 'invalid_request' })
  })

  test('a setting’s present value changes nothing', async () => {
    const { call, orm, administrator } = await setup()
    await change(call, 'node_price_usdt', '3.0')
    expect(await sql(orm.em.fork(), 'select from setting_changes')).toEqual([])
    expect(await auditsOf(administrator.username)).toEqual([])
  })

  test('of two concurrent changes, the later one’s audit entry starts from the earlier one’s result', async () => {
    const { server, call, administrator } = await setup()
    const other = await openBrowserOf(server, administrator)

    await atOnce([() => change(call, 'node_price_usdt', '5'), () => change(other.call, 'node_price_usdt', '6')])

    const records = await auditsOf(administrator.username)
    const steps = records.map(({ before, after }) => [(before as { value: string }).value, (after as { value: string }).value])
    const first = steps.find(([before]) => before === '3')!
    expect(steps).toContainEqual([first[1], first[1] === '5' ? '6' : '5'])
  })

  test('a change is sent to open pages, and a refetch returns it', async () => {
    const { server, call, orm } = await setup()
    const visitor = await listenToEvents(server, server.openBrowser())
    const { browser } = await makeBuyer(server)
    const user = await listenToEvents(server, browser)

    await change(call, 'node_price_usdt', '8')
    await publishChanges(orm)

    const keys = [listSystemSettings.path, getNodeSettings.path, getNodeStats.path]
    expect(await visitor.hear()).toEqual(keys)
    expect(await shown(server)).toMatchObject({ node_price_usdt: '8' })
    expect((await server.openBrowser().call(getNodeSettings, {})).nodePrice).toBe(parseAmount('8'))

    await change(call, 'xcr_per_node_daily', '11')
    await publishChanges(orm)

    expect(await visitor.hear()).toEqual([...keys, getUserNodes.path])
    expect(await shown(server)).toMatchObject({ xcr_per_node_daily: '11' })
    expect([await user.hear(), await user.hear()]).toEqual([keys, [...keys, getUserNodes.path]])
    for (const stream of [visitor, user]) stream.leave()
  })
})

describe('the daily reward', () => {
  const list = async ({ call }: Pick<Awaited<ReturnType<typeof setup>>, 'call'>) =>
    (await call(contract.listRewardRates, {})).map(
      ({ rate, effectiveFrom, isNext }) => `${formatAmount(rate)} from ${effectiveFrom.toISOString()}${isNext ? ', next' : ''}`,
    )

  test('begins with the default of a fresh installation', async () => {
    const office = await setup()
    expect(await list(office)).toEqual(['10 from 1970-01-01T00:00:00.000Z, next'])
  })

  test('set as a setting or as a rate, it has one history', async () => {
    const office = await setup()
    const { call, clock, administrator } = office
    const first = clock.productNow().toISOString()
    await call(contract.changeSystemSetting, { body: { key: 'xcr_per_node_daily', value: '11.0' } })
    clock.advance(1_000)
    const second = clock.productNow().toISOString()
    const rates = await call(contract.scheduleRewardRate, { body: { rate: parseAmount('12')! } })

    expect(await list(office)).toEqual([`12 from ${second}, next`, `11 from ${first}`, '10 from 1970-01-01T00:00:00.000Z'])
    expect(rates).toEqual(await call(contract.listRewardRates, {}))
    expect(rates[0]!.setBy).toBe(`admin:${administrator.username}`)
    expect(await auditsOf(administrator.username)).toMatchObject([
      { action: 'settings.change', target: 'xcr_per_node_daily', before: { value: '10' }, after: { value: '11' } },
      { action: 'settings.change', target: 'xcr_per_node_daily', before: { value: '11' }, after: { value: '12' } },
    ])
  })

  test('a planned rate is shown as planned and applies from its time', async () => {
    const office = await setup()
    const { server, call, orm, clock } = office
    const later = new Date(clock.productNow().getTime() + 3 * DAY)
    await call(contract.scheduleRewardRate, { body: { rate: parseAmount('20')!, effectiveFrom: later } })
    const visitor = await listenToEvents(server, server.openBrowser())
    await publishChanges(orm)
    await visitor.hear()

    expect(await shown(server)).toEqual({ ...settingDefaults, xcr_per_node_daily: '10' })
    expect(await list(office)).toEqual([`20 from ${later.toISOString()}`, '10 from 1970-01-01T00:00:00.000Z, next'])

    clock.advanceProduct(3 * DAY)
    server.services.events.publish({ all: [listSystemSettings.path], users: {} })
    await visitor.hear()
    expect(await shown(server)).toMatchObject({ xcr_per_node_daily: '20' })
    expect(await list(office)).toEqual([`20 from ${later.toISOString()}, next`, '10 from 1970-01-01T00:00:00.000Z'])
    visitor.leave()
  })

  test('a rate planned for the next payout leaves the one in force in the list', async () => {
    const office = await setup()
    const { call, clock } = office
    const effectiveFrom = firstRewardAfter(clock.productNow())
    await call(contract.scheduleRewardRate, { body: { rate: parseAmount('20')!, effectiveFrom } })
    expect(await list(office)).toEqual([`20 from ${effectiveFrom.toISOString()}, next`, '10 from 1970-01-01T00:00:00.000Z'])
  })

  test('a second plan for the same time replaces the first', async () => {
    const office = await setup()
    const { call, clock } = office
    const effectiveFrom = new Date(clock.productNow().getTime() + 5 * DAY)
    for (const rate of ['20', '25'])
      await call(contract.scheduleRewardRate, { body: { rate: parseAmount(rate)!, effectiveFrom } })
    expect((await list(office))[0]).toBe(`25 from ${effectiveFrom.toISOString()}`)
    expect(await list(office)).toHaveLength(2)
  })

  test('cannot be set for the past or above the payable amount', async () => {
    const { call, clock, orm } = await setup()
    const past = { rate: parseAmount('11')!, effectiveFrom: new Date(clock.productNow().getTime() - 1) }
    await expect(call(contract.scheduleRewardRate, { body: past })).rejects.toMatchObject({
      status: 400,
      serverMessage: 'The effective time must not be in the past. Rewards already paid keep their rate.',
    })
    const tooMuch = { rate: parseAmount('1000000001')! }
    await expect(call(contract.scheduleRewardRate, { body: tooMuch })).rejects.toMatchObject({
      status: 400,
      serverMessage: settingRules.xcr_per_node_daily.message,
    })
    expect(await sql(orm.em.fork(), 'select from setting_changes')).toEqual([])
  })

  test('of two concurrent changes, the later one’s audit entry starts from the earlier one’s result', async () => {
    const { server, call, administrator } = await setup()
    const other = await openBrowserOf(server, administrator)
    const set = (caller: typeof call, rate: string) => () =>
      caller(contract.scheduleRewardRate, { body: { rate: parseAmount(rate)! } })

    await atOnce([set(call, '11'), set(other.call, '12')])

    const records = await auditsOf(administrator.username)
    const steps = records.map(({ before, after }) => [(before as { value: string }).value, (after as { value: string }).value])
    expect(steps.filter(([before]) => before === '10')).toHaveLength(1)
    expect(steps.filter(([before]) => before === '11' || before === '12')).toHaveLength(1)
  })

  test('may be repeated after a lost response', async () => {
    const office = await setup()
    const body = { rate: parseAmount('11')! }
    const first = await office.call(contract.scheduleRewardRate, { body }, { idempotencyKey: 'rate-once' })
    office.clock.advance(1_000)
    expect(await office.call(contract.scheduleRewardRate, { body }, { idempotencyKey: 'rate-once' })).toEqual(first)
    expect(await list(office)).toHaveLength(2)
  })
})

describe('the charts', () => {
  test('show each day, with and without entries', async () => {
    const { server, call, orm, clock } = await setup()
    // Separate days, long after those of the other tests.
    clock.advanceProduct(400 * DAY)
    const [today, yesterday, longAgo] = [0, 1, 30].map((days) => new Date(clock.productNow().getTime() - days * DAY)) as [
      Date,
      Date,
      Date,
    ]
    await givePurchase(server, { nodes: 2, usdt: '6', at: yesterday })
    await givePurchase(server, { nodes: 3, usdt: '9.5', at: yesterday })
    await givePurchase(server, { nodes: 1, usdt: '0', at: yesterday })
    await givePurchase(server, { nodes: 7, usdt: '21', at: longAgo })
    await insertWithdrawal(orm, { amount: '4000', now: today })
    await sql(
      orm.em.fork(),
      `insert into reward_runs (day, rate, closed_at, paid_at, amount) values ($1, 1, now(), now(), $2), ($3, 1, now(), null, 5)`,
      [utcDay(yesterday), parseAmount('120.25'), utcDay(today)],
    )

    const { sales, xcr, supply } = await call(contract.getAdminCharts, { query: { days: '30' } })

    const days = Array.from({ length: 30 }, (_, index) => utcDay(new Date(today.getTime() - (29 - index) * DAY)))
    expect(sales.map(({ date }) => date)).toEqual(days)
    expect(xcr.map(({ date }) => date)).toEqual(days)
    expect(sales.filter(({ nodes }) => nodes > 0)).toEqual([
      { date: utcDay(yesterday), nodes: 5, revenueUsdt: parseAmount('15.5') },
    ])
    expect(xcr.slice(-2)).toEqual([
      { date: utcDay(yesterday), withdrawn: 0n, rewarded: parseAmount('120.25') },
      { date: utcDay(today), withdrawn: parseAmount('4000'), rewarded: 0n },
    ])
    const [row] = await sql(orm.em.fork(), 'select total, paid, bonus, reserved as held from supply')
    expect(supply).toEqual(row)
    expect((await call(contract.getAdminCharts, { query: { days: '90' } })).sales.filter(({ nodes }) => nodes > 0)).toHaveLength(
      2,
    )
    await sql(orm.em.fork(), 'delete from reward_runs')
  })

  test('a day begins at midnight in UTC', async () => {
    const { call, clock } = await setup()
    clock.set(new Date('2040-05-05T23:59:59.999Z'))
    const last = async () => (await call(contract.getAdminCharts, { query: { days: '30' } })).sales.at(-1)!.date
    expect(await last()).toBe('2040-05-05')
    clock.advance(1)
    expect(await last()).toBe('2040-05-06')
  })
})

test('all office endpoints are for administrators only', async () => {
  const { server, orm } = await setup()
  const { browser } = await makeBuyer(server)
  const unauthorized = { status: 401, serverMessage: 'Unauthorized' }
  await expect(browser.call(contract.startVesting, {})).rejects.toMatchObject(unauthorized)
  await expect(
    browser.call(contract.changeSystemSetting, { body: { key: settingKeys[0], value: 'false' } }),
  ).rejects.toMatchObject(unauthorized)
  await expect(browser.call(contract.getHealth, {})).rejects.toMatchObject(unauthorized)
  expect(await sql(orm.em.fork(), 'select from setting_changes')).toEqual([])
})
