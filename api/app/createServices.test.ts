import { expect, test } from 'vitest'
import { sql } from '#api/platform/db/sql.ts'
import { useDatabase } from '#api/testing/database.ts'
import { testConfig } from '#api/testing/testConfig.ts'
import { createServices } from './createServices.ts'

const database = useDatabase()

test('a process stops while connections are being opened for work that nobody waits for, which is completed', async () => {
  const errors: unknown[] = []
  const config = testConfig({ DATABASE_URL: database.url })
  const services = await createServices(config, { worker: false, onError: (error) => void errors.push(error) })
  // More than there are connections.
  const works = Array.from({ length: 8 }, (_, number) => sql(services.orm.em.fork(), 'select $1::int as number', [number]))

  await services.stop()

  expect(await Promise.all(works)).toHaveLength(8)
  expect(errors).toEqual([])
})
