import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context } from 'koa'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import type { Access, Endpoint, Input, Output } from '#shared/contract/endpoint.ts'
import { MINUTE } from '#shared/dates.ts'
import { type Language, languages } from '#shared/languages.ts'
import { DomainError, refusal } from '../errors.ts'
import { withIdempotency, readIdempotencyKey } from './withIdempotency.ts'
import type { BrowserState } from './browserToken.ts'
import type { RateLimiter } from './limitRate.ts'
import { RequestSession } from './RequestSession.ts'
import { sessionRealmOf } from './sessionRealm.ts'
import type { Actor } from './sessionStore.ts'

/** The state that `createApp` sets on every request. */
export interface RequestState extends BrowserState {
  em: EntityManager
  limits: RateLimiter
  clientAddress: string
}

type AfterCommit<E extends Endpoint> = () => Promise<Partial<Output<E>> | void> | Partial<Output<E>> | void

type ActorOf<A extends Access> = A extends 'public' ? Actor | undefined : Actor

export type Request<E extends Endpoint> = Input<E> & {
  /**
   * In `handle` of every method except GET, in a transaction that commits when the handler returns and rolls back when it throws.
   */
  em: EntityManager
  actor: ActorOf<E['access']>
  session: RequestSession
  /** The client's normalized IP address. */
  clientAddress: string
  header(name: string): string
  /** The language of the client's page, which every request names; English if it is not supported. */
  language(): Language
  /** Runs after the transaction has committed and before the answer is sent, to which it may add properties. */
  afterCommit(work: AfterCommit<E>): void
  /** The client's key, on idempotent endpoints. */
  idempotencyKey: string | undefined
}

/** The key under which the endpoint's rate limit counts the call, together with the values read to determine it. */
export interface Counted {
  countedAs: string
}

type Answer<E extends Endpoint> = Promise<Output<E> | DomainError> | Output<E>

export interface Handler<E extends Endpoint, Known extends object, Prepared> {
  /** False if the handler needs no database, or shares a transaction with other requests and handles idempotency itself. */
  transaction?: false
  /**
   * Replaces the key of the rate limit, by default the account or the network address. The returned values become part of the
   * request.
   */
  recognize?(request: Request<E>): Promise<Known & Counted>
  /** Runs before the transaction: slow work such as chain reads or hashing. `handle` receives the result as `prepared`. */
  prepare?(request: Request<E> & Known): Promise<Prepared>
  /** A refusal that is returned instead of thrown commits the transaction, for example a count of wrong codes. */
  handle(request: Request<E> & Known & { prepared: Prepared }): Answer<E>
}

/**
 * Registers an endpoint of the contract: authenticates, decodes the input, applies the rate limit, opens the transaction and
 * encodes the response.
 */
export function route<E extends Endpoint, Known extends object = object, Prepared = undefined>(
  router: Router,
  endpoint: E,
  handler: Handler<E, Known, Prepared> | Handler<E, Known, Prepared>['handle'],
): void {
  const { transaction, recognize, prepare, handle }: Handler<E, Known, Prepared> =
    typeof handler === 'function' ? { handle: handler } : handler
  router.register(endpoint.path, [endpoint.method], async (ctx: Context) => {
    const { em } = ctx.state as RequestState
    const caller = identifyCaller(endpoint, ctx)
    const { actor } = caller
    const idempotencyKey = endpoint.idempotent ? readIdempotencyKey(ctx) : undefined
    const work: AfterCommit<E>[] = []
    const decoded = {
      ...decodeInput(endpoint, ctx),
      ...caller,
      idempotencyKey,
      afterCommit: (next: AfterCommit<E>) => void work.push(next),
    }
    const recognized = await recognize?.({ ...decoded, em } as unknown as Request<E>)
    await countCall(endpoint, ctx, { ...caller, ...recognized })
    const request = { ...decoded, ...recognized }
    const prepared = await prepare?.({ ...request, em } as unknown as Request<E> & Known)
    const run = async (em: EntityManager): Promise<unknown> => {
      const answer = await handle({ ...request, em, prepared } as unknown as Request<E> & Known & { prepared: Prepared })
      if (!(answer instanceof DomainError)) return z.encode(endpoint.response, answer)
      // A committed refusal would be stored under the key and repeated.
      if (endpoint.idempotent) throw answer
      return answer
    }

    const answer =
      transaction === false || endpoint.method === 'GET'
        ? await run(em)
        : await em.transactional(async (em) =>
            idempotencyKey !== undefined && actor
              ? withIdempotency(
                  em,
                  { accountId: actor.id, endpoint, key: idempotencyKey, params: ctx.params, body: ctx.request.body },
                  () => run(em),
                )
              : run(em),
          )
    if (answer instanceof DomainError) throw answer
    let added = {}
    for (const next of work) added = { ...added, ...(await next()) }
    ctx.status = endpoint.status ?? 200
    // Koa turns null into a 204; the contract returns `null` as JSON.
    ctx.type = 'application/json'
    ctx.body = JSON.stringify(work.length > 0 ? { ...(answer as object), ...added } : answer)
  })
}

export interface FileAnswer {
  /** The file name. */
  name: string
  /** The media type. */
  type: string
  /** Read at the client's speed, and destroyed when the client disconnects. */
  body: Readable
}

/** Runs without a transaction, because the file is read long after the handler has returned. */
export type FileRequest<E extends Endpoint> = Omit<Request<E>, 'afterCommit' | 'idempotencyKey'>

/** Each download holds a database connection while it is read. */
const MAX_CONCURRENT_FILES = 4
let filesBeingSent = 0

/** Registers an endpoint that streams a file, with the same checks as `route`. */
export function routeFile<E extends Endpoint>(
  router: Router,
  endpoint: E,
  handle: (request: FileRequest<E>) => Promise<FileAnswer> | FileAnswer,
): void {
  router.register(endpoint.path, [endpoint.method], async (ctx: Context) => {
    const { em } = ctx.state as RequestState
    const request = { ...identifyCaller(endpoint, ctx), ...decodeInput(endpoint, ctx), em }
    if (filesBeingSent >= MAX_CONCURRENT_FILES)
      throw new DomainError('busy', 'Many files are being prepared right now. Please try again in a moment.', {
        status: 503,
        retryAfter: 5,
      })
    filesBeingSent += 1
    const { name, type, body } = await prepare(ctx, request)
    // A client that stops reading must not hold the database connection.
    const idle = () => body.destroy()
    const late = setTimeout(idle, 10 * MINUTE)
    ctx.res.setTimeout(MINUTE, idle)
    body.once('close', () => {
      filesBeingSent -= 1
      clearTimeout(late)
    })
    ctx.status = endpoint.status ?? 200
    ctx.attachment(name)
    ctx.type = type
    ctx.body = body
  })

  async function prepare(ctx: Context, request: Caller): Promise<FileAnswer> {
    try {
      await countCall(endpoint, ctx, request)
      return await handle(request as unknown as FileRequest<E>)
    } catch (error) {
      filesBeingSent -= 1
      throw error
    }
  }
}

function identifyCaller(endpoint: Endpoint, ctx: Context) {
  const { clientAddress } = ctx.state as RequestState
  const session = new RequestSession(ctx, sessionRealmOf(endpoint.path))
  const { actor } = session
  if (endpoint.access !== 'public' && !actor) throw refusal(401, 'unauthenticated', 'Unauthorized')
  return { actor, session, clientAddress, header: (name: string) => ctx.get(name), language: () => languageOf(ctx) }
}

interface Caller extends Partial<Counted> {
  actor: Actor | undefined
  clientAddress: string
}

/** @throws 429 if the limit is exceeded. */
async function countCall({ limit }: Endpoint, ctx: Context, { actor, clientAddress, countedAs }: Caller): Promise<void> {
  if (limit === 'none' || limit === 'failures') return
  const own = limit.endsWith('_ip') || !actor ? clientAddress : actor.id
  await (ctx.state as RequestState).limits.count(limit, countedAs ?? own)
}

function languageOf(ctx: Context): Language {
  const accepted = ctx.acceptsLanguages(...languages)
  return languages.find((language) => language === accepted) ?? 'en'
}

function decodeInput(endpoint: Endpoint, ctx: Context): object {
  return {
    ...(endpoint.params && { params: decode(endpoint.params, ctx.params) }),
    ...(endpoint.query && { query: decode(endpoint.query, { ...ctx.query }) }),
    ...(endpoint.body && { body: decode(endpoint.body, ctx.request.body ?? {}) }),
  }
}

/** Invalid input is a 400; any other mismatch with a schema is a bug. */
function decode(schema: z.ZodType, value: unknown): unknown {
  const result = z.safeDecode(schema, value as never)
  if (result.success) {
    if (isStorable(result.data)) return result.data
    throw refusal(400, 'invalid_request', 'The text contains characters that cannot be stored.')
  }
  const { issues } = result.error
  const details = Object.fromEntries(issues.map((issue) => [issue.path.join('.'), issue.message]))
  throw refusal(400, 'invalid_request', issues[0]?.message ?? 'The request is not valid.', details)
}

/** PostgreSQL stores neither text with NUL characters nor JSON with lone surrogates. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  return typeof value !== 'object' || value === null || Object.values(value).every(isStorable)
}
