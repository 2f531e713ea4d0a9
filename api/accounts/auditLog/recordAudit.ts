import type { EntityManager } from '@mikro-orm/postgresql'
import type { AuditAction } from '#shared/auditActions.ts'
import { newId } from '#api/platform/db/newId.ts'
import { AuditEntry } from '#api/entities/AuditEntry.ts'

export interface AuditRecord {
  /** `admin:<username>`, `user:<email>`, `operator:<login name>`, `visitor` or `system`. */
  actor: string
  action: AuditAction
  target?: string
  ipAddress?: string
  before?: unknown
  after?: unknown
}

/** What each record of a decision says besides its values. */
interface DecisionContext {
  /** Why. */
  reason?: string | undefined
  /** Who has proposed what the actor approves. */
  proposedBy?: string
}

interface Watch {
  context: DecisionContext
  records: AuditRecord[]
}

const watches = new WeakMap<EntityManager, Watch>()

/** Collects what a transaction records, and adds the context of the decision to each. */
export function watchAudit(em: EntityManager, context: DecisionContext = {}): readonly AuditRecord[] {
  const records: AuditRecord[] = []
  watches.set(em, { context, records })
  return records
}

/** Records an action and its actor in the transaction of the action. */
export function recordAudit(em: EntityManager, record: AuditRecord): void {
  const watch = watches.get(em)
  watch?.records.push(record)
  const { actor, action, target, ipAddress, before, after } = record
  em.create(AuditEntry, {
    id: newId(),
    at: new Date(),
    actor,
    action,
    target: target ?? null,
    ipAddress: ipAddress ?? null,
    before: before ?? null,
    after: withContext(after, watch?.context),
  })
}

function withContext(after: unknown, { reason, proposedBy }: DecisionContext = {}): unknown {
  if (!reason && proposedBy === undefined) return after ?? null
  return { ...(after as object), ...(reason && { reason }), ...(proposedBy !== undefined && { proposedBy }) }
}
