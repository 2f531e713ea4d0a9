import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { sql } from '#api/platform/db/sql.ts'

export interface AdministratorReset {
  administrator: { id: string; username: string }
  /** Who does it. */
  actor: string
}

/** Gives an administrator another password. Ends all his sessions. */
export async function resetAdministratorPassword(
  em: EntityManager,
  { administrator: { id, username }, actor, passwordHash }: AdministratorReset & { passwordHash: string },
): Promise<void> {
  await sql(em, 'update administrators set password_hash = $2, session_epoch = session_epoch + 1 where id = $1', [
    id,
    passwordHash,
  ])
  recordAudit(em, { actor, action: 'admin.password_reset', target: username })
}
