import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { type Postgres, startPostgres } from './startPostgres.ts'

function makeDataDir(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'postgres-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return path.join(folder, 'data')
}

async function query<Row extends object>({ url }: Postgres, text: string): Promise<Row[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

test('data survives a stop, and a start ignores the stale lock file of a killed server', async () => {
  const dataDir = makeDataDir()
  const first = await startPostgres({ dataDir })
  await query(first, 'create table kept as select 7 as value')
  await first.stop()
  // The id of a running process that is not PostgreSQL.
  writeFileSync(path.join(dataDir, 'postmaster.pid'), `${process.pid}\n${dataDir}\n`)

  const second = await startPostgres({ dataDir })
  onTestFinished(second.stop)
  expect(await query(second, 'select value from kept')).toEqual([{ value: 7 }])
})

test('a start works after an interrupted creation of the data folder', async () => {
  const dataDir = makeDataDir()
  mkdirSync(`${dataDir}.new`)
  writeFileSync(path.join(`${dataDir}.new`, 'PG_VERSION'), '18')
  const postgres = await startPostgres({ dataDir, unsafe: true })
  onTestFinished(postgres.stop)
  expect(await query(postgres, 'show max_connections')).toEqual([{ max_connections: '200' }])
})

test('a port in use is reported with the variable that changes it', async () => {
  const postgres = await startPostgres({ dataDir: makeDataDir(), unsafe: true })
  onTestFinished(postgres.stop)
  const second = startPostgres({ dataDir: makeDataDir(), port: postgres.port, portVariable: 'EMBEDDED_POSTGRES_PORT' })
  await expect(second).rejects.toThrow(
    `Port ${postgres.port} for the embedded PostgreSQL is in use by another program. End that program, or set EMBEDDED_POSTGRES_PORT to a free port.`,
  )
})
