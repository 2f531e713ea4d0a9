import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { type AdminRole, mayCall } from '#shared/adminRoles.ts'
import type { Proposal } from '#shared/contract/admin/proposals.ts'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'
import { findOwners } from '../auditLog/findOwners.ts'
import type { Decisions } from './Decision.ts'

interface Viewing {
  actor: { id: string; role: AdminRole }
  /** Real time. */
  now: Date
  decisions: Decisions
}

/** Open ones first, newest first. */
export async function readProposals(
  em: EntityManager,
  { limit, offset, ...viewing }: Viewing & { limit: number; offset: number },
): Promise<Proposal[]> {
  const rows = await selectProposals(em)
    .orderBy((eb) => eb.and([eb('p.state', '=', 'open'), eb('p.expiresAt', '>', viewing.now)]), 'desc')
    .orderBy('p.proposedAt', 'desc')
    .orderBy('p.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  return presentAll(em, rows, viewing)
}

/** @throws 404 */
export async function readProposal(em: EntityManager, { id, ...viewing }: Viewing & { id: string }): Promise<Proposal> {
  const row = await selectProposals(em).where('p.id', '=', id).executeTakeFirst()
  if (!row) throw proposalUnknown()
  const [proposal] = await presentAll(em, [row], viewing)
  return proposal!
}

export const proposalUnknown = () => refusal(404, 'not_found', 'There is no such proposal.')

const selectProposals = (em: EntityManager) =>
  query(em)
    .selectFrom('proposals as p')
    .innerJoin('administrators as a', 'a.id', 'p.proposedBy')
    .leftJoin('administrators as d', 'd.id', 'p.decidedBy')
    .select(['p.id', 'p.call', 'p.action', 'p.target', 'p.before', 'p.after', 'p.hash', 'p.reason', 'p.state', 'p.outcome'])
    .select(['p.proposedAt', 'p.expiresAt', 'p.decidedAt'])
    .select(['a.id as proposerId', 'a.username as proposedBy', 'd.username as decidedBy'])

type Row = Awaited<ReturnType<ReturnType<typeof selectProposals>['executeTakeFirstOrThrow']>>

async function presentAll(em: EntityManager, rows: readonly Row[], viewing: Viewing): Promise<Proposal[]> {
  const found = await findOwners(em, rows.map(aboutOf))
  return rows.map((row) => ({ ...present(row, viewing), userId: found(aboutOf(row)) }))
}

/** The account by its name, if the record has one: a payment may be assigned to another account than its sender's. */
function aboutOf({ action, target, before, after }: Row): { action: string; target: string | null } {
  const { userEmail } = { ...(after as object | null), ...(before as object | null) } as { userEmail?: unknown }
  return { action, target: typeof userEmail === 'string' ? userEmail : target }
}

function present({ call, proposerId, ...row }: Row, { actor, now, decisions }: Viewing): Omit<Proposal, 'userId'> {
  // The clock closes it within a minute.
  const state = row.state === 'open' && row.expiresAt <= now ? 'expired' : row.state
  const isMine = proposerId === actor.id
  return { ...row, state, isMine, mayDecide: state === 'open' && !isMine && callsOf(actor.role, decisions).includes(call) }
}

/** The calls that a role may approve. */
const callsOf = (role: AdminRole, decisions: Decisions): string[] =>
  [...decisions].filter(([, { endpoint }]) => mayCall(role, { roles: endpoint.approvers })).map(([call]) => call)

/** The open proposals that an administrator may approve. */
export async function countProposals(em: EntityManager, { actor, now, decisions }: Viewing): Promise<number> {
  const { count } = await query(em)
    .selectFrom('proposals')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', '=', 'open')
    .where('expiresAt', '>', now)
    .where('proposedBy', '<>', actor.id)
    .where('call', '=', sql<string>`any(${callsOf(actor.role, decisions)}::text[])`)
    .executeTakeFirstOrThrow()
  return count
}
