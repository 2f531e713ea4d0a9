import { defineEntity, p } from '@mikro-orm/postgresql'
import { proposalStates } from '#shared/contract/admin/proposals.ts'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { Administrator } from './Administrator.ts'

/** A call of the back office that takes effect when another administrator approves it (money.md 41). */
export const ProposalSchema = defineEntity({
  name: 'Proposal',
  tableName: 'proposals',
  properties: {
    id: idColumn(),
    /** Method and path of the call in the contract. */
    call: p.string().length(100),
    arguments: p.json<{ params: unknown; body: unknown }>(),
    /** As the audit log will have them. */
    action: p.string().length(60),
    target: p.text().nullable(),
    before: p.json<unknown>().nullable(),
    after: p.json<unknown>().nullable(),
    /** SHA-256 of call, arguments and `before`, in hex. */
    hash: p.string().length(64),
    reason: p.text().nullable(),
    proposedBy: () => p.manyToOne(Administrator).ref().deleteRule('restrict'),
    /** All times are real. */
    proposedAt: instantColumn(),
    expiresAt: instantColumn(),
    state: p.enum(proposalStates).default('open'),
    /** Null for one that the clock closed. */
    decidedBy: () => p.manyToOne(Administrator).ref().deleteRule('restrict').nullable(),
    decidedAt: instantColumn().nullable(),
    outcome: p.text().nullable(),
  },
  checks: [
    {
      name: 'proposals_approved_by_another',
      expression: `state <> 'approved' or (decided_by_id is not null and decided_by_id <> proposed_by_id)`,
    },
  ],
  indexes: [
    { properties: ['proposedAt'] },
    {
      name: 'proposals_open',
      expression: `create unique index proposals_open on proposals (proposed_by_id, hash) where state = 'open'`,
    },
  ],
  triggers: [
    {
      name: 'proposals_decided_once',
      timing: 'before',
      events: ['update'],
      forEach: 'row',
      body: `if old.state <> 'open' or (new.id, new.call, new.arguments, new.action, new.target, new.before, new.after, new.hash, new.reason, new.proposed_by_id, new.proposed_at, new.expires_at) is distinct from (old.id, old.call, old.arguments, old.action, old.target, old.before, old.after, old.hash, old.reason, old.proposed_by_id, old.proposed_at, old.expires_at) then raise exception 'a proposal is decided once and does not change' using errcode = 'restrict_violation'; end if; return new`,
    },
  ],
})

export class Proposal extends ProposalSchema.class {}
ProposalSchema.setClass(Proposal)
