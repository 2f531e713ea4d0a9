import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Context } from 'koa'
import { createHash } from 'node:crypto'
import type { Endpoint } from '#shared/contract/endpoint.ts'
import { lockOf, tryLockUntilCommit } from '../db/advisoryLocks.ts'
import { confirmEarlier } from '../db/confirmEarlier.ts'
import { query } from '../tables/tables.ts'
import { DomainError, refusal } from '../errors.ts'

export interface RepeatableRequest {
  accountId: string
  endpoint: Pick<Endpoint, 'method' | 'path'>
  key: string
  /** The path parameters, which are part of the request's identity. */
  params?: unknown
  /** As the contract writes it, so that neither the order of its fields nor the form of an amount matters. */
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

/** Hash of everything that distinguishes requests to the same endpoint. */
const hashRequest = ({ params, body }: Pick<RepeatableRequest, 'params' | 'body'>): string =>
  hasKeys(params) ? hash([params, body ?? null]) : hashBody(body)

const hasKeys = (params: unknown): boolean => Object.keys(params ?? {}).length > 0

const hash = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')

export const keyReused = () => refusal(422, 'idempotency_key_reused', 'This Idempotency-Key was used for another request.')
export const stillRunning = () =>
  refusal(409, 'request_in_progress', 'The same request is still being processed. Please try again in a moment.')

/**
 * Runs a request's effect once, however often it is sent (money.md 19). The same key and request return the stored response; the
 * same key with another request is refused; a request that is still running elsewhere is refused.
 *
 * The key is written in the transaction of the effect, so a crash removes both. Refusals are not stored: a thrown one rolls everything
 * back, and a returned one commits what it counts, such as a wrong code, without the key.
 */
export async function withIdempotency(
  em: EntityManager,
  request: RepeatableRequest,
  work: () => Promise<unknown>,
): Promise<{ response: unknown; isReplayed: boolean }> {
  const endpoint = endpointName(request.endpoint)
  const bodyHash = hashRequest(request)
  const { accountId, key } = request
  if (!(await tryLockUntilCommit(em, lockOf(`${accountId} ${endpoint} ${key}`, 19)))) throw stillRunning()

  const earlier = await query(em)
    .selectFrom('idempotency_keys')
    .select(['bodyHash', 'response'])
    .where('accountId', '=', accountId)
    .where('endpoint', '=', endpoint)
    .where('key', '=', key)
    .executeTakeFirst()
  if (earlier && earlier.bodyHash !== bodyHash) throw keyReused()
  if (earlier) {
    await confirmEarlier(em)
    return { response: earlier.response, isReplayed: true }
  }

  const response = await work()
  if (response instanceof DomainError) return { response, isReplayed: false }
  await query(em)
    .insertInto('idempotency_keys')
    .values({ accountId, endpoint, key, bodyHash, response, createdAt: sql<Date>`now()` })
    .execute()
  return { response, isReplayed: false }
}
