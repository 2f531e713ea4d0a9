import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { ONE_TOKEN } from '#shared/amount.ts'
import { sql } from '#api/platform/db/sql.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { moveXcr } from '#api/rewards/ledger/moveXcr.ts'
import { startArchiveWorld } from '#api/testing/archiveWorld.ts'
import { whileDamaged } from '#api/testing/damage.ts'
import { insertWithdrawal } from '#api/testing/withdrawals.ts'
import { refundWithdrawal } from '#api/withdrawals/requests/refundWithdrawal.ts'
import type { Check } from '../Check.ts'
import { archivedMonths, carriedSums } from '../checks/archive.ts'
import { balances, totalsEarned } from '../checks/balances.ts'
import { recomputedRewards } from '../checks/recomputedRewards.ts'
import { findObstacle } from './findObstacle.ts'
import { findOldMonths, KEPT_MONTHS } from './findMonths.ts'

const partitions = async (orm: MikroORM, parent: string) =>
  (
    await sql<{ name: string }>(
      orm.em.fork(),
      'select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1',
      [parent],
    )
  ).map(({ name }) => name)

test('an archived month leaves the ledger, and holders, administrators and the audit read the same as before', async () => {
  const { orm, see, find, archive, folder, pay, at } = await startArchiveWorld()
  const before = await see()
  expect(before.statement.length).toBeGreaterThan(34)

  expect(await archive()).toEqual(['2027-01 is archived: 10 entries, 6 rewards.'])

  expect(await see()).toEqual(before)
  expect(await find()).toEqual([])
  expect(await partitions(orm, 'ledger_entries')).not.toContain('ledger_entries_2027_01')
  expect(await partitions(orm, 'archived_ledger_entries')).toEqual(['archived_ledger_entries_2027_01'])
  expect(await partitions(orm, 'archived_distributions')).toEqual(['archived_distributions_2027_01'])
  expect(readdirSync(folder)).toEqual(['distributions_2027_01.csv.gz', 'ledger_entries_2027_01.csv.gz'])
  expect(
    gunzipSync(readFileSync(path.join(folder, 'ledger_entries_2027_01.csv.gz')))
      .toString()
      .split('\n')[1],
  ).toMatch(/^2027-01-29,"distribution:2027-01-29:[0-9a-f-]{36}",[0-9a-f-]{36},[0-9a-f-]{36},\d+,2027-01-31T09:00:00.000Z$/)

  expect(await archive()).toEqual(['There is nothing to archive: no month is older than thirteen months.'])
  at('2027-04-01T09:00:00Z')
  await pay()
  const april = { now: new Date('2027-04-01T10:00:00Z'), productNow: new Date('2027-04-01T10:00:00Z') }
  expect(await archive({ at: april })).toEqual(['2027-02 is archived: 56 entries, 56 rewards.'])
  expect(await find(orm.em.fork(), april)).toEqual([])
})

test('nothing of an archived month moves or is paid a second time', async () => {
  const { orm, owner, services, one, paid, refunded, archive, find, pay, inTransaction, database } = await startArchiveWorld()
  await archive()
  const move = (cause: string, date: string) =>
    inTransaction((em) => moveXcr(em, [{ from: houseAccounts.rewards, to: one, amount: ONE_TOKEN, cause, date }]))

  for (const [cause, date] of [
    [`distribution:2027-01-30:${one}`, '2027-01-30'],
    [`refund:${refunded.id}`, '2027-01-31'],
    [`refund:${paid.id}`, '2027-01-31'],
    ['correction:2027-01-30:new', '2027-01-30'],
    ['older than everything', '2001-01-01'],
  ] as const)
    await expect(move(cause, date), cause).rejects.toThrow('month_is_archived')
  for (const role of [orm, owner, database.superuser])
    await expect(
      sql(role.em.fork(), `insert into distributions select * from archived_distributions where day = '2027-01-30'`),
    ).rejects.toThrow('month_is_archived')

  await pay()
  // Its row says when; nothing else keeps the daily run from a day.
  await sql(database.superuser.em.fork(), `update reward_runs set paid_at = null where day = '2027-01-30'`)
  await expect(pay()).rejects.toThrow('would overlap partition "ledger_entries_closed"')
  await sql(database.superuser.em.fork(), `update reward_runs set paid_at = now() where day = '2027-01-30'`)
  for (const { id } of [paid, refunded])
    await expect(inTransaction((em) => refundWithdrawal(em, services, { id }))).rejects.toThrow('is closed')
  // A refund whose status was put back still cannot be entered again.
  await sql(orm.em.fork(), `update withdrawals set status = 'pending', refunded_at = null where id = $1`, [refunded.id])
  await expect(inTransaction((em) => refundWithdrawal(em, services, { id: refunded.id }))).rejects.toThrow('month_is_archived')
  expect((await find()).map(({ name }) => name)).toEqual(expect.arrayContaining([carriedSums.name, archivedMonths.name]))
})

test('neither the application nor the owner changes archived rows, and the application adds none', async () => {
  const { orm, owner, database, archive, find } = await startArchiveWorld()
  await archive()
  const tables = [
    'archived_ledger_entries',
    'archived_ledger_entries_2027_01',
    'archived_distributions',
    'archived_distributions_2027_01',
    'archived_months',
    'carried_sums',
  ]
  for (const table of tables) {
    const [column] = await sql<{ name: string }>(
      orm.em.fork(),
      'select attname as name from pg_attribute where attrelid = $1::regclass and attnum = 1',
      [table],
    )
    for (const statement of [
      `update ${table} set ${column!.name} = ${column!.name}`,
      `delete from ${table}`,
      `truncate ${table} cascade`,
    ]) {
      await expect(sql(orm.em.fork(), statement), statement).rejects.toThrow('permission denied')
      for (const role of [owner, database.superuser])
        await expect(sql(role.em.fork(), statement), statement).rejects.toThrow('is append-only')
    }
    await expect(sql(orm.em.fork(), `insert into ${table} select * from ${table}`)).rejects.toThrow('permission denied')
    await expect(sql(orm.em.fork(), `drop table ${table} cascade`)).rejects.toThrow('must be owner')
  }
  expect(await find()).toEqual([])
})

const PURCHASE = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa'
const OF_ONE = (id: string) => `month = '2027-01-01' and account_id = '${id}'`

const lies: [name: string, statements: (id: string) => string[], found: (Check | string)[]][] = [
  ['a carried sum', (id) => [`update carried_sums set moved = moved + 1 where ${OF_ONE(id)}`], [balances, carriedSums]],
  [
    'a carried sum and the balance',
    (id) => [
      `update carried_sums set moved = moved + 1 where ${OF_ONE(id)}`,
      `update accounts set balance = balance + 1 where id = '${id}'`,
    ],
    [carriedSums],
  ],
  [
    'carried rewards with the balance and the total earned',
    (id) => [
      `update carried_sums set moved = moved + 1, distributed = distributed + 1 where ${OF_ONE(id)}`,
      `update carried_sums set moved = moved - 1 where ${OF_ONE(houseAccounts.rewards)}`,
      `update accounts set balance = balance + 1, total_earned = total_earned + 1 where id = '${id}'`,
      `update accounts set balance = balance - 1 where id = '${houseAccounts.rewards}'`,
    ],
    [recomputedRewards],
  ],
  [
    'a removed carried sum',
    (id) => [`delete from carried_sums where ${OF_ONE(id)}`],
    [balances, totalsEarned, recomputedRewards, carriedSums],
  ],
  ['the sums of a month', () => [`update archived_months set moved = moved || '{"fee": "6"}'`], [archivedMonths]],
  ['the rewards of a month', () => [`update archived_months set rewards = rewards + 1`], [archivedMonths]],
  [
    'a withdrawal of an archived month',
    () => [`update withdrawals set amount = amount + 1 where status = 'completed'`],
    [archivedMonths, carriedSums],
  ],
  ['an archived reward', (id) => [`delete from archived_distributions where user_id = '${id}' and day = '2027-01-30'`], []],
  [
    'an archived entry',
    (id) => [`update archived_ledger_entries set amount = amount + 1 where to_account = '${id}' and date = '2027-01-30'`],
    [],
  ],
  [
    'the times of archived rewards',
    () => [`update archived_distributions set created_at = created_at + interval '1 ms' where day = '2027-01-30'`],
    [],
  ],
  [
    'archived entries on the days of each other',
    (id) => [
      `update archived_ledger_entries set date = case date when '2027-01-29' then date '2027-01-30' else '2027-01-29' end
       where to_account = '${id}' and date in ('2027-01-29', '2027-01-30')`,
    ],
    [],
  ],
  ['a month that takes entries again', () => ['drop table ledger_entries_closed'], [archivedMonths]],
  [
    'archived days that take rewards',
    () => ['alter table distributions_closed drop constraint month_is_archived'],
    [archivedMonths],
  ],
  ['detached rewards', () => ['drop table archived_distributions_2027_01 cascade'], [archivedMonths]],
]

test('the audit finds every lie about an archived month', async () => {
  const { database, archive, find, one } = await startArchiveWorld()
  await archive()
  for (const [name, statements, checks] of lies) {
    const found = await whileDamaged(database, statements(one), find)
    const names = found.map((finding) => finding.name)
    for (const check of checks) expect(names, name).toContain(typeof check === 'string' ? check : check.name)
    if (checks.length === 0)
      expect(names, name).toContain('The rows of the archived month 2027-01 are those that were carried over')
  }
})

test('a month that may still change is not archived, and the reason is given', async () => {
  const { database, orm, archive, one, at, services, inTransaction } = await startArchiveWorld()
  const january = { name: '2027-01', begin: '2027-01-01', end: '2027-02-01' }
  for (const [change, reason] of [
    [
      `update nodes set frozen_at = '2027-01-30T12:00:00Z' where user_id = '${one}'`,
      /^2 nodes frozen until then may still be thawed/,
    ],
    [`update reward_runs set paid_at = null where day = '2027-01-30'`, /^1 days are not paid$/],
    [
      `insert into reward_skips select '2027-01-30', number from nodes limit 1`,
      /^rewards that nodes missed while they were frozen/,
    ],
    [
      `insert into payouts (id, wallet_address, nonce, cause, recipient, amount, state, signed_at) values (gen_random_uuid(), 'x', 1, 'sweep:2027-01-30', 'x', 1, 'sent', now())`,
      /^a sweep of fees is not settled$/,
    ],
    [
      `insert into payout_wallets (address, next_nonce, stopped_because) values ('x', 1, 'unknown')`,
      /^payouts are stopped, and npm run/,
    ],
    [`delete from reward_runs where day >= '2027-01-31'`, /^1 days are not paid$/],
    [
      `insert into debts (id, withdrawal_id, user_id, amount, owed, opened_at) select gen_random_uuid(), id, user_id, 1, 1, now() from withdrawals limit 1`,
      /^1 debts of withdrawals requested until then are open/,
    ],
    [
      `insert into ledger_entries select '2020-01-01', cause, from_account, to_account, amount, recorded_at from ledger_entries limit 1`,
      /^the default partitions have rows of 2027-01 or before$/,
    ],
    [
      `insert into register_entries (index, kind, subject, text, leaf_hash, appended_at) values (0, 'note', 'x', 'x', '', now())`,
      /^the public register does not have all of its days and corrections$/,
    ],
  ] as const)
    expect(await whileDamaged(database, change, (em) => findObstacle(em, january)), change).toMatch(reason)
  const published = [
    `insert into register_days select max(day), 0, '', '', '' from reward_runs`,
    `insert into register_entries (index, kind, subject, text, leaf_hash, appended_at)
     values (0, 'books', 'x', E'books/v1\\nday 2027-03-01\\ntime 2027-03-01T09:00:10Z\\n', '', now())`,
  ]
  const correctedAt = (time: string) => [
    ...published,
    `insert into reward_corrections select '2027-01-30', '${PURCHASE}', gen_random_uuid(), '${one}', 1, 1, 1, '${time}'`,
    `insert into ledger_entries select '2027-01-30', 'correction:2027-01-30:${PURCHASE}', '${houseAccounts.rewards}', '${one}', 1, '${time}'`,
  ]
  const look = (em: EntityManager) => findObstacle(em, january)
  expect(await whileDamaged(database, correctedAt('2027-03-01T09:00:10Z'), look)).toBeUndefined()
  expect(await whileDamaged(database, correctedAt('2027-03-01T09:00:11Z'), look)).toMatch(/^the public register does not have/)
  at('2027-01-31T12:00:00Z')
  const open = await insertWithdrawal(orm, { userId: one, amount: '10', now: new Date('2027-01-31T12:00:00Z') })
  at('2027-03-02T09:00:00Z')
  expect(await archive()).toEqual(['2027-01 is not archived: 1 withdrawals requested until then are still open.'])
  await inTransaction((em) => refundWithdrawal(em, services, { id: open.id }))
  expect(await archive()).toEqual(['2027-01 is archived: 12 entries, 6 rewards.'])
})

test('nothing is archived while the audit finds differences', async () => {
  const { orm, archive, one } = await startArchiveWorld()
  await sql(orm.em.fork(), 'update accounts set balance = balance + 1 where id = $1', [one])
  await expect(archive()).rejects.toThrow('The audit finds differences, so nothing is archived: account ')
})

test('wherever the command is interrupted, the books agree, and the next call finishes', async () => {
  const { see, find, archive, folder } = await startArchiveWorld()
  const before = await see()
  const steps: string[] = []
  for (let stopAt = 0; ; stopAt += 1) {
    let step = 0
    const onProgress = (text: string) => {
      if (text.startsWith('Checking')) return
      if (step === stopAt) throw new Error(text)
      step += 1
    }
    const outcome = await archive({ onProgress, drop: true }).catch((error: Error) => error.message)
    expect(await find()).toEqual([])
    if (typeof outcome !== 'string') break
    expect(await see()).toEqual(before)
    steps.push(outcome.replaceAll(folder, ''))
  }
  expect(steps).toEqual([
    'Writing ledger_entries of 2027-01',
    'Writing distributions of 2027-01',
    'Detaching 2027-01',
    'Reading /ledger_entries_2027_01.csv.gz back',
  ])
})

test('entries are dropped only once their file has been read back as it was written, and rewards never', async () => {
  const { orm, see, find, archive, folder } = await startArchiveWorld()
  await archive()
  const before = await see()
  const file = path.join(folder, 'ledger_entries_2027_01.csv.gz')
  const good = readFileSync(file)
  const text = gunzipSync(good).toString()
  for (const bad of [good.subarray(0, good.length - 30), gzipSync(text.replace('2027-01-29', '2027-01-30'))]) {
    writeFileSync(file, bad)
    await expect(archive({ drop: true })).rejects.toThrow('the entries of 2027-01 are not dropped')
    expect(await partitions(orm, 'archived_ledger_entries')).toHaveLength(1)
  }
  writeFileSync(file, good)

  expect(await archive({ drop: true })).toEqual([`The entries of 2027-01 are dropped; they are in ${file}.`])

  expect(await partitions(orm, 'archived_ledger_entries')).toEqual([])
  expect(await partitions(orm, 'archived_distributions')).toHaveLength(1)
  const { january, ...after } = await see()
  expect({ ...after, january: before.january }).toEqual(before)
  expect(january).toMatchObject([{ cause: 'archived: ledger_entries_2027_01.csv.gz has 10 entries', amount: 0n }])
  expect(await find()).toEqual([])
})

test('whoever reads the ledger does not wait behind the archiving for a long reader of it', async () => {
  const { orm, database, archive, see } = await startArchiveWorld()
  const before = await see()
  const reader = orm.em.fork()
  await reader.begin()
  await sql(reader, 'lock table ledger_entries in access share mode')
  await sql(reader, 'lock table ledger_entries_2027_01 in access share mode')
  const archiving = archive()
  const isWaiting = () =>
    sql(
      database.superuser.em.fork(),
      `select from pg_locks where not granted and mode = 'AccessExclusiveLock'
       and database = (select oid from pg_database where datname = current_database())`,
    )
  await expect.poll(isWaiting).toHaveLength(1)
  expect(await see()).toEqual(before)
  await reader.rollback()
  expect(await archiving).toHaveLength(1)
})

test('a reader of the ledger does not see a month in neither place, or in both', async () => {
  const { orm, archive, see, find } = await startArchiveWorld()
  const before = await see()
  const [, ...seen] = await Promise.all([archive(), ...Array.from({ length: 8 }, () => see()), find()])
  for (const one of seen.slice(0, -1)) expect(one).toEqual(before)
  expect(seen.at(-1)).toEqual([])
  expect(await partitions(orm, 'archived_distributions')).toHaveLength(1)
})

test('thirteen complete months stay beside the current one', async () => {
  const { orm } = await startArchiveWorld()
  const old = async (at: string) =>
    (await findOldMonths(orm.em.fork(), { productNow: new Date(at), keptMonths: KEPT_MONTHS })).map(({ name }) => name)
  expect(await old('2028-02-29T23:59:59Z')).toEqual([])
  expect(await old('2028-03-01T00:00:00Z')).toEqual(['2027-01'])
  expect(await old('2028-05-31T00:00:00Z')).toEqual(['2027-01', '2027-02', '2027-03'])
})
