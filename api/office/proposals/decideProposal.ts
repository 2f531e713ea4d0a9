import type { EntityManager } from '@mikro-orm/postgresql'
import { mayCall } from '#shared/adminRoles.ts'
import { listProposals, type ProposalState } from '#shared/contract/admin/proposals.ts'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { recordAudit, watchAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { DomainError, refusal } from '#api/platform/errors.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { lockAdministrators, readPresent } from '../administrators/lockAdministrators.ts'
import { type DecidingActor, type DecisionArguments, type Decisions, readArguments } from './Decision.ts'
import { foundBefore } from './foundBefore.ts'
import { canonical, hashProposal } from './hashProposal.ts'
import { proposalUnknown } from './readProposals.ts'

export interface ProposalDecision {
  id: string
  actor: DecidingActor
  clientAddress: string
  /** Real time. */
  now: Date
}

const closed = (state: ProposalState) =>
  refusal(409, 'proposal_closed', 'This proposal is no longer open. Please look at the list again.', { state })
const outdated = (message: string) => refusal(409, 'proposal_outdated', message)
const own = () => refusal(403, 'own_proposal', 'Another administrator has to decide on your proposal.')
const forbidden = () => refusal(403, 'forbidden', 'Your role does not allow this. An owner can give you another one.')

/**
 * Executes a proposed call in the caller's transaction, once (money.md 41): its row is locked and closed in the transaction of the effect,
 * and everything is checked again under the locks of the call. It returns a refusal instead of throwing it, so that the confirmation is used
 * up. A refused call leaves the proposal open.
 *
 * @param prepared what the call has read before the transaction, or its refusal.
 * @returns the message of the call.
 */
export async function approveProposal(
  em: EntityManager,
  decisions: Decisions,
  { hash, prepared, ...decision }: ProposalDecision & { hash: string; prepared: unknown },
): Promise<DomainError | { message: string }> {
  const { id, actor, clientAddress } = decision
  const row = await lockOpen(em, decision)
  if (row instanceof DomainError) return row
  if (row.proposedBy === actor.id) return own()
  const found = decisions.get(row.call)
  const approver = await readPresent(em, actor.id)
  if (!found || !approver || !mayCall(approver.role, { roles: found.endpoint.approvers })) return forbidden()
  if (row.hash !== hash || hashProposal(row) !== hash)
    return outdated('This is not the proposal that you were shown. Please look at it again.')
  const proposer = await readPresent(em, row.proposedBy)
  if (!proposer || !mayCall(proposer.role, found.endpoint))
    return outdated('Its proposer may no longer propose this. Please reject it.')
  if (prepared instanceof DomainError) return prepared

  const given = row.arguments as DecisionArguments
  const request = { ...readArguments(found.endpoint, given), actor, clientAddress, prepared }
  const { reason } = (given.body ?? {}) as { reason?: string }
  const answer = await em
    .transactional(
      async (em) => {
        const records = watchAudit(em, { proposedBy: proposer.username, reason })
        const answer = await found.decision.execute({ ...request, em, isApproved: true } as never)
        if (answer instanceof DomainError) throw answer
        if (canonical(foundBefore(records)) !== canonical(row.before)) throw new Changed()
        return answer as { message?: string }
      },
      { clear: true },
    )
    .catch((error: unknown) => {
      // Something speaks against it that its proposer has not named.
      if (error instanceof DomainError) return error.objections.length > 0 ? new Changed() : error
      if (error instanceof Changed) return error
      throw error
    })
  if (answer instanceof DomainError) return answer
  const record = (action: 'proposal.approve' | 'proposal.outdated') =>
    recordAudit(em, {
      actor: `admin:${actor.name}`,
      action,
      target: row.target ?? row.action,
      ipAddress: clientAddress,
      after: { proposal: id, action: row.action, proposedBy: proposer.username },
    })
  if (answer instanceof Changed) {
    const outcome = 'What it would have changed has changed meanwhile.'
    await close(em, { ...decision, state: 'outdated', outcome })
    record('proposal.outdated')
    return outdated('What it would change has changed meanwhile. Please propose it again.')
  }
  await close(em, { ...decision, state: 'approved', outcome: null })
  record('proposal.approve')
  return { message: answer.message ?? 'The proposal is approved.' }
}

/** What was proposed has other values now. */
class Changed extends Error {}

/** Closes a proposal without executing it: its proposer withdraws it, or another administrator who may approve it rejects it. */
export async function dropProposal(
  em: EntityManager,
  decisions: Decisions,
  { reason, ...decision }: ProposalDecision & { reason?: string },
): Promise<DomainError | undefined> {
  const { id, actor, clientAddress } = decision
  const row = await lockOpen(em, decision)
  if (row instanceof DomainError) return row
  const isMine = row.proposedBy === actor.id
  const isRejected = reason !== undefined
  if (isRejected && isMine) return own()
  if (isRejected ? !mayCall(actor.role, { roles: decisions.get(row.call)?.endpoint.approvers ?? [] }) : !isMine)
    return forbidden()
  await close(em, { ...decision, state: isRejected ? 'rejected' : 'withdrawn', outcome: reason ?? null })
  recordAudit(em, {
    actor: `admin:${actor.name}`,
    action: isRejected ? 'proposal.reject' : 'proposal.withdraw',
    target: row.target ?? row.action,
    ipAddress: clientAddress,
    after: { proposal: id, action: row.action, ...(isRejected && { reason }) },
  })
  return undefined
}

/** @throws 404 */
async function lockOpen(em: EntityManager, { id, now }: ProposalDecision) {
  await lockAdministrators(em)
  const row = await query(em).selectFrom('proposals').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
  if (!row) throw proposalUnknown()
  if (row.state !== 'open') return closed(row.state)
  return row.expiresAt <= now ? closed('expired') : row
}

async function close(
  em: EntityManager,
  { id, actor, now, state, outcome }: ProposalDecision & { state: ProposalState; outcome: string | null },
): Promise<void> {
  await query(em)
    .updateTable('proposals')
    .set({ state, outcome, decidedBy: actor.id, decidedAt: now })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .execute()
  await recordChange(em, { keys: [getWaiting.path, listProposals.path] })
}
