import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import { mayCall } from '#shared/adminRoles.ts'
import { watchAudit } from '#api/accounts/auditLog/recordAudit.ts'
import type { KnownDevice } from '#api/accounts/devices/knownDevices.ts'
import { route } from '#api/platform/http/route.ts'
import { endpointName } from '#api/platform/http/withIdempotency.ts'
import type { Services } from '#api/platform/services.ts'
import { confirmByProof } from '../administrators/confirmByProof.ts'
import { countOwners, lockAdministrators, readPresent } from '../administrators/lockAdministrators.ts'
import { type DecidingActor, type Decision, type DecisionEndpoint, decisionsOf, type RegisteredDecision } from './Decision.ts'
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
  const described = typeof decision === 'function' ? { execute: decision } : decision
  // TypeScript does not resolve the input of a generic endpoint.
  registerDecision(router, services, { endpoint, decision: described as unknown as RegisteredDecision['decision'] })
}

function registerDecision(
  router: Router,
  services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>,
  call: RegisteredDecision,
): void {
  const { endpoint, decision } = call
  const { isAlwaysProven, isProvenAlone } = decision
  decisionsOf(router).set(endpointName(endpoint), call)
  const { recognize, ...proof } = confirmByProof(services)

  route<DecisionEndpoint, { device: KnownDevice | undefined }, { hasShownPassword: boolean; found: unknown }>(router, endpoint, {
    recognize,
    async prepare(request) {
      const hasShownPassword = await proof.prepare(request)
      return { hasShownPassword, found: await decision.prepare?.(request) }
    },
    async handle(request) {
      const { em, prepared } = request
      const decided = { ...request, prepared: prepared.found, isApproved: false }
      const proving = { ...request, prepared: prepared.hasShownPassword }
      if (isAlwaysProven) await lockAdministrators(em)
      const unproven = isAlwaysProven && (await proof.confirm(proving))
      if (unproven) return unproven
      const alone = await readAloneDecider(em, request.actor, endpoint)
      const needsSecond = (await decision.needsSecond?.(decided)) ?? true
      if (needsSecond && !alone) return propose(services, decisionsOf(router), { call, request: decided })
      const isAsked = !isAlwaysProven && (needsSecond || isProvenAlone)
      const refused = isAsked && (await proof.confirmByFactor(proving))
      if (refused) return refused
      watchAudit(em, { reason: request.body.reason })
      return decision.execute({ ...decided, ...(alone && { actor: alone }), isPlain: !needsSecond })
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
