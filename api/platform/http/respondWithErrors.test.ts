import pg from 'pg'
import { expect, test } from 'vitest'
import { sql } from '../db/sql.ts'
import { useDatabase } from '#api/testing/database.ts'
import { respondWithErrors } from './respondWithErrors.ts'

const database = useDatabase()

async function answerTo(work: () => Promise<unknown>) {
  const reported: unknown[] = []
  const headers = new Map<string, string>()
  const ctx = {
    status: 404,
    body: undefined as unknown,
    set: (name: string, value: string) => headers.set(name, value),
    app: { emit: (_event: string, error: unknown) => reported.push(error) },
  }
  await respondWithErrors(ctx as never, async () => void (await work()))
  return { status: ctx.status, retryAfter: headers.get('Retry-After'), code: (ctx.body as { code: string }).code, reported }
}

const ask = (statement: string) => sql(database.orm.em.fork(), statement)
const fails = (code: string) => ask(`do $$ begin raise exception 'no' using errcode = '${code}'; end $$`)

const connectTo = (name: string) => new pg.Client({ connectionString: database.url.replace(/[^/]+$/, name) }).connect()

test.each([
  ['is cut off from its connection', () => ask('select pg_terminate_backend(pg_backend_pid())')],
  ['finds the disk full', () => fails('53100')],
  ['finds all connections taken', () => fails('53300')],
  ['comes while the server starts', () => fails('57P03')],
  ['loses a deadlock, with a migration for instance', () => fails('40P01')],
  ['comes while a backup is restored and nobody may connect', () => fails('55000')],
  ['comes while a restored database has not got its name back', () => connectTo('not_there_yet')],
  ['finds no server', () => new pg.Client({ connectionString: 'postgres://127.0.0.1:9/nobody' }).connect()],
])('a request that %s is asked to come again, and an operator hears of it', async (_name, work) => {
  const { reported, ...answer } = await answerTo(work)
  expect(answer).toEqual({ status: 503, retryAfter: '2', code: 'busy' })
  expect(reported).toHaveLength(1)
})

test('a request that breaks a rule of the database is a defect of ours', async () => {
  const { reported, ...answer } = await answerTo(() => ask('select 1 / 0'))
  expect(answer).toEqual({ status: 500, retryAfter: undefined, code: 'internal' })
  expect(reported).toHaveLength(1)
})
