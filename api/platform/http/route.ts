import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context } from 'koa'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import type { Access, Endpoint, Input, Output } from '#shared/contract/endpoint.ts'
import { MINUTE } from '#shared/dates.ts'
import { type Language, languages } from '#shared/languages.ts'
import { DomainError, refusal } from '../errors.ts'
import { answerOnce, readIdempotencyKey } from './answerOnce.ts'
import type { BrowserState } from './browserToken.ts'
import type { RateLimiter } from './limitRate.ts'
import { RequestSession } from './RequestSession.ts'
import { sessionRealmOf } from './sessionRealm.ts'
import type { Actor } from './sessionStore.ts'

/** What `createApp` puts on every request. */
export interface RequestState extends BrowserState {
  em: EntityManager
  limits: RateLimiter
  clientAddress: string
}

type ActorOf<A extends Access> = A extends 'public' ? Actor | undefined : Actor

export type Request<E extends Endpoint> = Input<E> & {
  /** In `handle` of every method but GET: open in a transaction, which commits once the handler returns and rolls back if it throws. */
  em: EntityManager
  actor: ActorOf<E['access']>
  session: RequestSession
  /** Who is calling, normalised. */
  clientAddress: string
  header(name: string): string
  /** What the page is shown in: it says so with every call. English for who asks for none of ours. */
  language(): Language
  /** Runs after the transaction has committed and before the answer is sent. */
  afterCommit(work: () => Promise<void> | void): void
  /** The caller's key, on idempotent endpoints. */
  idempotencyKey: string | undefined
}

/** By which key the endpoint's limit counts a call, and what was read to find it. */
export interface Counted {
  countedAs: string
}

type Answer<E extends Endpoint> = Promise<Output<E> | DomainError> | Output<E>

export interface Handler<E extends Endpoint, Known extends object, Prepared> {
  /** False where the handler shares a transaction with other requests, and sees to idempotency too, or needs no database. */
  transaction?: false
  /** The account or the network address is counted unless this names something else. Its answer is part of the request from here on. */
  recognize?(request: Request<E>): Promise<Known & Counted>
  /** Does what no transaction should wait for, such as reading a chain or hashing. `handle` finds the answer as `prepared`. */
  prepare?(request: Request<E> & Known): Promise<Prepared>
  /** A refusal that is returned, rather than thrown, commits what led to it, such as the count of wrong tries. */
  handle(request: Request<E> & Known & { prepared: Prepared }): Answer<E>
}

/**
 * Serves an endpoint of the contract: checks who calls, decodes the input, counts the call, opens the transaction, encodes the answer.
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
    const work: (() => Promise<void> | void)[] = []
    const decoded = {
      ...decodeInput(endpoint, ctx),
      ...caller,
      idempotencyKey,
      afterCommit: (next: () => Promise<void> | void) => void work.push(next),
    }
    const recognized = await recognize?.({ ...decoded, em } as unknown as Request<E>)
    await countCall(endpoint, ctx, { ...caller, ...recognized })
    const request = { ...decoded, ...recognized }
    const prepared = await prepare?.({ ...request, em } as unknown as Request<E> & Known)
    const run = async (em: EntityManager): Promise<unknown> => {
      const answer = await handle({ ...request, em, prepared } as unknown as Request<E> & Known & { prepared: Prepared })
      if (!(answer instanceof DomainError)) return z.encode(endpoint.response, answer)
      // What is committed under a key would be answered again.
      if (endpoint.idempotent) throw answer
      return answer
    }

    const answer =
      transaction === false || endpoint.method === 'GET'
        ? await run(em)
        : await em.transactional(async (em) =>
            idempotencyKey !== undefined && actor
              ? answerOnce(
                  em,
                  { accountId: actor.id, endpoint, key: idempotencyKey, params: ctx.params, body: ctx.request.body },
                  () => run(em),
                )
              : run(em),
          )
    if (answer instanceof DomainError) throw answer
    for (const next of work) await next()
    ctx.status = endpoint.status ?? 200
    // Koa answers 204 to a null; the contract says `null`.
    ctx.type = 'application/json'
    ctx.body = JSON.stringify(answer)
  })
}

export interface FileAnswer {
  /** Under which it is saved. */
  name: string
  /** Its media type. */
  type: string
  /** Read as fast as the caller takes it, and destroyed when he goes away. */
  body: Readable
}

/** No transaction is open: what the file is made of is read long after the handler has returned. */
export type FileRequest<E extends Endpoint> = Omit<Request<E>, 'afterCommit' | 'idempotencyKey'>

/** Each holds a connection of the database while it is read. */
const FILES_AT_ONCE = 4
let filesBeingSent = 0

/** Serves an endpoint whose answer is a file to save, made while it is sent. The same checks as `route`. */
export function routeFile<E extends Endpoint>(
  router: Router,
  endpoint: E,
  handle: (request: FileRequest<E>) => Promise<FileAnswer> | FileAnswer,
): void {
  router.register(endpoint.path, [endpoint.method], async (ctx: Context) => {
    const { em } = ctx.state as RequestState
    const request = { ...identifyCaller(endpoint, ctx), ...decodeInput(endpoint, ctx), em }
    if (filesBeingSent >= FILES_AT_ONCE)
      throw new DomainError('busy', 'Many files are being prepared right now. Please try again in a moment.', {
        status: 503,
        retryAfter: 5,
      })
    filesBeingSent += 1
    const { name, type, body } = await prepare(ctx, request)
    // A caller who stops reading must not keep what the file is read from.
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

/** @throws 429 once there were too many. */
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

/** What a caller sent is his to mend; a schema that anything else does not fit is a defect of ours. */
function decode(schema: z.ZodType, value: unknown): unknown {
  const result = z.safeDecode(schema, value as never)
  if (result.success) {
    if (isStorable(result.data)) return result.data
    throw refusal(400, 'invalid_request', 'The text holds characters that cannot be stored.')
  }
  const { issues } = result.error
  const details = Object.fromEntries(issues.map((issue) => [issue.path.join('.'), issue.message]))
  throw refusal(400, 'invalid_request', issues[0]?.message ?? 'The request is not valid.', details)
}

/** PostgreSQL keeps no text with a NUL, and no JSON with half a letter. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  return typeof value !== 'object' || value === null || Object.values(value).every(isStorable)
}
