import { expect, test } from 'vitest'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { sql } from '../db/sql.ts'
import { useDatabase } from '#api/testing/database.ts'
import { FakeClock } from '#api/testing/FakeClock.ts'
import { testConfig } from '#api/testing/testConfig.ts'
import { startServer } from '#api/testing/server.ts'
import { createSweepRecord } from './createSweepRecord.ts'
import { runWorker } from './runWorker.ts'
import { jobs, sweeps } from '#api/app/schedule.ts'

const database = useDatabase()

function setup(name: string) {
  const clock = new FakeClock()
  const config = testConfig({ DATABASE_URL: database.url })
  const record = createSweepRecord({ orm: database.orm, config, clock }, { name })
  const read = async () => {
    const [row] = await sql<{ finished: string | null; failed: string | null; error: string | null }>(
      database.orm.em.fork(),
      'select finished_at as finished, failed_at as failed, error from sweep_runs where name = $1',
      [name],
    )
    return { finished: row?.finished && new Date(row.finished), failed: row?.failed && new Date(row.failed), error: row?.error }
  }
  return { clock, config, record, read }
}

test('successful runs are recorded once a minute, however often the sweep runs', async () => {
  const { clock, record, read } = setup('busy')
  const begun = clock.now()
  await record()
  clock.advance(MINUTE - 1)
  await record()
  expect(await read()).toEqual({ finished: begun, failed: null, error: null })
  clock.advance(1)
  await record()
  expect(await read()).toEqual({ finished: clock.now(), failed: null, error: null })
})

test('a failure and its recovery are recorded at once', async () => {
  const { clock, record, read } = setup('failing')
  await record()
  const finished = clock.now()
  clock.advance(SECOND)
  await record({ error: new TypeError('the disk is full') })
  const failed = clock.now()
  expect(await read()).toEqual({ finished, failed, error: 'TypeError: the disk is full' })
  clock.advance(SECOND)
  await record({ error: new TypeError('the disk is still full') })
  expect((await read()).error, 'once a minute, too').toBe('TypeError: the disk is full')
  clock.advance(SECOND)
  await record()
  expect(await read()).toMatchObject({ finished: clock.now(), failed })
})

test('errors are recorded without secrets and truncated', async () => {
  const { config, record, read } = setup('leaking')
  await record({ error: new Error(`the key ${config.ENCRYPTION_KEY} does not fit ${'x'.repeat(1_000)}`) })
  const { error } = await read()
  expect(error).toContain('the key (ENCRYPTION_KEY) does not fit')
  expect(error!.length).toBe(300)
})

test('a worker records every sweep, including failed ones', async () => {
  const { services } = await startServer(database)
  const em = () => database.orm.em.fork()
  await sql(em(), 'delete from sweep_runs')
  // The table that the daily audit writes to is missing.
  await sql(database.superuser.em.fork(), 'alter table audit_runs rename to away')
  const errors: unknown[] = []
  const worker = await runWorker(services, { jobs, sweeps }, (error) => void errors.push(error))
  const count = async (what: string) => (await sql(em(), `select from sweep_runs where ${what}`)).length

  await expect.poll(() => count('true')).toBe(sweeps.length)

  await worker.stop()
  expect(await count('finished_at is not null')).toBe(sweeps.length - 1)
  expect(await sql(em(), 'select name, error from sweep_runs where failed_at is not null')).toEqual([
    { name: 'audit-daily', error: expect.stringContaining('audit_runs') },
  ])
  expect(errors).toHaveLength(1)
  await sql(database.superuser.em.fork(), 'alter table away rename to audit_runs')
})
