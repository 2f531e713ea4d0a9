import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync, appendFileSync, chmodSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { MikroORM } from '@mikro-orm/postgresql'
import { expect, onTestFinished, test } from 'vitest'
import { getNodeStats } from '#shared/contract/nodes.ts'
import { ormOptions } from '#api/entities/ormOptions.ts'
import { prepareDatabase } from '#api/entities/prepareDatabase.ts'
import { sql } from '#api/platform/db/sql.ts'
import { startPostgres } from '#api/dev/startPostgres.ts'
import { jobs } from '#api/app/schedule.ts'
import { createDatabase, useDatabase } from '#api/testing/database.ts'
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

/** Starts a primary and a replica with streaming replication, as in production. */
async function startPair(): Promise<{ url: string; replicaUrl: string }> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'replica-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  chmodSync(folder, 0o711)
  const [dataDir, copy] = [path.join(folder, 'primary'), path.join(folder, 'replica')]
  await (await startPostgres({ dataDir, unsafe: true })).stop()
  // Preserves owners and permissions.
  execFileSync('cp', ['-a', dataDir, copy])
  const primary = await startPostgres({ dataDir, unsafe: true })
  onTestFinished(() => primary.stop())
  writeFileSync(path.join(copy, 'standby.signal'), '')
  appendFileSync(path.join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${primary.url}'\n`)
  const replica = await startPostgres({ dataDir: copy, unsafe: true })
  onTestFinished(() => replica.stop())
  return { url: primary.url, replicaUrl: replica.url }
}

test('a page that is notified of a change reads it, regardless of the lag of the replica', { timeout: 90_000 }, async () => {
  const { url, replicaUrl } = await startPair()
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
