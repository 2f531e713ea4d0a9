import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import type { AdminRole } from '#shared/adminRoles.ts'
import type { Endpoint, Input, Output } from '#shared/contract/endpoint.ts'
import { type adminProof, withoutProof } from '#shared/contract/admin/proof.ts'
import type { DomainError } from '#api/platform/errors.ts'
import type { Actor } from '#api/platform/http/sessionStore.ts'

/** A call that another administrator has to approve where it needs a second person. */
export type DecisionEndpoint = Endpoint & {
  access: 'admin'
  approvers: readonly AdminRole[]
  body: z.ZodType<z.output<typeof adminProof> & { reason?: string | undefined }>
}

export type DecidingActor = Actor & { role: AdminRole }

/** The call with the one who makes it, or who approves it. */
export type Decided<E extends DecisionEndpoint> = Input<E> & {
  em: EntityManager
  actor: DecidingActor
  clientAddress: string
}

export interface Decision<E extends DecisionEndpoint, Prepared> {
  /**
   * The caller always confirms it, with a code, passkey or password. Otherwise only an administrator who decides alone does, with a
   * second factor.
   */
  isAlwaysProven?: true
  /** An administrator with a second factor confirms it even if this call needs no second person. */
  isProvenAlone?: true
  /** As for `route`. Also runs before an approval. */
  prepare?(request: Input<E> & { em: EntityManager }): Promise<Prepared>
  /**
   * Whether it needs a second person. Takes the locks under which its answer stays true. Always, if absent. It throws if
   * objections hold that the call does not name, before anybody is asked for a code.
   */
  needsSecond?(request: Decided<E> & { prepared: Prepared }): Promise<boolean> | boolean
  /**
   * Does it, with everything that it checks. It also runs to try a proposal out, which is then rolled back, so it changes nothing outside
   * the transaction. `isApproved` tells whether two persons have decided, `isPlain` that one may, alone: what has come up since then refuses it.
   */
  execute(request: Decided<E> & { prepared: Prepared; isApproved: boolean; isPlain?: boolean }): Promise<Output<E> | DomainError>
}

export interface RegisteredDecision {
  endpoint: DecisionEndpoint
  decision: Decision<DecisionEndpoint, unknown>
}

/** By the name of their call. */
export type Decisions = ReadonlyMap<string, RegisteredDecision>

const registered = new WeakMap<Router, Map<string, RegisteredDecision>>()

/** The decisions of a router. */
export function decisionsOf(router: Router): Map<string, RegisteredDecision> {
  const found = registered.get(router) ?? new Map<string, RegisteredDecision>()
  registered.set(router, found)
  return found
}

export interface DecisionArguments {
  params: unknown
  body: unknown
}

/** The arguments as the contract writes them, without what confirmed the call. */
export function writeArguments(endpoint: Endpoint, { params, body }: { params?: unknown; body?: unknown }): DecisionArguments {
  const written = endpoint.body && (z.encode(endpoint.body, body as never) as Record<string, unknown>)
  return {
    params: endpoint.params ? z.encode(endpoint.params, params as never) : null,
    body: written ? withoutProof(written) : null,
  }
}

/** The arguments as a handler receives them. */
export const readArguments = (endpoint: Endpoint, { params, body }: DecisionArguments): object => ({
  ...(endpoint.params && { params: z.decode(endpoint.params, params as never) }),
  ...(endpoint.body && { body: z.decode(endpoint.body, body as never) }),
})
