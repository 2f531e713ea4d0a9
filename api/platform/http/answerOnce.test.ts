import { expect, test } from 'vitest'
import { newId } from '../db/newId.ts'
import { useDatabase } from '#api/testing/database.ts'
import { answerOnce, type RepeatableRequest } from './answerOnce.ts'

const database = useDatabase()

/** Sends requests of one caller with one key. Answers how many had an effect so far. */
function setup() {
  let effects = 0
  const common = { accountId: newId(), endpoint: { method: 'POST', path: '/api/things/:id/close' }, key: 'one' } as const
  return (request: Pick<RepeatableRequest, 'params' | 'body'>) =>
    database.orm.em.fork().transactional((em) => answerOnce(em, { ...common, ...request }, async () => (effects += 1)))
}

test('one key has one effect, and answers again what it answered first', async () => {
  const send = setup()
  expect(await send({ params: { id: 'a' }, body: { notes: 'x' } })).toBe(1)
  expect(await send({ params: { id: 'a' }, body: { notes: 'x' } })).toBe(1)
})

test('the same key and body on another row is another request', async () => {
  const send = setup()
  await send({ params: { id: 'a' }, body: {} })
  await expect(send({ params: { id: 'b' }, body: {} })).rejects.toMatchObject({ status: 422, code: 'idempotency_key_reused' })
  await expect(send({ params: { id: 'a' }, body: { notes: 'y' } })).rejects.toMatchObject({ code: 'idempotency_key_reused' })
})
