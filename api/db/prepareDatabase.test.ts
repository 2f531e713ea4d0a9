import { MikroORM } from '@mikro-orm/postgresql'
import { expect, onTestFinished, test } from 'vitest'
import { jobs } from '../jobs/schedule.ts'
import { JobQueue } from '../jobs/JobQueue.ts'
import { createDatabase } from '../testing/database.ts'
import { testConfig } from '../testing/testConfig.ts'
import { ormOptions } from './ormOptions.ts'
import { isPrepared, prepareDatabase } from './prepareDatabase.ts'
import { sql } from './sql.ts'

const jobNames = jobs.map(({ name }) => name)

async function openEmpty() {
  const { drop, ...database } = await createDatabase({ empty: true })
  onTestFinished(drop)
  const options = { config: testConfig({ DATABASE_URL: database.url }), directUrl: database.url, jobNames }
  return { ...database, options }
}

test('processes that start at once on an empty database each find it prepared, and it is prepared once', async () => {
  const { url, orm, options } = await openEmpty()
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

test('a database that the next release has changed serves this one: after its migrations, and with newer tables of the queue', async () => {
  const { drop, url, orm } = await createDatabase()
  onTestFinished(drop)
  const em = orm.em.fork()
  await sql(em, `insert into mikro_orm_migrations (name, executed_at) values ('Migration29990101000000_next', now())`)
  await sql(em, 'update pgboss.version set version = version + 1')

  expect(await isPrepared(orm, { config: testConfig({ DATABASE_URL: url }), jobNames })).toBe(true)
  const queue = new JobQueue(url, {
    onError: (error) => {
      throw error
    },
  })
  onTestFinished(() => queue.stop())
  await queue.start()
})
