import type { EntityManager } from '@mikro-orm/postgresql'
import type { Insertable } from 'kysely'
import { getWaiting } from '#shared/contract/admin/waiting.ts'
import { listProposals } from '#shared/contract/admin/proposals.ts'
import { DAY } from '#shared/dates.ts'
import { type AuditRecord, recordAudit, watchAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query, type Tables } from '#api/entities/tables.ts'
import { newId } from '#api/platform/db/newId.ts'
import { DomainError, refusal } from '#api/platform/errors.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { ProposedAnswer } from '#api/platform/http/route.ts'
import { endpointName } from '#api/platform/http/withIdempotency.ts'
import type { OperatorServices } from '#api/platform/mail/mailOperator.ts'
import type { Services } from '#api/platform/services.ts'
import { type Decided, type DecisionEndpoint, type Decisions, type RegisteredDecision, writeArguments } from './Decision.ts'
import { closeExpired } from './expireProposals.ts'
import { foundBefore, type Others, othersOf } from './foundBefore.ts'
import { hashProposal } from './hashProposal.ts'
import { mailApprovers } from './mailApprovers.ts'
import { readProposal } from './readProposals.ts'

/** How long a proposal can be approved, in real time. */
const PROPOSAL_LIFE = DAY

/** Of one proposer. */
const MAX_OPEN_PROPOSALS = 100

/** What only the execution decides, such as the numbers of granted nodes. */
const OUTCOMES = ['purchaseId', 'numbers', 'granted', 'expiresAt', 'outcome', 'deposits', 'finalQuantity', 'result']

/**
 * Proposes a call. It is tried out and rolled back first, so that what cannot be done is refused at once, and the audit record that it would
 * write says what the proposal would change. The same call proposed again answers the open proposal.
 *
 * @returns the answer of the call if it would change nothing. It is not called again then: meanwhile it could change something.
 * @throws the refusals of the call; 429 beyond the limits of its proposer.
 */
export async function propose(
  services: OperatorServices & Pick<Services, 'clock' | 'limits'>,
  decisions: Decisions,
  { call: { endpoint, decision }, request }: { call: RegisteredDecision; request: Decided<DecisionEndpoint> },
): Promise<unknown> {
  const { em, actor, clientAddress } = request
  const { records, answer } = await tryOut(em, (em) =>
    decision.execute({ ...request, em, prepared: preparedOf(request), isApproved: true }),
  )
  const [record] = records
  if (!record) return answer
  const [call, given] = [endpointName(endpoint), writeArguments(endpoint, request as { params?: unknown; body?: unknown })]
  const { action, target = null } = record
  const before = foundBefore(records)
  const hash = hashProposal({ call, arguments: given, before })
  const now = services.clock.now()
  const { id, isNew } = await insertOnce(em, {
    call,
    arguments: given,
    action,
    target,
    before,
    // Named on both sides, since what becomes of the others is what becomes of the first.
    after: withOthers(withoutOutcomes(record.after), othersOf(records)),
    hash,
    reason: reasonOf(given.body),
    proposedBy: actor.id,
    proposedAt: now,
    expiresAt: new Date(now.getTime() + PROPOSAL_LIFE),
  })
  if (isNew) {
    await limitProposals(em, services, { proposedBy: actor.id, now })
    recordAudit(em, {
      actor: `admin:${actor.name}`,
      action: 'proposal.propose',
      target: target ?? action,
      ipAddress: clientAddress,
      after: { proposal: id, action, arguments: given },
    })
    await recordChange(em, { keys: [getWaiting.path, listProposals.path] })
    await mailApprovers(em, services, { endpoint, action, target, after: record.after, proposedBy: actor })
  }
  return new ProposedAnswer({
    message: 'Proposed. Another administrator has to approve it within 24 hours.',
    proposal: await readProposal(em, { id, actor, now, decisions }),
  })
}

type NewProposal = Omit<Insertable<Tables['proposals']>, 'id'> & { proposedBy: string; proposedAt: Date }

/** Inserts a proposal unless the same one of this proposer is open. @returns the id of the open one. */
async function insertOnce(em: EntityManager, proposal: NewProposal): Promise<{ id: string; isNew: boolean }> {
  const { proposedBy, hash, proposedAt } = proposal
  // An expired one does not count, even before the clock has closed it.
  await closeExpired(em, { now: proposedAt, only: { proposedBy, hash } })
  const inserted = await query(em)
    .insertInto('proposals')
    .values({ ...proposal, id: newId() })
    .onConflict((oc) => oc.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted) return { ...inserted, isNew: true }
  const open = await query(em)
    .selectFrom('proposals')
    .select('id')
    .where('proposedBy', '=', proposedBy)
    .where('hash', '=', hash)
    .where('state', '=', 'open')
    .executeTakeFirst()
  // It was decided between the two statements.
  return open ? { ...open, isNew: false } : insertOnce(em, proposal)
}

/**
 * A stolen session must not bury the approvers in mails and open proposals. Called after the insert, which is rolled back.
 *
 * @throws 429
 */
async function limitProposals(
  em: EntityManager,
  { limits }: Pick<Services, 'limits'>,
  { proposedBy, now }: { proposedBy: string; now: Date },
): Promise<void> {
  const { open } = await query(em)
    .selectFrom('proposals')
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .where('proposedBy', '=', proposedBy)
    .where('state', '=', 'open')
    .where('expiresAt', '>', now)
    .executeTakeFirstOrThrow()
  if (open > MAX_OPEN_PROPOSALS)
    throw refusal(
      429,
      'too_many_proposals',
      `At most ${MAX_OPEN_PROPOSALS} of your proposals can be open. Please withdraw some, or wait until they are decided.`,
    )
  await limits.count('proposal', proposedBy)
}

const preparedOf = (request: object): unknown => (request as { prepared?: unknown }).prepared

class TriedOut extends Error {
  readonly records: readonly AuditRecord[]
  readonly answer: unknown

  constructor(records: readonly AuditRecord[], answer: unknown) {
    super()
    this.records = records
    this.answer = answer
  }
}

/** @returns the answer and the audit records of what was rolled back. */
async function tryOut(
  em: EntityManager,
  work: (em: EntityManager) => Promise<unknown>,
): Promise<Pick<TriedOut, 'records' | 'answer'>> {
  try {
    return await em.transactional(
      async (em) => {
        const records = watchAudit(em)
        const answer = await work(em)
        if (answer instanceof DomainError) throw answer
        throw new TriedOut(records, answer)
      },
      { clear: true },
    )
  } catch (error) {
    if (error instanceof TriedOut) return error
    throw error
  }
}

function withoutOutcomes(after: unknown): unknown {
  if (typeof after !== 'object' || after === null) return after ?? null
  return Object.fromEntries(Object.entries(after).filter(([name]) => !OUTCOMES.includes(name)))
}

const withOthers = (after: unknown, others: Others): unknown =>
  others.others ? { ...(after as object | null), ...others } : after

/** Calls name their reason differently. */
function reasonOf(body: unknown): string | null {
  const { reason, notes, note } = (body ?? {}) as Record<string, string | undefined>
  return reason ?? notes ?? note ?? null
}
