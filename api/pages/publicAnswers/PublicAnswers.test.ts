import { MikroORM } from '@mikro-orm/postgresql'
import { expect, onTestFinished, test, vi } from 'vitest'
import { getNodeStats } from '#shared/contract/nodes.ts'
import { getConfig } from '#shared/contract/settings.ts'
import { HOUR, MINUTE } from '#shared/dates.ts'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { prepareDatabase } from '#api/entities/prepareDatabase.ts'
import { sql } from '#api/platform/db/sql.ts'
import { jobs } from '#api/app/schedule.ts'
import { createDatabase, useDatabase } from '#api/testing/database.ts'
import { startPair } from '#api/testing/startPair.ts'
import { startServer } from '#api/testing/server.ts'
import { testConfig } from '#api/testing/testConfig.ts'

const database = useDatabase()

function open(url: string): MikroORM {
  const orm = new MikroORM(ormOptions({ url, poolSize: 2 }))
  onTestFinished(() => orm.close(true))
  return orm
}

test('public answers come from the replica, and from the primary while the replica is down', async () => {
  const replica = await createDatabase()
  await sql(replica.orm.em.fork(), 'update supply set reserved = 7')
  const server = await startServer(database, { env: { DATABASE_REPLICA_URL: replica.url } })
  const sold = async () => (await server.openBrowser().call(getNodeStats, {})).totalSold
  expect(await sold()).toBe(7)

  await replica.drop()
  await expect.poll(sold).toBe(0)
})

test('answers go on after the clock of the machine is set back', async () => {
  const server = await startServer(database)
  const read = () => server.openBrowser().fetch(server.url + getNodeStats.path)
  const sold = async () => ((await (await read()).json()) as { totalSold: number }).totalSold
  const before = await sold()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 9 * HOUR })
  onTestFinished(() => void vi.useRealTimers())

  await sql(database.orm.em.fork(), 'update supply set reserved = reserved + 3')
  onTestFinished(async () => void (await sql(database.orm.em.fork(), 'update supply set reserved = reserved - 3')))

  await expect.poll(sold).toBe(before + 3)
  expect((await read()).headers.get('age')).toBe(null)
})

test('while the database is away, the clocks of the configuration go on', async () => {
  const away = await createDatabase()
  const server = await startServer(away)
  await server.openPublic()
  const read = async () => (await server.openBrowser().call(getConfig, {})).serverTime.getTime()
  await away.drop()
  const lost = await read()
  server.clock.advance(5 * MINUTE)
  await expect.poll(read).toBeGreaterThanOrEqual(lost + 5 * MINUTE)
})

test('a page that is notified of a change reads it, regardless of the lag of the replica', async () => {
  const pair = await startPair()
  const [url, replicaUrl] = [pair.primary.url, pair.replica.url]
  const [orm, replica] = [open(url), open(replicaUrl)]
  const config = testConfig({ DATABASE_URL: url })
  await prepareDatabase(orm, { config, directUrl: url, jobNames: jobs.map(({ name }) => name) })
  const isReplicated = () =>
    sql(replica.em.fork(), 'select from supply').then(
      (rows) => rows.length,
      () => 0,
    )
  await expect.poll(isReplicated).toBe(1)
  const server = await startServer({ url }, { env: { DATABASE_REPLICA_URL: replicaUrl } })
  await server.openPublic()
  const sold = async () => (await server.openBrowser().call(getNodeStats, {})).totalSold
  const notified = new Promise((resolve) => server.services.events.onChange(resolve))

  await sql(replica.em.fork(), 'select pg_wal_replay_pause()')
  await sql(orm.em.fork(), 'update supply set reserved = 5')
  server.services.events.publish({ all: [getNodeStats.path], users: {} })
  await notified
  expect(await sold()).toBe(5)

  await sql(replica.em.fork(), 'select pg_wal_replay_resume()')
  await expect.poll(() => sql(replica.em.fork(), 'select reserved from supply')).toEqual([{ reserved: 5 }])
  expect(await sold()).toBe(5)
})

test('answers say how old they are: those of a standby that cannot follow, and those that cannot be renewed', async () => {
  const { primary, replica } = await startPair()
  const orm = open(primary.url)
  const config = testConfig({ DATABASE_URL: primary.url })
  await prepareDatabase(orm, { config, directUrl: primary.url, jobNames: jobs.map(({ name }) => name) })
  const standby = open(replica.url)
  await expect.poll(() => sql(standby.em.fork(), 'select from supply').catch(() => [])).toHaveLength(1)
  const server = await startServer(primary, { env: { DATABASE_REPLICA_URL: replica.url }, isAwayExpected: true })
  const read = () => server.openBrowser().fetch(server.url + getNodeStats.path)
  const ageOf = async () => Number((await read()).headers.get('age') ?? 0)
  expect(await ageOf()).toBeLessThan(5)

  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  onTestFinished(() => void vi.useRealTimers())
  await primary.stop()
  vi.setSystemTime(Date.now() + 60_000)
  await expect.poll(ageOf).toBeGreaterThanOrEqual(59)
  // The standby is still read: what has reached it is shown, with the age that is known.
  await sql(standby.em.fork(), 'select pg_promote()')
  await expect.poll(() => sql(standby.em.fork(), 'update supply set reserved = 9 returning 1').catch(() => [])).toHaveLength(1)
  await expect.poll(async () => ((await (await read()).json()) as { totalSold: number }).totalSold).toBe(9)
  expect(await ageOf()).toBeGreaterThanOrEqual(59)

  await replica.stop()
  vi.setSystemTime(Date.now() + 60_000)
  expect(await ageOf()).toBeGreaterThanOrEqual(119)
})
