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
import { RequestSession } from './RequestSession.ts'
import { sessionRealmOf } from './sessionRealm.ts'
import type { Actor } from './sessionStore.ts'

/** What `createApp` puts on every request. */
export interface RequestState extends BrowserState {
  em: EntityManager
  clientAddress: string
}

type ActorOf<A extends Access> = A extends 'public' ? Actor | undefined : Actor

export type Request<E extends Endpoint> = Input<E> & {
  /** Open in a transaction, which commits once the handler returns and rolls back if it throws. */
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

export interface RouteOptions<E extends Endpoint, Prepared> {
  /** The handler opens its own, because it shares one with other requests; it also sees to idempotency. */
  transaction?: false
  /** Asks what must not be asked inside a transaction, such as a chain. The handler finds the answer as `prepared`. */
  prepare?(request: Request<E>): Promise<Prepared>
}

/** Serves an endpoint of the contract: checks who calls, decodes the input, opens the transaction, encodes the answer. */
export function route<E extends Endpoint, Prepared = undefined>(
  router: Router,
  endpoint: E,
  handle: (request: Request<E> & { prepared: Prepared }) => Promise<Output<E>> | Output<E>,
  options: RouteOptions<E, Prepared> = {},
): void {
  router.register(endpoint.path, [endpoint.method], async (ctx: Context) => {
    const { em } = ctx.state as RequestState
    const caller = identifyCaller(endpoint, ctx)
    const { actor } = caller
    const idempotencyKey = endpoint.idempotent ? readIdempotencyKey(ctx) : undefined
    const work: (() => Promise<void> | void)[] = []
    const request = {
      ...decodeInput(endpoint, ctx),
      ...caller,
      idempotencyKey,
      afterCommit: (next: () => Promise<void> | void) => void work.push(next),
    }
    const prepared = await options.prepare?.({ ...request, em } as unknown as Request<E>)
    const run = async (em: EntityManager): Promise<unknown> =>
      z.encode(endpoint.response, await handle({ ...request, em, prepared } as unknown as Request<E> & { prepared: Prepared }))

    const answer =
      options.transaction === false
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
    const { name, type, body } = await prepare(request as unknown as FileRequest<E>)
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

  async function prepare(request: FileRequest<E>): Promise<FileAnswer> {
    try {
      return await handle(request)
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
