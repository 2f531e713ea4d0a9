import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { clearOtp } from '#api/accounts/otp/clearOtp.ts'
import type { AdministratorReset } from './resetAdministratorPassword.ts'

/** Removes an administrator's authenticator and its lock. Ends all sessions of the account. */
export async function resetAdministratorOtp(
  em: EntityManager,
  { administrator: { id, username }, actor }: AdministratorReset,
): Promise<void> {
  await clearOtp(em, { realm: 'admin', id })
  await query(em)
    .updateTable('administrators')
    .set((eb) => ({ sessionEpoch: eb('sessionEpoch', '+', 1) }))
    .where('id', '=', id)
    .execute()
  recordAudit(em, { actor, action: 'admin.otp_reset', target: username })
}
