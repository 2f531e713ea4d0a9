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

interface Watch {
  /** Who has proposed what the actor approves. */
  proposedBy: string | undefined
  records: AuditRecord[]
}

const watches = new WeakMap<EntityManager, Watch>()

/** Collects what a transaction records, and names in each record who has proposed it. */
export function watchAudit(em: EntityManager, proposedBy?: string): readonly AuditRecord[] {
  const records: AuditRecord[] = []
  watches.set(em, { proposedBy, records })
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
    after: watch?.proposedBy === undefined ? (after ?? null) : { ...(after as object), proposedBy: watch.proposedBy },
  })
}
