import { expect, test } from 'vitest'
import * as office from '#shared/contract/admin/deposits.ts'
import { getAuthUser } from '#shared/contract/identity.ts'
import { formatAmount } from '#shared/amount.ts'
import { DAY, HOUR, utcDay } from '#shared/dates.ts'
import { readStatement } from '#api/withdrawals/statement/readStatement.ts'
import { sql } from '#api/platform/db/sql.ts'
import { startBackOffice } from '#api/testing/backOffice.ts'
import { clockTimeSources } from '#api/testing/FakeClock.ts'
import { startHolders } from '#api/testing/holders.ts'
import { countLockWaits } from '#api/testing/lockWaits.ts'
import { listDistributions } from './listDistributions.ts'
import { payCorrections } from './payCorrections.ts'
import { payDueDays } from './payDueDays.ts'
import { rewardInstant } from '#shared/rewardTime.ts'

/** Holders and functions that freeze and thaw their nodes. */
async function startFreezer() {
  const holders = await startHolders()
  const { orm, clock } = holders
  const em = () => orm.em.fork()
  holders.at('2027-03-01T12:00:00Z')
  return {
    ...holders,
    freeze: (userId: string) => sql(em(), 'update nodes set frozen_at = $2 where user_id = $1', [userId, clock.now()]),
    thaw: (userId: string) => sql(em(), 'update nodes set frozen_at = null where user_id = $1', [userId]),
    correct: () => payCorrections({ orm, clock }),
    corrections: async () =>
      (
        await sql<{ day: string; nodes: number; amount: string; created_at: string }>(
          em(),
          `select to_char(day, 'YYYY-MM-DD') as day, nodes, amount, created_at from reward_corrections order by day, nodes`,
        )
      ).map(({ day, nodes, amount }) => `${day}: ${nodes} nodes, ${formatAmount(BigInt(amount))}`),
  }
}

test('a node frozen at 08:59 and thawed at 09:01 is paid the missed day once', async () => {
  const { at, orm, openHolder, freeze, thaw, pay, correct, corrections, balance, differences } = await startFreezer()
  const [holder, other] = [await openHolder({ nodes: 2 }), await openHolder()]
  at('2027-03-02T08:59:00Z')
  await freeze(holder)
  at('2027-03-02T09:00:00Z')
  await pay()
  at('2027-03-02T09:01:00Z')
  await thaw(holder)
  await correct()
  await correct()

  expect(await corrections()).toEqual(['2027-03-02: 2 nodes, 20'])
  expect([await balance(holder), await balance(other)]).toEqual(['20', '10'])
  expect(await differences()).toEqual([])
  at('2027-03-03T09:00:00Z')
  await pay()
  await correct()
  expect([await balance(holder), await balance(other)]).toEqual(['40', '20'])
  expect(await differences()).toEqual([])

  const listed = await listDistributions(orm.em.fork(), holder)
  expect(listed).toMatchObject([
    { createdAt: new Date('2027-03-03T09:00:00Z'), activeNodes: 2 },
    { createdAt: new Date('2027-03-02T09:01:00Z'), activeNodes: 2 },
  ])
  const statement: unknown[] = []
  for await (const { type, balance } of readStatement(orm.em.fork(), holder))
    if (type === 'XCR Distribution') statement.push(balance)
  expect(statement).toEqual([40n * 10n ** 18n, 20n * 10n ** 18n])
  const [account] = await sql<{ earned: string }>(orm.em.fork(), 'select total_earned as earned from accounts where id = $1', [
    holder,
  ])
  expect(formatAmount(BigInt(account!.earned))).toBe('40')
})

test('a node frozen for three days is paid each of them at the rate of that day', async () => {
  const { at, openHolder, setRate, freeze, thaw, pay, correct, corrections, balance, differences } = await startFreezer()
  const holder = await openHolder({ nodes: 3 })
  await freeze(holder)
  at('2027-03-03T08:00:00Z')
  await pay()
  await setRate('0.5')
  at('2027-03-04T10:00:00Z')
  await pay()
  await thaw(holder)
  await correct()

  expect(await corrections()).toEqual(['2027-03-02: 3 nodes, 30', '2027-03-03: 3 nodes, 1.5', '2027-03-04: 3 nodes, 1.5'])
  expect(await balance(holder)).toBe('33')
  expect(await differences()).toEqual([])
})

test('nodes frozen and thawed twice are paid each missed day once', async () => {
  const { at, openHolder, freeze, thaw, pay, correct, corrections, balance, differences } = await startFreezer()
  const holder = await openHolder()
  for (const day of ['2027-03-02', '2027-03-04']) {
    at(`${day}T08:00:00Z`)
    await pay()
    await freeze(holder)
    at(`${day}T09:00:00Z`)
    await pay()
    await thaw(holder)
    await thaw(holder)
    await Promise.all([correct(), correct(), correct()])
  }

  expect(await corrections()).toEqual(['2027-03-02: 1 nodes, 10', '2027-03-04: 1 nodes, 10'])
  expect(await balance(holder)).toBe('30')
  expect(await differences()).toEqual([])
})

test('nodes that stay frozen are paid nothing, and a node that becomes active later is not paid earlier days', async () => {
  const { at, openHolder, freeze, thaw, pay, correct, corrections, balance } = await startFreezer()
  const [frozen, late] = [await openHolder(), await openHolder({ activeFrom: '2027-03-03T12:00:00Z' })]
  await freeze(frozen)
  await freeze(late)
  at('2027-03-03T09:00:00Z')
  await pay()
  await thaw(late)
  await correct()
  expect(await corrections()).toEqual([])
  expect([await balance(frozen), await balance(late)]).toEqual(['0', '0'])
})

test('nodes thawed during the daily run are paid that day once', async () => {
  const { at, orm, openHolder, freeze, thaw, pay, correct, corrections, balance, differences } = await startFreezer()
  const [holder, other] = [await openHolder({ nodes: 2 }), await openHolder()]
  at('2027-03-02T09:00:00Z')
  await pay()
  await freeze(holder)
  at('2027-03-03T09:00:00Z')
  const [locked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = orm.em.fork().transactional(async (em) => {
    await sql(em, 'select from accounts where id = $1 for update', [other])
    locked.resolve()
    await held.promise
  })
  await locked.promise
  const paying = pay()
  await expect.poll(() => countLockWaits({ orm }, 'with active as')).toBe(1)
  await thaw(holder)
  await correct()
  held.resolve()
  await Promise.all([holding, paying])
  expect([await corrections(), await balance(holder)]).toEqual([[], '20'])

  await correct()
  expect([await corrections(), await balance(holder)]).toEqual([['2027-03-03: 2 nodes, 20'], '40'])
  expect(await differences()).toEqual([])
})

test.each(['mined again', 'restored by an administrator'])(
  'nodes whose payment vanished and was %s are paid the days in between',
  async (healed) => {
    const sale = await startBackOffice({ mining: 'manual', confirmations: 2 })
    const { chain, server } = sale
    const { services, clock } = server
    const settle = async () => {
      await chain.mine(3)
      await sale.watch()
    }
    const buyer = await sale.openBuyer()
    await sale.reserve(buyer, 2)
    const hash = await sale.pay(buyer.wallet, '6')
    await settle()
    const bytes = await chain.signedBytes(hash)
    const first = utcDay(new Date(clock.productNow().getTime() + 2 * DAY))
    const moveTo = async (day: string, hours: number) => {
      clock.advanceProduct(rewardInstant(day).getTime() + hours * HOUR - clock.productNow().getTime())
      const ahead = clock.productNow().getTime() - clock.now().getTime()
      await sql(services.orm.em.fork(), 'update installation set clock_offset_ms = $1', [ahead])
      await payDueDays({ ...services, timeSources: clockTimeSources(clock) })
    }
    const earned = async () => formatAmount((await buyer.browser.call(getAuthUser, {}))!.balance.totalEarnedXcr)
    await moveTo(first, -1)
    const before = await earned()
    await chain.reorganize(3)
    await chain.mine()
    await sale.watch()
    await moveTo(first, 25)
    await payCorrections(services)
    expect(await earned()).toBe(before)

    if (healed === 'mined again') {
      await chain.client.sendRawTransaction({ serializedTransaction: bytes })
      await settle()
    } else {
      const id = await sale.depositOf(hash)
      await sale.call(office.restoreNodes, { params: { id }, body: { note: 'Paid again.' } })
    }
    await payCorrections(services)
    expect(Number(await earned()) - Number(before)).toBe(40)
  },
)
