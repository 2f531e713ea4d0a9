import { expect, test } from 'vitest'
import { newId } from '../db/newId.ts'
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
