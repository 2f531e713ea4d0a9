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
interface Circumstances {
  /** Why. */
  reason?: string | undefined
  /** Who has proposed what the actor approves. */
  proposedBy?: string
}

interface Watch {
  circumstances: Circumstances
  records: AuditRecord[]
}

const watches = new WeakMap<EntityManager, Watch>()

/** Collects what a transaction records, and adds to each record under which circumstances. */
export function watchAudit(em: EntityManager, circumstances: Circumstances = {}): readonly AuditRecord[] {
  const records: AuditRecord[] = []
  watches.set(em, { circumstances, records })
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
    after: withCircumstances(after, watch?.circumstances),
  })
}

function withCircumstances(after: unknown, { reason, proposedBy }: Circumstances = {}): unknown {
  if (!reason && proposedBy === undefined) return after ?? null
  return { ...(after as object), ...(reason && { reason }), ...(proposedBy !== undefined && { proposedBy }) }
}
