import { expect, test } from 'vitest'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { sql } from '../db/sql.ts'
import { useDatabase } from '../testing/database.ts'
import { FakeClock } from '../testing/FakeClock.ts'
import { testConfig } from '../testing/testConfig.ts'
import { createSweepRecord } from './createSweepRecord.ts'

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

test('while all is well it is written once a minute, however often the sweep runs', async () => {
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

test('a failure, and that it is over, are written at once', async () => {
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

test('an error is kept without secrets, and short', async () => {
  const { config, record, read } = setup('leaking')
  await record({ error: new Error(`the key ${config.ENCRYPTION_KEY} does not fit ${'x'.repeat(1_000)}`) })
  const { error } = await read()
  expect(error).toContain('the key (ENCRYPTION_KEY) does not fit')
  expect(error!.length).toBe(300)
})
