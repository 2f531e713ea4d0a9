import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sql } from '#api/platform/db/sql.ts'
import { houseAccounts } from '../ledger/houseAccounts.ts'
import { type Holders, startHolders } from '#api/testing/holders.ts'
import { countLockWaits } from '#api/testing/lockWaits.ts'
import { changeSetting } from '#api/sale/settings/changeSetting.ts'
import { payDay } from './payDay.ts'

test('nothing is paid at 08:59:59, and all nodes are paid at 09:00:00', async () => {
  const { at, openHolder, pay, runs, balance, differences } = await startHolders()
  at('2027-03-01T12:00:00Z')
  const holder = await openHolder({ nodes: 3 })

  at('2027-03-02T08:59:59.999Z')
  await pay()
  expect(await balance(holder)).toBe('0')

  at('2027-03-02T09:00:00Z')
  await pay()
  expect(await balance(holder)).toBe('30')
  expect(await runs()).toEqual(['2027-03-01 at 10: 0 users, 0 nodes, 0', '2027-03-02 at 10: 1 users, 3 nodes, 30'])
  expect(await differences()).toEqual([])
})

test('a node active from 09:00:00 is paid that day, one from 09:00:01 the next', async () => {
  const { at, openHolder, pay, balance, differences } = await startHolders()
  at('2027-03-01T12:00:00Z')
  const [early, late] = [
    await openHolder({ activeFrom: '2027-03-02T09:00:00Z' }),
    await openHolder({ activeFrom: '2027-03-02T09:00:01Z', kind: 'bonus' }),
  ]

  at('2027-03-02T09:00:00Z')
  await pay()
  expect([await balance(early), await balance(late)]).toEqual(['10', '0'])

  at('2027-03-03T09:00:00Z')
  await pay()
  expect([await balance(early), await balance(late)]).toEqual(['20', '10'])
  expect(await differences()).toEqual([])
})

test('a day is paid once by three concurrent workers that run repeatedly', async () => {
  const { at, openHolder, pay, runs, balance, differences } = await startHolders()
  at('2027-03-01T12:00:00Z')
  const holders = await Promise.all(Array.from({ length: 20 }, (_, index) => openHolder({ nodes: index + 1 })))

  at('2027-03-02T09:00:00Z')
  for (let round = 0; round < 3; round++) await Promise.all([pay(), pay(), pay()])

  expect(await Promise.all(holders.map(balance))).toEqual(holders.map((_, index) => `${(index + 1) * 10}`))
  expect(await runs()).toHaveLength(2)
  expect(await balance(houseAccounts.rewards)).toBe('-2100')
  expect(await differences()).toEqual([])
})

test('a worker that found a day unpaid before another paid it pays nothing', async () => {
  const { at, orm, openHolder, pay, balance } = await startHolders()
  at('2027-03-01T12:00:00Z')
  const holder = await openHolder()
  at('2027-03-02T09:00:00Z')
  await pay()
  const paying = orm.em.fork().transactional((em) => payDay(em, { day: '2027-03-02', now: new Date() }))
  expect(await paying).toBe(false)
  expect(await balance(holder)).toBe('10')
})

test('while one worker pays a day, another skips it without waiting', async () => {
  const { at, orm, openHolder, pay, runs, balance, differences } = await startHolders()
  at('2027-03-01T12:00:00Z')
  const holder = await openHolder()
  at('2027-03-02T09:00:00Z')
  await pay()

  at('2027-03-03T09:00:00Z')
  const [locked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = orm.em.fork().transactional(async (em) => {
    await sql(em, 'select from accounts where id = $1 for update', [holder])
    locked.resolve()
    await held.promise
  })
  await locked.promise
  const paying = pay()
  await expect.poll(() => countLockWaits({ orm }, 'with active as')).toBe(1)
  await pay()
  expect(await runs()).toHaveLength(2)
  held.resolve()
  await Promise.all([holding, paying])

  expect(await runs()).toHaveLength(3)
  expect(await balance(holder)).toBe('20')
  expect(await differences()).toEqual([])
})

test('an account created concurrently is paid once', async () => {
  const { at, orm, openHolder, pay, balance, differences } = await startHolders()
  at('2027-03-01T12:00:00Z')
  const [holder, other] = [await openHolder({ nodes: 2 }), await openHolder()]
  at('2027-03-02T09:00:00Z')
  const [created, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const creating = orm.em.fork().transactional(async (em) => {
    await sql(em, `insert into accounts (id, kind) values ($1, 'user')`, [holder])
    created.resolve()
    await held.promise
  })
  await created.promise
  const paying = pay()
  await expect.poll(() => countLockWaits({ orm }, 'insert into accounts')).toBe(1)
  held.resolve()
  await Promise.all([creating, paying])

  expect([await balance(holder), await balance(other)]).toEqual(['20', '10'])
  expect(await differences()).toEqual([])
})

test('three missed days are each paid for the nodes active at 09:00, at the rate of that time', async () => {
  const { at, openHolder, giveNodes, setRate, pay, runs, balance, differences } = await startHolders()
  at('2027-02-27T12:00:00Z')
  const first = await openHolder({ nodes: 2 })
  at('2027-02-28T09:00:00Z')
  await pay()

  // No worker runs from here on.
  at('2027-03-01T09:00:00Z')
  await setRate('200')
  at('2027-03-01T10:00:00Z')
  const second = await openHolder()
  at('2027-03-02T09:00:00.001Z')
  await setRate('0.000000000000000001')
  await giveNodes(first, { nodes: 5 })

  at('2027-03-03T20:00:00Z')
  await pay()
  expect(await runs()).toEqual([
    '2027-02-27 at 10: 0 users, 0 nodes, 0',
    '2027-02-28 at 10: 1 users, 2 nodes, 20',
    '2027-03-01 at 200: 1 users, 2 nodes, 400',
    '2027-03-02 at 200: 2 users, 3 nodes, 600',
    '2027-03-03 at 0.000000000000000001: 2 users, 8 nodes, 0.000000000000000008',
  ])
  expect(await balance(first)).toBe('820.000000000000000007')
  expect(await balance(second)).toBe('200.000000000000000001')
  expect(await differences()).toEqual([])
})

test('days without payments have a run from the day of the first node on, and none before it', async () => {
  const { at, openHolder, setRate, pay, runs, differences } = await startHolders()
  at('2027-03-01T12:00:00Z')
  await pay()
  expect(await runs()).toEqual([])

  at('2027-03-02T08:00:00Z')
  await openHolder({ activeFrom: '2027-03-03T08:00:00Z' })
  await setRate('0')
  at('2027-03-04T12:00:00Z')
  await pay()
  expect(await runs()).toEqual([
    '2027-03-02 at 0: 0 users, 0 nodes, 0',
    '2027-03-03 at 0: 0 users, 0 nodes, 0',
    '2027-03-04 at 0: 0 users, 0 nodes, 0',
  ])
  expect(await differences()).toEqual([])
})

test('nodes allocated late earn from their allocation on, however long ago their payment was seen', async () => {
  const { at, openHolder, pay, runs, differences } = await startHolders()
  at('2027-03-01T12:00:00Z')
  await openHolder()
  // No worker runs for three days.
  at('2027-03-03T10:00:00Z')
  await openHolder({ activeFrom: '2027-03-01T08:00:00Z' })
  at('2027-03-04T09:00:00Z')
  await pay()

  expect((await runs()).slice(1)).toEqual([
    '2027-03-02 at 10: 1 users, 1 nodes, 10',
    '2027-03-03 at 10: 1 users, 1 nodes, 10',
    '2027-03-04 at 10: 2 users, 2 nodes, 20',
  ])
  expect(await differences()).toEqual([])
})

test('nodes and rates from a process with a slow clock start after the closed day', async () => {
  const { at, orm, openHolder, setRate, pay, runs, differences } = await startHolders()
  at('2027-03-01T12:00:00Z')
  await openHolder()
  at('2027-03-02T09:00:00Z')
  await pay()

  // Another process whose clock is a second behind.
  at('2027-03-02T08:59:59Z')
  const late = await openHolder()
  await setRate('99')
  // Nor were they owned on it, because whoever publishes the day has left them out.
  const [node] = await sql<{ allocated_at: string }>(orm.em.fork(), 'select allocated_at from nodes where user_id = $1', [late])
  expect(new Date(node!.allocated_at)).toEqual(new Date('2027-03-02T09:00:00.001Z'))

  at('2027-03-03T09:00:00Z')
  await pay()
  expect((await runs()).slice(1)).toEqual(['2027-03-02 at 10: 1 users, 1 nodes, 10', '2027-03-03 at 99: 2 users, 2 nodes, 198'])
  expect(await differences()).toEqual([])
})

test('an allocation in progress at 09:00 delays the run and is paid', async () => {
  const { at, orm, openHolder, giveNodes, pay, balance, differences } = await startHolders()
  at('2027-03-01T12:00:00Z')
  const holder = await openHolder()
  at('2027-03-02T08:59:59Z')
  const [locked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  // Another transaction locks the supply row. This allocation waits for it, and the run waits for the allocation.
  const holding = orm.em.fork().transactional(async (em) => {
    await sql(em, 'select from supply for update')
    locked.resolve()
    await held.promise
  })
  await locked.promise
  const giving = giveNodes(holder)
  await expect.poll(() => countLockWaits({ orm }, 'supply')).toBe(1)
  at('2027-03-02T09:00:00Z')
  const paying = pay()
  // A concurrent allocation for 1 March, the open day; both wait for the row.
  await expect.poll(() => countLockWaits({ orm }, 'supply')).toBe(2)
  held.resolve()
  await Promise.all([holding, giving, paying])

  expect(await balance(holder)).toBe('20')
  expect(await differences()).toEqual([])
})

test('a rate change in progress at 09:00 delays the run and counts for the day', async () => {
  const { at, orm, clock, openHolder, pay, balance, differences } = await startHolders()
  at('2027-03-01T12:00:00Z')
  const holder = await openHolder()
  at('2027-03-02T08:59:59Z')
  const [changed, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const changing = orm.em.fork().transactional(async (em) => {
    await changeSetting(em, { key: 'xcr_per_node_daily', value: '99', effectiveAt: clock.now() })
    changed.resolve()
    await held.promise
  })
  await changed.promise
  at('2027-03-02T09:00:00Z')
  const paying = pay()
  await expect.poll(() => countLockWaits({ orm }, 'pg_advisory_xact_lock')).toBe(1)
  held.resolve()
  await Promise.all([changing, paying])

  expect(await balance(holder)).toBe('99')
  expect(await differences()).toEqual([])
})

test('after a rate change in a demo, a day is paid at the rate in force at its 09:00 in product time', async () => {
  const { at, orm, clock, openHolder, setRate, pay, runs, differences } = await startHolders()
  at('2027-03-01T12:00:00Z')
  await openHolder()
  await setRate('20')
  await advanceDemo(24)
  // Two minutes later in real time, a day and two minutes in product time: after 09:00 of 2 March.
  clock.advance(120_000)
  await setRate('30')
  await advanceDemo(24)
  await pay()

  expect((await runs()).slice(1)).toEqual(['2027-03-02 at 20: 1 users, 1 nodes, 20', '2027-03-03 at 30: 1 users, 1 nodes, 30'])
  expect(await differences()).toEqual([])

  async function advanceDemo(hours: number) {
    clock.advanceProduct(hours * 3_600_000)
    await sql(orm.em.fork(), 'update installation set clock_offset_ms = clock_offset_ms + $1', [hours * 3_600_000])
  }
})

test('a worker killed during a payment leaves no partial writes, and the next one pays the same', async () => {
  const holders = await startHolders()
  const { at, orm, openHolder, pay, runs, balance, differences } = holders
  at('2027-03-01T12:00:00Z')
  const people = [await openHolder({ nodes: 2 }), await openHolder({ nodes: 3 })]
  at('2027-03-02T09:00:00Z')
  await pay()
  at('2027-03-03T09:00:00Z')

  // Locking one balance stops the statement halfway.
  await orm.em.fork().transactional(async (em) => {
    await sql(em, 'select from accounts where id = $1 for update', [people[1]])
    const worker = startWorker(holders, '2027-03-03T09:00:00Z')
    await expect.poll(() => countLockWaits({ orm }, 'with active as')).toBe(1)
    worker.kill('SIGKILL')
    await once(worker, 'exit')
  })
  await expect
    .poll(async () => {
      await pay()
      return runs()
    })
    .toHaveLength(3)

  expect((await runs()).at(-1)).toBe('2027-03-03 at 10: 2 users, 5 nodes, 50')
  expect(await Promise.all(people.map(balance))).toEqual(['40', '60'])
  expect(await differences()).toEqual([])
})

/** Three unpaid days after the first, for users with and without an account, at a rate with 18 decimals. */
async function startLateDays() {
  const holders = await startHolders()
  const { at, openHolder, giveNodes, setRate, pay } = holders
  at('2027-03-01T12:00:00Z')
  await setRate('10.123456789012345678')
  const people = [await openHolder({ nodes: 2 }), await openHolder({ nodes: 3, kind: 'bonus' })]
  at('2027-03-02T09:00:00Z')
  await pay()
  await setRate('0.000000000000000007')
  people.push(await openHolder({ nodes: 5 }))
  at('2027-03-03T10:00:00Z')
  await giveNodes(people[0]!, { nodes: 11 })
  at('2027-03-05T09:00:00Z')
  return { ...holders, people }
}

test('workers killed at each interruptible step pay exactly the same as an undisturbed one', async () => {
  const undisturbed = await startLateDays()
  await undisturbed.pay()
  const days = await startLateDays()
  const { orm, people, pay, runs, balance, differences } = days
  const [first, , newcomer] = people as [string, string, string]
  // A row locked or inserted by another transaction stops a worker at each step.
  const places: [waiting: string, held: string][] = [
    ['supply', 'select from supply for update'],
    ['select from accounts', `select from accounts where id = '${houseAccounts.rewards}' for update`],
    ['with active as', `select from accounts where id = '${first}' for update`],
    ['insert into accounts', `insert into accounts (id, kind) values ('${newcomer}', 'user')`],
    [
      'with active as',
      `insert into distributions (day, user_id, id, active_nodes, rate, amount, created_at)
       values ('2027-03-04', '${first}', gen_random_uuid(), 1, 1, 1, now())`,
    ],
    [
      'with active as',
      `insert into ledger_entries (date, cause, from_account, to_account, amount, recorded_at)
       values ('2027-03-05', 'distribution:2027-03-05:${first}', '${houseAccounts.rewards}', '${first}', 1, now())`,
    ],
  ]
  for (const [waiting, held] of places) {
    const em = orm.em.fork()
    await em.begin()
    await sql(em, held)
    const worker = startWorker(days, '2027-03-05T09:00:00Z')
    await expect.poll(() => countLockWaits(days, waiting)).toBe(1)
    worker.kill('SIGKILL')
    await once(worker, 'exit')
    await em.rollback()
    // Its connection ends after the process.
    await expect.poll(() => countTransactions(days)).toBe(0)
  }
  await pay()

  expect(await runs()).toHaveLength(5)
  expect(await runs()).toEqual(await undisturbed.runs())
  expect(await Promise.all(people.map(balance))).toEqual(await Promise.all(undisturbed.people.map(undisturbed.balance)))
  expect(await balance(houseAccounts.rewards)).toBe(await undisturbed.balance(houseAccounts.rewards))
  expect(await differences()).toEqual([])
})

test('a day closed by a killed worker is paid by the next one', async () => {
  const { at, orm, openHolder, pay, runs, differences } = await startHolders()
  at('2027-03-01T12:00:00Z')
  await openHolder()
  at('2027-03-02T09:00:00Z')
  await pay()
  await sql(orm.em.fork(), `insert into reward_runs (day, rate, closed_at) values ('2027-03-03', '10000000000000000000', now())`)

  at('2027-03-04T09:00:00Z')
  await pay()
  expect((await runs()).slice(2)).toEqual(['2027-03-03 at 10: 1 users, 1 nodes, 10', '2027-03-04 at 10: 1 users, 1 nodes, 10'])
  expect(await differences()).toEqual([])
})

/** The number of open transactions of other sessions. */
async function countTransactions({ orm }: Pick<Holders, 'orm'>): Promise<number> {
  const [row] = await sql<{ count: number }>(
    orm.em.fork(),
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and xact_start is not null and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  )
  return row!.count
}

/** Starts a worker in a separate process that pays the days due at a time. */
function startWorker({ database }: Holders, time: string) {
  const script = `
    import { MikroORM } from '@mikro-orm/postgresql'
    import { ormOptions } from '#api/entities/ormOptions.ts'
    import { payDueDays } from '#api/rewards/daily/payDueDays.ts'
    import { clockTimeSources } from '#api/testing/FakeClock.ts'
    const now = () => new Date('${time}')
    const clock = { now, productNow: now }
    await payDueDays({ orm: new MikroORM(ormOptions({ url: '${database.url}' })), clock, timeSources: clockTimeSources(clock) })`
  const worker = spawn(process.execPath, ['--input-type=module', '-e', script], {
    cwd: path.resolve(import.meta.dirname, '../../..'),
    env: { ...process.env, NODE_COMPILE_CACHE: '.cache/compiled' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  onTestFinished(() => void worker.kill('SIGKILL'))
  return worker
}
