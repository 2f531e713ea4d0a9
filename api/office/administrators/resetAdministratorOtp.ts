import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { sql } from '#api/platform/db/sql.ts'
import { clearOtp } from '#api/accounts/otp/clearOtp.ts'
import type { AdministratorReset } from './resetAdministratorPassword.ts'

/** Takes the authenticator off an administrator, and its lock. Ends all his sessions. */
export async function resetAdministratorOtp(
  em: EntityManager,
  { administrator: { id, username }, actor }: AdministratorReset,
): Promise<void> {
  await clearOtp(em, { realm: 'admin', id })
  await sql(em, 'update administrators set session_epoch = session_epoch + 1 where id = $1', [id])
  recordAudit(em, { actor, action: 'admin.otp_reset', target: username })
}
