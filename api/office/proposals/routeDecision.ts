import type Router from '@koa/router'
import { mayCall } from '#shared/adminRoles.ts'
import { route } from '#api/platform/http/route.ts'
import { endpointName } from '#api/platform/http/withIdempotency.ts'
import type { OperatorServices } from '#api/platform/mail/mailOperator.ts'
import type { Services } from '#api/platform/services.ts'
import { countOwners, lockAdministrators } from '../administrators/lockAdministrators.ts'
import { type Decided, type Decision, type DecisionEndpoint, decisionsOf, type RegisteredDecision } from './Decision.ts'
import { propose } from './propose.ts'

/** Registers a call of the back office that is executed at once or proposed (decisions/0046). */
export function routeDecision<E extends DecisionEndpoint, Prepared = undefined>(
  router: Router,
  services: OperatorServices & Pick<Services, 'clock'>,
  endpoint: E,
  decision: Decision<E, Prepared> | Decision<E, Prepared>['execute'],
): void {
  const described: Decision<E, Prepared> = typeof decision === 'function' ? { execute: decision } : decision
  const { proof, prepare, execute } = described
  const call = { endpoint, decision: described } as unknown as RegisteredDecision
  decisionsOf(router).set(endpointName(endpoint), call)
  type Confirmed = Parameters<NonNullable<typeof proof>['confirm']>[0]

  route<E, object, { hasShownPassword: boolean; found: Prepared }>(router, endpoint, {
    ...(proof && { recognize: proof.recognize as never }),
    async prepare(request) {
      const hasShownPassword = (await proof?.prepare(request as unknown as Confirmed)) ?? false
      return { hasShownPassword, found: (await prepare?.(request)) as Prepared }
    },
    async handle(request) {
      const { hasShownPassword, found } = request.prepared
      if (proof) {
        await lockAdministrators(request.em)
        const refused = await proof.confirm({ ...request, prepared: hasShownPassword } as unknown as Confirmed)
        if (refused) return refused
      }
      const decided = { ...request, prepared: found, isApproved: false } as unknown as Parameters<typeof execute>[0]
      const isAlone = mayCall(decided.actor.role, { roles: endpoint.approvers }) && (await countOwners(request.em)) < 2
      const needsSecond = !isAlone && ((await described.needsSecond?.(decided)) ?? true)
      if (!needsSecond) return execute(decided)
      const proposing = { call, request: decided as unknown as Decided<DecisionEndpoint> }
      return propose(services, decisionsOf(router), proposing) as ReturnType<typeof execute>
    },
  })
}
