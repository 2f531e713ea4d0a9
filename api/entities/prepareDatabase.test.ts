import { readFileSync } from 'node:fs'
import path from 'node:path'
import { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import type { Config } from '#api/platform/config.ts'
import { openRoles } from '#api/dev/openRoles.ts'
import { jobs } from '#api/app/schedule.ts'
import { JobQueue } from '#api/platform/jobs/JobQueue.ts'
import { auditDatabase } from '#api/integrity/auditDatabase.ts'
import { createDatabase } from '#api/testing/database.ts'
import { testConfig } from '#api/testing/testConfig.ts'
import { ormOptions } from './ormOptions.ts'
import { isPrepared, prepareDatabase, prepareTables } from './prepareDatabase.ts'
import { sql } from '#api/platform/db/sql.ts'

const jobNames = jobs.map(({ name }) => name)

async function open({ empty = false } = {}) {
  const { drop, ...database } = await createDatabase({ empty })
  onTestFinished(drop)
  const { url, ownerUrl } = database
  return {
    ...database,
    options: { config: testConfig({ DATABASE_URL: url, DATABASE_OWNER_URL: ownerUrl }), directUrl: url, jobNames },
  }
}

/** A production configuration, without defaults. */
const inProduction = (config: Config, changes: Partial<Config> = {}): Config => ({ ...config, production: true, ...changes })

async function asOwner(ownerUrl: string, statement: string): Promise<void> {
  const client = new pg.Client(ownerUrl)
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

test('processes that start concurrently on an empty database prepare it once', async () => {
  const { url, orm, options } = await open({ empty: true })
  const others = Array.from({ length: 5 }, () => new MikroORM(ormOptions({ url, poolSize: 2 })))
  onTestFinished(async () => void (await Promise.all(others.map((other) => other.close(true)))))

  await Promise.all(others.map((other) => prepareDatabase(other, options)))

  expect(await isPrepared(orm, options)).toBe(true)
  const [counts] = await sql(
    orm.em.fork(),
    `select (select count(*) - count(distinct name) from mikro_orm_migrations)::int as twice,
       (select count(*) from supply)::int as supplies, (select count(*) from chain_progress)::int as chains`,
  )
  expect(counts).toEqual({ twice: 0, supplies: 1, chains: 1 })
})

test('a database migrated by the next release still serves this one, also with newer tables of the queue', async () => {
  const { url, orm, options, superuser } = await open()
  const em = superuser.em.fork()
  await sql(em, `insert into mikro_orm_migrations (name, executed_at) values ('Migration29990101000000_next', now())`)
  await sql(em, 'update pgboss.version set version = version + 1')

  expect(await isPrepared(orm, options)).toBe(true)
  const queue = new JobQueue(url, {
    onError: (error) => {
      throw error
    },
  })
  onTestFinished(() => queue.stop())
  await queue.start()
})

test('the rows of an older release are migrated, and the audit agrees with them', async () => {
  const { orm, superuser, ownerUrl, options } = await open({ empty: true })
  const owner = new MikroORM(ormOptions({ url: ownerUrl, poolSize: 2 }))
  await owner.migrator.up({ to: 'Migration20261123231300_payout_caps' })
  await owner.close(true)
  const older = readFileSync(path.join(import.meta.dirname, '../testing/olderRelease.sql'), 'utf8')
  await sql(superuser.em.fork(), older)

  await prepareDatabase(orm, options)

  // Ten days of the demo had passed.
  const time = { now: new Date('2026-11-27T11:09:00Z'), productNow: new Date('2026-12-07T11:09:00Z') }
  const findings = await auditDatabase(orm.em.fork(), time)
  expect(findings.filter(({ differences }) => differences.length > 0)).toEqual([])
  const [rows] = await sql(
    orm.em.fork(),
    `select (select count(*) from nodes)::int as nodes, (select sum(amount)::text from deposits) as paid,
       (select sum(total_earned)::text from accounts) as earned`,
  )
  expect(rows).toEqual({ nodes: 320, paid: '987000000000000000000', earned: '25400000000000000000000' })
})

test('a migration that waits for a table lets its readers through, keeps the ones before it, and is completed afterwards', async () => {
  const { orm, superuser, ownerUrl, options } = await open()
  await asOwner(
    ownerUrl,
    `alter table users drop column otp_resets_at, drop column otp_reset_by;
     delete from mikro_orm_migrations where name ~ 'otp_resets|daily_limit';
     alter table users drop column daily_limit, drop column next_daily_limit, drop column daily_limit_changes_at;
     alter table chain_progress drop column settled_in; delete from mikro_orm_migrations where name ~ 'restored_databases'`,
  )
  const backup = superuser.em.fork()
  await backup.begin()
  await sql(backup, 'select from chain_progress')

  const prepared = prepareDatabase(orm, options)

  const waiting = () =>
    sql(superuser.em.fork(), `select from pg_locks where relation = 'chain_progress'::regclass and not granted`)
  await expect.poll(waiting).toHaveLength(1)
  await sql(orm.em.fork(), 'select from chain_progress')
  await sql(orm.em.fork(), 'select daily_limit, otp_reset_by from users')
  await backup.commit()
  await prepared
  expect(await isPrepared(orm, options)).toBe(true)
})

test("production prepares nothing without the owner's URL, and needs it only once", async () => {
  const { orm, options } = await open({ empty: true })
  const config = inProduction(options.config)
  const { DATABASE_OWNER_URL: _, ...withoutOwner } = config

  await expect(prepareDatabase(orm, { ...options, config: withoutOwner as Config })).rejects.toThrow(
    'DATABASE_OWNER_URL is missing',
  )
  await prepareDatabase(orm, { ...options, config })
  // Rows that the application itself writes need no owner.
  const moved = { ...withoutOwner, DEPOSIT_ADDRESS: `0x${'d'.repeat(40)}` } as Config
  await prepareDatabase(orm, { ...options, config: moved })
  expect(await isPrepared(orm, { ...options, config: moved })).toBe(true)
})

test('production refuses a role that owns the tables, and explains how to separate the roles', async () => {
  const { ownerUrl, superuser, options } = await open()
  const config = inProduction(options.config)
  const owner = new MikroORM(ormOptions({ url: ownerUrl, poolSize: 2 }))
  onTestFinished(() => owner.close(true))
  for (const [orm, role] of [
    [owner, 'xcr_owner'],
    [superuser, 'postgres'],
  ] as const)
    await expect(prepareDatabase(orm, { ...options, config })).rejects.toThrow(
      `DATABASE_URL must not be of a role that owns the tables, as ${role} does`,
    )
})

test.each([
  ['default_transaction_isolation', 'repeatable read'],
  ['default_transaction_isolation', 'serializable'],
  ['DateStyle', 'German, DMY'],
  ['session_replication_role', 'replica'],
  ['synchronous_commit', 'off'],
  ['standard_conforming_strings', 'off'],
  ['client_min_messages', 'error'],
])('no process starts while %s is %s, under which money could be lost or paid twice', async (setting, value) => {
  const { url, superuser, options } = await open()
  const name = new URL(url).pathname.slice(1)
  await sql(superuser.em.fork(), `alter role xcr in database ${name} set ${setting} = '${value}'`)
  const orm = new MikroORM(ormOptions({ url, poolSize: 2 }))
  onTestFinished(() => orm.close(true))

  await expect(prepareDatabase(orm, options)).rejects.toThrow(`setting ${setting} is '${value}' and must be`)
})

test('a setting that is changed while a process runs counts for no connection that its pool opens later', async () => {
  const { url, superuser } = await open()
  const orm = new MikroORM(ormOptions({ url, poolSize: 2 }))
  onTestFinished(() => orm.close(true))
  const change = (to: string) => sql(superuser.em.fork(), `alter role xcr in database ${new URL(url).pathname.slice(1)} ${to}`)
  const first = orm.em.fork()
  await first.begin()
  onTestFinished(() => first.rollback())
  await change(`set default_transaction_isolation = 'repeatable read'`)
  // More often than the pool has places: a connection that is refused takes none.
  for (const _again of [1, 2]) await expect(sql(orm.em.fork(), 'select')).rejects.toThrow(`must be 'read committed'`)
  await change('reset all')
  expect(await sql(orm.em.fork(), 'select 1 as one')).toEqual([{ one: 1 }])
})

test('a transaction is at the level that the rules of money need, though a pooler’s connection has another one', async () => {
  const { url } = await open()
  const orm = new MikroORM(ormOptions({ url, poolSize: 1 }))
  onTestFinished(() => orm.close(true))
  await sql(orm.em.fork(), `set default_transaction_isolation = 'serializable'`)
  const level = () => orm.em.fork().transactional((em) => sql(em, 'show transaction_isolation'))
  expect(await level()).toEqual([{ transaction_isolation: 'read committed' }])
})

test('missing rights are granted, and excess rights are revoked', async () => {
  const { orm, ownerUrl, options } = await open()
  await asOwner(ownerUrl, 'revoke all on known_devices from xcr; grant update on ledger_entries to xcr')
  const em = () => orm.em.fork()
  expect(await isPrepared(orm, options)).toBe(false)

  await prepareDatabase(orm, options)

  expect(await isPrepared(orm, options)).toBe(true)
  await sql(em(), 'delete from known_devices')
  await expect(sql(em(), 'update ledger_entries set amount = amount')).rejects.toThrow('permission denied')
})

test('tables of the next release do not make this one unprepared, and it leaves their rights as they are', async () => {
  const { orm, ownerUrl, options } = await open()
  await asOwner(
    ownerUrl,
    `create table next_release (id int); grant insert on next_release to xcr;
     create table next_partitions (id int) partition by list (id); create table next_partition partition of next_partitions default`,
  )
  const em = () => orm.em.fork()
  expect(await sql(em(), 'select from next_release'), 'what is new can be read at once').toEqual([])
  expect(await isPrepared(orm, options)).toBe(true)

  await prepareTables(orm, { ownerUrl, jobNames })

  expect(await isPrepared(orm, options)).toBe(true)
  await sql(em(), 'insert into next_release values (1)')
  for (const statement of [
    'update next_release set id = 2',
    'delete from next_release',
    'insert into next_partitions values (1)',
  ])
    await expect(sql(em(), statement), statement).rejects.toThrow('permission denied')
})

test('the grants of a database restored without them are restored at the next start', async () => {
  const { orm, ownerUrl, options } = await open()
  await asOwner(
    ownerUrl,
    `revoke all on all tables in schema public, pgboss from xcr; revoke all on all sequences in schema public, pgboss from xcr;
     revoke usage on schema pgboss from xcr; alter default privileges in schema public revoke select on tables from xcr`,
  )
  expect(await isPrepared(orm, options)).toBe(false)

  await prepareDatabase(orm, { ...options, config: inProduction(options.config) })

  expect(await isPrepared(orm, options)).toBe(true)
  await sql(orm.em.fork(), 'delete from daily_totals')
})

test('an embedded database of the previous release with a single role gets an owner and keeps its rows', async () => {
  const { orm, superuser, options } = await open({ empty: true })
  const em = () => superuser.em.fork()
  const adminUrl = superuser.config.get('clientUrl')!
  await sql(em(), `do $$ begin execute format('alter database %I owner to postgres', current_database()); end $$`)
  await prepareDatabase(superuser, { ...options, config: testConfig({ DATABASE_URL: adminUrl }), directUrl: adminUrl })
  await sql(em(), 'update supply set reserved = 7')
  const countForeign = () =>
    sql(
      em(),
      `select relname from pg_class where relnamespace in ('public'::regnamespace, 'pgboss'::regnamespace) and relowner <> 'xcr_owner'::regrole
       union all select nspname from pg_namespace where nspname = 'pgboss' and nspowner <> 'xcr_owner'::regrole
       union all select proname from pg_proc p where pronamespace in ('public'::regnamespace, 'pgboss'::regnamespace) and proowner <> 'xcr_owner'::regrole
         and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
       union all select datname from pg_database where datname = current_database() and datdba <> 'xcr_owner'::regrole`,
    ).then((rows) => rows.length)
  expect(await countForeign()).toBeGreaterThan(50)

  await openRoles(adminUrl)
  await prepareDatabase(orm, { ...options, config: inProduction(options.config) })

  expect(await countForeign()).toBe(0)
  expect(await sql(orm.em.fork(), 'select reserved from supply')).toEqual([{ reserved: 7 }])
})

test("an owner of the tables that does not use the rights of the database's owner migrates, and leaves its settings alone", async () => {
  const { orm, superuser, ownerUrl, options } = await open({ empty: true })
  const em = () => superuser.em.fork()
  const [host, member] = ['host', 'member'].map((role) => `${role}_${crypto.randomUUID().replaceAll('-', '')}`)
  await sql(em(), `create role ${host}; create role ${member} login noinherit password 'xcr'; grant ${host} to ${member}`)
  onTestFinished(async () => {
    await sql(
      em(),
      `reassign owned by ${host}, ${member} to xcr_owner; drop owned by ${host}, ${member}; drop role ${host}, ${member}`,
    )
  })
  await sql(
    em(),
    `do $$ begin execute format('alter database %I owner to ${host}', current_database());
       execute format('grant create on database %I to ${member}', current_database()); end $$;
     grant all on schema public to ${member}`,
  )
  const config = { ...options.config, DATABASE_OWNER_URL: ownerUrl.replace('xcr_owner', member!) }

  await prepareDatabase(orm, { ...options, config })

  expect(await isPrepared(orm, options)).toBe(true)
  const settings = 'select from pg_db_role_setting join pg_database on oid = setdatabase where datname = current_database()'
  expect(await sql(em(), settings)).toEqual([])
})

test('the server of a prepared database ends connections whose machine is gone within a minute, so that they keep no locks', async () => {
  const { url, orm, options } = await open({ empty: true })
  await prepareDatabase(orm, options)
  const client = new pg.Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  const { rows } = await client.query<{ name: string; setting: string }>(
    `select name, setting from pg_settings where name ~ '^tcp_|^idle_in_transaction' order by name`,
  )
  expect(Object.fromEntries(rows.map(({ name, setting }) => [name, Number(setting)]))).toEqual({
    idle_in_transaction_session_timeout: 300_000,
    tcp_keepalives_count: 3,
    tcp_keepalives_idle: 5,
    tcp_keepalives_interval: 2,
    tcp_user_timeout: 60_000,
  })
})
