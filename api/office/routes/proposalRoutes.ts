import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/proposals.ts'
import { query } from '#api/entities/tables.ts'
import { catchRefusal, DomainError } from '#api/platform/errors.ts'
import { presentPaging } from '#api/platform/http/presentPaging.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { countOwners, lockAdministrators, readPresent } from '../administrators/lockAdministrators.ts'
import { type DecisionArguments, decisionsOf, readArguments } from '../proposals/Decision.ts'
import { approveProposal, dropProposal } from '../proposals/decideProposal.ts'
import { hashProposal } from '../proposals/hashProposal.ts'
import { readProposal, readProposals } from '../proposals/readProposals.ts'
import { confirmByProof } from '../administrators/confirmByProof.ts'

/** What one administrator has proposed and another decides. */
export function proposalRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>): void {
  const { clock } = services
  const proof = confirmByProof(services)
  const decisions = decisionsOf(router)
  const viewing = (actor: Parameters<typeof readProposal>[1]['actor']) => ({ actor, now: clock.now(), decisions })

  route(router, contract.listProposals, async ({ em, actor, query: page }) => {
    const { totalCount } = await query(em)
      .selectFrom('proposals')
      .select(({ fn }) => fn.countAll<number>().as('totalCount'))
      .executeTakeFirstOrThrow()
    const proposals = await readProposals(em, { ...page, ...viewing(actor) })
    return { proposals, owners: await countOwners(em), ...presentPaging({ totalCount, ...page }) }
  })

  route(router, contract.approveProposal, {
    // Approvers may approve their own removal or another role. Nobody else changes these under the lock of the administrators.
    outlivesSession: async ({ em, actor }) => (await readPresent(em, actor.id))?.role !== actor.role,
    recognize: proof.recognize,
    async prepare(request) {
      const { em, params, body } = request
      const hasShownPassword = await proof.prepare(request)
      const row = await query(em)
        .selectFrom('proposals')
        .select(['call', 'arguments', 'before'])
        .where('id', '=', params.id)
        .where('state', '=', 'open')
        .executeTakeFirst()
      // What is not as it was shown is refused later.
      const call = row && hashProposal(row) === body.hash ? decisions.get(row.call) : undefined
      const given = call && readArguments(call.endpoint, row!.arguments as DecisionArguments)
      return { hasShownPassword, found: await catchRefusal(Promise.resolve(call?.decision.prepare?.({ ...given, em } as never))) }
    },
    async handle(request) {
      const { em, actor, params, body, clientAddress, prepared } = request
      await lockAdministrators(em)
      const refused = await proof.confirm({ ...request, prepared: prepared.hasShownPassword })
      if (refused) return refused
      const now = clock.now()
      const decision = { id: params.id, hash: body.hash, prepared: prepared.found, actor, clientAddress, now }
      const answer = await approveProposal(em, decisions, decision)
      if (answer instanceof DomainError) return answer
      return { ...answer, proposal: await readProposal(em, { id: params.id, ...viewing(actor) }) }
    },
  })

  route(router, contract.rejectProposal, async ({ em, actor, params, body, clientAddress }) => {
    const decision = { id: params.id, reason: body.reason, actor, clientAddress, now: clock.now() }
    const refused = await dropProposal(em, decisions, decision)
    return (
      refused ?? {
        message: 'The proposal is rejected.',
        proposal: await readProposal(em, { id: params.id, ...viewing(actor) }),
      }
    )
  })

  route(router, contract.withdrawProposal, async ({ em, actor, params, clientAddress }) => {
    const refused = await dropProposal(em, decisions, { id: params.id, actor, clientAddress, now: clock.now() })
    return (
      refused ?? {
        message: 'The proposal is withdrawn.',
        proposal: await readProposal(em, { id: params.id, ...viewing(actor) }),
      }
    )
  })
}
