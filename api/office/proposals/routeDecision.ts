import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import { mayCall } from '#shared/adminRoles.ts'
import { watchAudit } from '#api/accounts/auditLog/recordAudit.ts'
import type { KnownDevice } from '#api/accounts/devices/knownDevices.ts'
import { route } from '#api/platform/http/route.ts'
import { endpointName } from '#api/platform/http/withIdempotency.ts'
import type { Services } from '#api/platform/services.ts'
import { confirmByProof, type Confirmed } from '../administrators/confirmByProof.ts'
import { countOwners, lockAdministrators, readPresent } from '../administrators/lockAdministrators.ts'
import {
  type Decided,
  type DecidingActor,
  type Decision,
  type DecisionEndpoint,
  decisionsOf,
  type RegisteredDecision,
} from './Decision.ts'
import { propose } from './propose.ts'

/**
 * Registers a call of the back office that is executed at once or proposed (decisions/0046). An administrator who decides alone what otherwise
 * needs a second person confirms with the second factor, if there is one: the session may be stolen.
 */
export function routeDecision<E extends DecisionEndpoint, Prepared = undefined>(
  router: Router,
  services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>,
  endpoint: E,
  decision: Decision<E, Prepared> | Decision<E, Prepared>['execute'],
): void {
  const described: Decision<E, Prepared> = typeof decision === 'function' ? { execute: decision } : decision
  const { isAlwaysProven, isProvenAlone, prepare, execute } = described
  const call = { endpoint, decision: described } as unknown as RegisteredDecision
  decisionsOf(router).set(endpointName(endpoint), call)
  const { recognize, ...proof } = confirmByProof(services)

  route<E, { device: KnownDevice | undefined }, { hasShownPassword: boolean; found: Prepared }>(router, endpoint, {
    recognize: recognize as never,
    async prepare(request) {
      const hasShownPassword = await proof.prepare(request as unknown as Confirmed)
      return { hasShownPassword, found: (await prepare?.(request)) as Prepared }
    },
    async handle(request) {
      const { em, device } = request
      const { hasShownPassword, found } = request.prepared
      const decided = { ...request, prepared: found, isApproved: false } as unknown as Parameters<typeof execute>[0]
      const proving = { ...(request as unknown as Confirmed), device, prepared: hasShownPassword }
      if (isAlwaysProven) await lockAdministrators(em)
      const unproven = isAlwaysProven && (await proof.confirm(proving))
      if (unproven) return unproven
      const alone = await readAloneDecider(em, decided.actor, endpoint)
      const needsSecond = (await described.needsSecond?.(decided)) ?? true
      if (needsSecond && !alone) {
        const proposing = { call, request: decided as unknown as Decided<DecisionEndpoint> }
        return propose(services, decisionsOf(router), proposing) as ReturnType<typeof execute>
      }
      const isAsked = !isAlwaysProven && (needsSecond || isProvenAlone)
      const refused = isAsked && (await proof.confirmByFactor(proving))
      if (refused) return refused
      watchAudit(em, { reason: (request as unknown as Decided<DecisionEndpoint>).body.reason })
      return execute({ ...decided, ...(alone && { actor: alone }), isPlain: !needsSecond })
    },
  })
}

/**
 * The administrator who decides, by the present name and role, if nobody else has to approve. Undefined otherwise. Another administrator may
 * have changed both since the request began; the lock keeps the answer until the transaction ends.
 */
async function readAloneDecider(
  em: EntityManager,
  actor: DecidingActor,
  { approvers }: DecisionEndpoint,
): Promise<DecidingActor | undefined> {
  if (!mayCall(actor.role, { roles: approvers }) || (await countOwners(em)) > 1) return undefined
  await lockAdministrators(em)
  const present = await readPresent(em, actor.id)
  if (!present || !mayCall(present.role, { roles: approvers }) || (await countOwners(em)) > 1) return undefined
  return { ...actor, name: present.username, role: present.role }
}
