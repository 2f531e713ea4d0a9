import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'

export interface AdministratorReset {
  administrator: { id: string; username: string }
  /** The operator, for the audit log. */
  actor: string
}

/** Replaces the password of an administrator. Ends all sessions of the account. */
export async function resetAdministratorPassword(
  em: EntityManager,
  { administrator: { id, username }, actor, passwordHash }: AdministratorReset & { passwordHash: string },
): Promise<void> {
  await query(em)
    .updateTable('administrators')
    .set((eb) => ({ passwordHash, sessionEpoch: eb('sessionEpoch', '+', 1) }))
    .where('id', '=', id)
    .execute()
  recordAudit(em, { actor, action: 'admin.password_reset', target: username })
}
