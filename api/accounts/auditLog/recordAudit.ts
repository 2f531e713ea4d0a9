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

/** Records an action and its actor in the transaction of the action. */
export function recordAudit(em: EntityManager, { actor, action, target, ipAddress, before, after }: AuditRecord): void {
  em.create(AuditEntry, {
    id: newId(),
    at: new Date(),
    actor,
    action,
    target: target ?? null,
    ipAddress: ipAddress ?? null,
    before: before ?? null,
    after: after ?? null,
  })
}
