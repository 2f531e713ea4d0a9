import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context } from 'koa'
import { createHash } from 'node:crypto'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { sql } from '../db/sql.ts'
import { refusal } from '../errors.ts'

export interface RepeatableRequest {
  accountId: string
  endpoint: Pick<Endpoint, 'method' | 'path'>
  key: string
  /** Of its path: another row is another request. */
  params?: unknown
  body: unknown
}

/** The caller's `Idempotency-Key`, if there is one. */
export function readIdempotencyKey(ctx: Context): string | undefined {
  const key = ctx.get('idempotency-key')
  if (!key) return undefined
  if (!/^[\x21-\x7e]{1,200}$/.test(key)) throw refusal(400, 'invalid_request', 'The Idempotency-Key is not valid.')
  return key
}

export const endpointName = ({ method, path }: RepeatableRequest['endpoint']): string => `${method} ${path}`

export const hashBody = (body: unknown): string => hash(body ?? null)

/** Of all that tells one request from another at the same endpoint. */
const hashRequest = ({ params, body }: Pick<RepeatableRequest, 'params' | 'body'>): string =>
  hasKeys(params) ? hash([params, body ?? null]) : hashBody(body)

const hasKeys = (params: unknown): boolean => Object.keys(params ?? {}).length > 0

const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

export const keyReused = () => refusal(422, 'idempotency_key_reused', 'This Idempotency-Key was used for another request.')
export const stillRunning = () =>
  refusal(409, 'request_in_progress', 'The same request is still being worked on. Please try again in a moment.')

/**
 * Lets a request have its effect once, however often it is sent (money.md 19): same key and body answer again what was answered
 * first; same key and another body, or another row, is refused; one that is still running elsewhere is refused.
 *
 * The key is written in the transaction of the effect, so a kill removes both. A refusal rolls it back: refusals are not kept.
 */
export async function answerOnce(em: EntityManager, request: RepeatableRequest, work: () => Promise<unknown>): Promise<unknown> {
  const endpoint = endpointName(request.endpoint)
  const bodyHash = hashRequest(request)
  const [lock] = await sql<{ mine: boolean }>(em, 'select pg_try_advisory_xact_lock(hashtextextended($1, 19)) as mine', [
    `${request.accountId} ${endpoint} ${request.key}`,
  ])
  if (!lock?.mine) throw stillRunning()

  const [earlier] = await sql<{ body_hash: string; response: unknown }>(
    em,
    'select body_hash, response from idempotency_keys where account_id = $1 and endpoint = $2 and key = $3',
    [request.accountId, endpoint, request.key],
  )
  if (earlier && earlier.body_hash !== bodyHash) throw keyReused()
  if (earlier) return earlier.response

  const response = await work()
  await sql(
    em,
    'insert into idempotency_keys (account_id, endpoint, key, body_hash, response, created_at) values ($1, $2, $3, $4, $5, now())',
    [request.accountId, endpoint, request.key, bodyHash, JSON.stringify(response)],
  )
  return response
}
