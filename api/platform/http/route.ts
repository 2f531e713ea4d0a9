import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context } from 'koa'
import { z } from 'zod'
import { type AdminRole, mayCall } from '#shared/adminRoles.ts'
import { proposed } from '#shared/contract/admin/proposals.ts'
import type { Access, Endpoint, Input, Output } from '#shared/contract/endpoint.ts'
import { type Language, languages } from '#shared/languages.ts'
import { DomainError, refusal } from '../errors.ts'
import { canonicalBody, decodeInput } from './decodeInput.ts'
import { withIdempotency, readIdempotencyKey } from './withIdempotency.ts'
import type { BrowserState } from './browserToken.ts'
import type { RateLimiter } from './limitRate.ts'
import { RequestSession } from './RequestSession.ts'
import { sessionRealmOf } from './sessionRealm.ts'
import { type Actor, readLiveRole } from './sessionStore.ts'

/** The state that `createApp` sets on every request. */
export interface RequestState extends BrowserState {
  em: EntityManager
  limits: RateLimiter
  clientAddress: string
  /** Counts the requests of this process in the order in which they arrived. */
  arrival: number
  /** The request has changed something, whatever fails afterwards. */
  hasCommitted?: boolean
}

type AfterCommit<E extends Endpoint> = () => Promise<Partial<Output<E>> | void> | Partial<Output<E>> | void

type ActorOf<A extends Access> = A extends 'public' ? Actor | undefined : A extends 'admin' ? Actor & { role: AdminRole } : Actor

export type Request<E extends Endpoint> = Input<E> & {
  /**
   * In `handle` of every method except GET, in a transaction that commits when the handler returns and rolls back when it throws.
   */
  em: EntityManager
  actor: ActorOf<E['access']>
  session: RequestSession
  /** The client's normalized IP address. */
  clientAddress: string
  /** Counts the requests of this process in the order in which they arrived. */
  arrival: number
  header(name: string): string
  /** The language of the client's page, which every request names; English if it is not supported. */
  language(): Language
  /** Runs after the transaction has committed and before the answer is sent, to which it may add properties. */
  afterCommit(work: AfterCommit<E>): void
  /** The client's key, on idempotent endpoints. */
  idempotencyKey: string | undefined
  /** Says in a header that the answer is that of an earlier request with the same key. */
  markReplayed(): void
}

/** The key under which the endpoint's rate limit counts the call, together with the values read to determine it. */
export interface Counted {
  countedAs: string
}

/** The answer to a call that another administrator has to approve; its status is 202. */
export class ProposedAnswer {
  readonly body: z.output<typeof proposed>

  constructor(body: z.output<typeof proposed>) {
    this.body = body
  }
}

/** As it was stored under an idempotency key, too. */
const isProposed = ({ approvers }: Endpoint, answer: unknown): boolean =>
  approvers !== undefined && typeof answer === 'object' && answer !== null && 'proposal' in answer

type Answer<E extends Endpoint> = Promise<Output<E> | DomainError | ProposedAnswer> | Output<E>

export interface Handler<E extends Endpoint, Recognized extends object, Prepared> {
  /** False if the handler needs no database, or shares a transaction with other requests and handles idempotency itself. */
  transaction?: false
  /**
   * By default a call changes nothing if its session has ended when the handler returns: it may have waited for a chain, a password's hash
   * or a lock. Set where the call itself may end the session, or where its payment may be on its way (money.md 14).
   */
  outlivesSession?: true | ((request: Request<E>) => Promise<boolean>)
  /**
   * Replaces the key of the rate limit, by default the account or the network address. The returned values become part of the
   * request.
   */
  recognize?(request: Request<E>): Promise<Recognized & Counted>
  /** Runs before the transaction: slow work such as chain reads or hashing. `handle` receives the result as `prepared`. */
  prepare?(request: Request<E> & Recognized): Promise<Prepared>
  /** A refusal that is returned instead of thrown commits the transaction, for example a count of wrong codes. */
  handle(request: Request<E> & Recognized & { prepared: Prepared }): Answer<E>
}

const registered = new WeakMap<Router, Endpoint[]>()

/** The endpoints of a router, as far as this module has registered them. */
export const endpointsOf = (router: Router): readonly Endpoint[] => registered.get(router) ?? []

type Handle = (ctx: Context) => Promise<void> | void

export function register(router: Router, endpoint: Endpoint, handle: Handle, methods: string[] = [endpoint.method]): void {
  registered.set(router, [...endpointsOf(router), endpoint])
  router.register(endpoint.path, methods, handle)
}

/**
 * Registers an endpoint with the same answer for everybody. One that is answered before the router is registered so that other methods
 * are refused and the API's description has it; it needs no `handle`. Otherwise that also answers OPTIONS, for pages of other sites.
 */
export const routePublicAnswer = (router: Router, endpoint: Endpoint, handle?: Handle): void =>
  handle ? register(router, endpoint, handle, [endpoint.method, 'OPTIONS']) : register(router, endpoint, () => {})

/**
 * Registers an endpoint of the contract: authenticates, decodes the input, applies the rate limit, opens the transaction and
 * encodes the response.
 */
export function route<E extends Endpoint, Recognized extends object = object, Prepared = undefined>(
  router: Router,
  endpoint: E,
  handler: Handler<E, Recognized, Prepared> | Handler<E, Recognized, Prepared>['handle'],
): void {
  const { transaction, outlivesSession, recognize, prepare, handle }: Handler<E, Recognized, Prepared> =
    typeof handler === 'function' ? { handle: handler } : handler
  register(router, endpoint, async (ctx: Context) => {
    const state = ctx.state as RequestState
    const caller = identifyCaller(endpoint, ctx)
    const { actor } = caller
    const idempotencyKey = endpoint.idempotent ? readIdempotencyKey(ctx) : undefined
    const work: AfterCommit<E>[] = []
    const markReplayed = () => ctx.set('Idempotent-Replayed', 'true')
    const decoded = {
      ...decodeInput(endpoint, ctx),
      ...caller,
      idempotencyKey,
      afterCommit: (next: AfterCommit<E>) => void work.push(next),
      markReplayed,
    }
    const recognized = await recognize?.({ ...decoded, em: state.em } as unknown as Request<E>)
    await countCall(endpoint, ctx, { ...caller, ...recognized })
    const request = { ...decoded, ...recognized }
    const prepared = await prepare?.({ ...request, em: state.em } as unknown as Request<E> & Recognized)
    // `em` is a getter, because making one costs more than a handler that does not use it.
    const run = async (held: { em: EntityManager }): Promise<unknown> => {
      const given = {
        ...request,
        prepared,
        get em() {
          return held.em
        },
      }
      const answer = await handle(given as unknown as Request<E> & Recognized & { prepared: Prepared })
      if (answer instanceof DomainError) return answer
      return answer instanceof ProposedAnswer ? z.encode(proposed, answer.body) : z.encode(endpoint.response, answer)
    }

    const runChecked = async (em: EntityManager): Promise<unknown> => {
      const answer = await runOnce(em)
      // A returned refusal commits only what it counts. Checked last, when all locks are taken, because the session may end while one is awaited.
      const isChecked = outlivesSession !== true && !(answer instanceof DomainError)
      if (isChecked && !(await outlivesSession?.({ ...decoded, em } as unknown as Request<E>)))
        await requireLiveSession(em, endpoint, caller)
      return answer
    }

    const runOnce = async (em: EntityManager): Promise<unknown> => {
      if (idempotencyKey === undefined || !actor) return run({ em })
      const asked = {
        accountId: actor.id,
        endpoint,
        key: idempotencyKey,
        params: ctx.params,
        body: endpoint.body ? canonicalBody(endpoint, decoded) : ctx.request.body,
      }
      const { response, isReplayed } = await withIdempotency(em, asked, () => run({ em }))
      if (isReplayed) markReplayed()
      return response
    }

    const hasTransaction = transaction !== false && endpoint.method !== 'GET'
    const answer = hasTransaction ? await state.em.transactional(runChecked) : await run(state)
    state.hasCommitted = hasTransaction
    if (answer instanceof DomainError) throw answer
    let added = {}
    for (const next of work) added = { ...added, ...(await next()) }
    ctx.status = isProposed(endpoint, answer) ? 202 : (endpoint.status ?? 200)
    // Koa turns null into a 204; the contract returns `null` as JSON.
    ctx.type = 'application/json'
    ctx.body = JSON.stringify(work.length > 0 ? { ...(answer as object), ...added } : answer)
  })
}

export function identifyCaller(endpoint: Endpoint, ctx: Context) {
  const { clientAddress, arrival } = ctx.state as RequestState
  const session = new RequestSession(ctx, sessionRealmOf(endpoint.path))
  const { actor } = session
  if (endpoint.access !== 'public' && !actor) throw sessionEnded()
  if (endpoint.access === 'admin' && !mayCall(actor?.role, endpoint)) throw roleForbids()
  return { actor, session, clientAddress, arrival, header: (name: string) => ctx.get(name), language: () => languageOf(ctx) }
}

const sessionEnded = () => refusal(401, 'unauthenticated', 'Unauthorized')
const roleForbids = () => refusal(403, 'forbidden', 'Your role does not allow this. An owner can give you another one.')

/** @throws 401 if the session has ended since the request began; 403 if the role no longer allows the call. */
async function requireLiveSession(
  em: EntityManager,
  endpoint: Endpoint,
  { actor, session }: { actor: Actor | undefined; session: RequestSession },
): Promise<void> {
  if (endpoint.access === 'public' || !actor) return
  const held = { realm: sessionRealmOf(endpoint.path), key: session.heldKey(), accountId: actor.id }
  const role = await readLiveRole(em, held)
  if (role === undefined) throw sessionEnded()
  if (endpoint.access === 'admin' && !mayCall(role ?? undefined, endpoint)) throw roleForbids()
}

export interface Caller extends Partial<Counted> {
  actor: Actor | undefined
  clientAddress: string
}

/** @throws 429 if the limit is exceeded. */
export async function countCall({ limit }: Endpoint, ctx: Context, { actor, clientAddress, countedAs }: Caller): Promise<void> {
  if (limit === 'none' || limit === 'failures') return
  const own = limit.endsWith('_ip') || !actor ? clientAddress : actor.id
  await (ctx.state as RequestState).limits.count(limit, countedAs ?? own)
}

function languageOf(ctx: Context): Language {
  const accepted = ctx.acceptsLanguages(...languages)
  return languages.find((language) => language === accepted) ?? 'en'
}
