import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context } from 'koa'
import { z } from 'zod'
import type { Access, Endpoint, Input, Output } from '#shared/contract/endpoint.ts'
import { refusal } from '../errors.ts'
import { answerOnce, readIdempotencyKey } from './answerOnce.ts'
import { RequestSession } from './RequestSession.ts'
import { sessionRealmOf } from './sessionRealm.ts'
import type { Actor } from './sessionStore.ts'

/** What `createApp` puts on every request. */
export interface RequestState {
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
    const { em, clientAddress } = ctx.state as RequestState
    const session = new RequestSession(ctx, sessionRealmOf(endpoint.path))
    const { actor } = session
    if (endpoint.access !== 'public' && !actor) throw refusal(401, 'unauthenticated', 'Unauthorized')

    const idempotencyKey = endpoint.idempotent ? readIdempotencyKey(ctx) : undefined
    const work: (() => Promise<void> | void)[] = []
    const request = {
      ...decodeInput(endpoint, ctx),
      actor,
      session,
      clientAddress,
      idempotencyKey,
      header: (name: string) => ctx.get(name),
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
              ? answerOnce(em, { accountId: actor.id, endpoint, key: idempotencyKey, body: ctx.request.body }, () => run(em))
              : run(em),
          )
    for (const next of work) await next()
    ctx.status = endpoint.status ?? 200
    // Koa answers 204 to a null; the contract says `null`.
    ctx.type = 'application/json'
    ctx.body = JSON.stringify(answer)
  })
}

function decodeInput(endpoint: Endpoint, ctx: Context): object {
  return {
    ...(endpoint.params && { params: z.decode(endpoint.params, ctx.params as never) }),
    ...(endpoint.query && { query: z.decode(endpoint.query, { ...ctx.query } as never) }),
    ...(endpoint.body && { body: z.decode(endpoint.body, (ctx.request.body ?? {}) as never) }),
  }
}
