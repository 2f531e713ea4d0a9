import { expect, test } from 'vitest'
import { newId } from '../db/newId.ts'
import { sql } from '../db/sql.ts'
import { useDatabase } from '#api/testing/database.ts'
import { withIdempotency, type RepeatableRequest } from './withIdempotency.ts'

const database = useDatabase()

/** Sends requests of one account with one key. Returns the number of effects so far. */
function setup() {
  let effects = 0
  const common = { accountId: newId(), endpoint: { method: 'POST', path: '/api/things/:id/close' }, key: 'one' } as const
  return (request: Pick<RepeatableRequest, 'params' | 'body'>) =>
    database.orm.em.fork().transactional((em) => withIdempotency(em, { ...common, ...request }, async () => (effects += 1)))
}

test('requests with the same key have one effect and get the first response again', async () => {
  const send = setup()
  expect(await send({ params: { id: 'a' }, body: { notes: 'x' } })).toEqual({ response: 1, isReplayed: false })
  expect(await send({ params: { id: 'a' }, body: { notes: 'x' } })).toEqual({ response: 1, isReplayed: true })
})

test('the same key and body with other path parameters is another request', async () => {
  const send = setup()
  await send({ params: { id: 'a' }, body: {} })
  await expect(send({ params: { id: 'b' }, body: {} })).rejects.toMatchObject({ status: 422, code: 'idempotency_key_reused' })
  await expect(send({ params: { id: 'a' }, body: { notes: 'y' } })).rejects.toMatchObject({ code: 'idempotency_key_reused' })
})

test('a repeated answer waits for the standby like a first one, because the first wait may have been cut short', async () => {
  const request = { accountId: newId(), endpoint: { method: 'POST', path: '/api/things' }, key: 'one', body: {} } as const
  /** A commit waits for the standby only if the transaction has an id. */
  const hasId = () =>
    database.orm.em.fork().transactional(async (em) => {
      await withIdempotency(em, request, async () => ({}))
      const [row] = await sql<{ id: string | null }>(em, 'select pg_current_xact_id_if_assigned()::text as id')
      return row!.id !== null
    })
  expect(await hasId()).toBe(true)
  expect(await hasId()).toBe(true)
})
