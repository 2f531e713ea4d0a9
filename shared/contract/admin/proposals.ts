import { z } from 'zod'
import { instant } from '../../wire/instant.ts'
import { openEnum } from '../../wire/openEnum.ts'
import { endpoint, everyRole } from '../endpoint.ts'
import { pageQuery, pagingFields } from '../paging.ts'
import { rowId } from '../rowId.ts'
import { adminProof, refusedProofs } from './proof.ts'
import { reason } from './note.ts'

export const PROPOSALS_PER_PAGE = 20

/** `outdated`: what it would have changed had changed meanwhile. */
export const proposalStates = ['open', 'approved', 'rejected', 'withdrawn', 'expired', 'outdated'] as const
export type ProposalState = (typeof proposalStates)[number]

/** A call that takes effect when another administrator approves it. */
export const proposal = z.object({
  id: z.uuid(),
  /** What it does and to what, as the audit log will name it. */
  action: z.string(),
  target: z.string().nullable(),
  /** The account that it concerns, if there is one. */
  userId: z.uuid().optional(),
  /** What it replaces, as found when it was proposed. An approval is refused if it has changed. */
  before: z.unknown(),
  after: z.unknown(),
  reason: z.string().nullable(),
  proposedBy: z.string(),
  proposedAt: instant,
  expiresAt: instant,
  state: openEnum(proposalStates),
  decidedBy: z.string().nullable(),
  decidedAt: instant.nullable(),
  /** Why it was rejected or not executed. */
  outcome: z.string().nullable(),
  /** SHA-256 of the call, its arguments and `before`. The approval repeats it, so that it approves what was shown. */
  hash: z.string(),
  isMine: z.boolean(),
  /** The caller may approve or reject it. */
  mayDecide: z.boolean(),
})
export type Proposal = z.output<typeof proposal>

/** The answer, with status 202, to a call that was only proposed. */
export const proposed = z.object({ message: z.string(), proposal })

/** Open ones first, newest first. */
export const listProposals = endpoint({
  method: 'GET',
  path: '/api/admin/proposals',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  query: pageQuery(PROPOSALS_PER_PAGE),
  response: z.object({
    proposals: z.array(proposal),
    ...pagingFields,
    /** From the second on, the calls that need another administrator's approval are only proposed. */
    owners: z.int(),
  }),
})

const params = z.object({ id: rowId })
const decided = z.object({ message: z.string(), proposal })

/** Executes the call, once. Refused for its proposer, and if what it replaces has changed. */
export const approveProposal = endpoint({
  method: 'POST',
  path: '/api/admin/proposals/:id/approve',
  access: 'admin',
  roles: ['finance'],
  limit: 'otp',
  params,
  body: adminProof.extend({ hash: z.string().max(64) }),
  response: decided,
  errors: ['not_found', 'proposal_closed', 'proposal_outdated', 'own_proposal', ...refusedProofs],
})

export const rejectProposal = endpoint({
  method: 'POST',
  path: '/api/admin/proposals/:id/reject',
  access: 'admin',
  roles: ['finance'],
  limit: 'none',
  params,
  body: z.object({ reason }),
  response: decided,
  errors: ['not_found', 'proposal_closed', 'own_proposal'],
})

/** For its proposer. */
export const withdrawProposal = endpoint({
  method: 'POST',
  path: '/api/admin/proposals/:id/withdraw',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  params,
  response: decided,
  errors: ['not_found', 'proposal_closed'],
})
