import pg from 'pg'
import { expect, test } from 'vitest'
import { OutcomeUnknown } from '../db/DatabaseClient.ts'
import { sql } from '../db/sql.ts'
import { useDatabase } from '#api/testing/database.ts'
import { respondWithErrors } from './respondWithErrors.ts'

const database = useDatabase()

async function answerTo(work: () => Promise<unknown>, { method = 'POST', key = '', state = {} } = {}) {
  const reported: unknown[] = []
  const headers = new Map<string, string>()
  const ctx = {
    method,
    state,
    get: () => key,
    status: 404,
    body: undefined as unknown,
    set: (name: string, value: string) => headers.set(name, value),
    response: { get: (name: string) => (name === 'X-Request-Id' ? 'one' : '') },
    app: { emit: (_event: string, error: unknown) => reported.push(error) },
  }
  await respondWithErrors(ctx as never, async () => void (await work()))
  return {
    status: ctx.status,
    retryAfter: headers.get('Retry-After'),
    message: (ctx.body as { message: string }).message,
    code: (ctx.body as { code: string }).code,
    requestId: (ctx.body as { requestId: string }).requestId,
    reported,
  }
}

const ask = (statement: string) => sql(database.orm.em.fork(), statement)
const fails = (code: string) => ask(`do $$ begin raise exception 'no' using errcode = '${code}'; end $$`)

const connectTo = (name: string) => new pg.Client({ connectionString: database.url.replace(/[^/]+$/, name) }).connect()

test.each([
  ['loses its connection', () => ask('select pg_terminate_backend(pg_backend_pid())')],
  ['fails because the disk is full', () => fails('53100')],
  ['fails because all connections are in use', () => fails('53300')],
  ['arrives while the server starts', () => fails('57P03')],
  ['is the victim of a deadlock', () => fails('40P01')],
  ['arrives while a restore refuses connections', () => fails('55000')],
  ['arrives while the restored database is not renamed yet', () => connectTo('not_there_yet')],
  ['cannot reach the server', () => new pg.Client({ connectionString: 'postgres://127.0.0.1:9/nobody' }).connect()],
])('a request that %s gets a 503 with Retry-After, and the error is reported', async (_name, work) => {
  const { reported, ...answer } = await answerTo(work)
  expect(answer).toMatchObject({ status: 503, retryAfter: '2', code: 'busy', requestId: 'one' })
  expect(reported).toHaveLength(1)
})

test('a change whose commit was not confirmed may have been done, and is repeated with its key only', async () => {
  const textOf = async (call: { method?: string; key?: string }) => {
    const { status, message } = await answerTo(() => Promise.reject(new OutcomeUnknown('Connection lost')), call)
    expect(status).toBe(503)
    return message
  }
  expect(await textOf({ method: 'POST' })).toBe(
    "We can't tell whether this was done. Nothing was lost. Please check before you try again.",
  )
  const again = "We can't respond right now. Nothing was lost. Please try again."
  expect(await textOf({ method: 'POST', key: 'one' })).toBe(again)
  expect(await textOf({ method: 'GET' })).toBe(again)
})

test('a request that fails with another database error gets a 500', async () => {
  const { reported, ...answer } = await answerTo(() => ask('select 1 / 0'))
  expect(answer).toMatchObject({ status: 500, retryAfter: undefined, code: 'internal', requestId: 'one' })
  expect(reported).toHaveLength(1)
})

test('a change that fails for another reason after its commit is not called undone', async () => {
  const textOf = async (key: string) =>
    (await answerTo(() => Promise.reject(new Error('no')), { key, state: { hasCommitted: true } })).message
  expect(await textOf('')).toBe("We can't tell whether this was done. Nothing was lost. Please check before you try again.")
  expect(await textOf('one')).toBe('Something went wrong on our side. Nothing was lost. Please try again.')
})
