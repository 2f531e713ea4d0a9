import { MikroORM } from '@mikro-orm/postgresql'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { isUnavailable } from '#api/platform/db/isUnavailable.ts'
import { ormOptions } from './ormOptions.ts'
import { useDatabase } from '#api/testing/database.ts'
import { sql } from '#api/platform/db/sql.ts'

const database = useDatabase()

test('transactions whose connection breaks release their place in the pool', async () => {
  const orm = new MikroORM(ormOptions({ url: database.url, poolSize: 2 }))
  onTestFinished(() => orm.close(true))
  const cutOff = () => orm.em.fork().transactional((em) => sql(em, 'select pg_terminate_backend(pg_backend_pid())'))

  for (let times = 0; times < 3; times += 1) expect(isUnavailable(await cutOff().catch((error: unknown) => error))).toBe(true)

  expect(await sql(orm.em.fork(), 'select 1 as one')).toEqual([{ one: 1 }])
})

test('waiting too long for a connection counts as an unavailable database', async () => {
  const silent = createServer((socket) => socket.unref()).listen(0, '127.0.0.1')
  onTestFinished(() => void silent.close())
  await once(silent, 'listening')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const orm = new MikroORM(ormOptions({ url: `postgres://me@127.0.0.1:${(silent.address() as AddressInfo).port}/xcr` }))
  const asked = sql(orm.em.fork(), 'select 1').then(
    () => undefined,
    (error: unknown) => error,
  )

  await once(silent, 'connection')
  await vi.advanceTimersByTimeAsync(10_000)

  expect(isUnavailable(await asked)).toBe(true)
})
