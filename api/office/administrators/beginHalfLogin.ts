import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { MINUTE } from '#shared/dates.ts'
import { newId } from '#api/platform/db/newId.ts'
import { query } from '#api/entities/tables.ts'
import type { KnownAdministrator } from './checkAdministratorPassword.ts'

/** How long the code may be entered after the password. */
export const HALF_LOGIN_LIFE = 5 * MINUTE

/**
 * Records that this session has shown the password. It allows nothing but five tries of a code. The audit log says so too, because a right
 * password that no code follows may be a stolen one.
 */
export async function beginHalfLogin(
  em: EntityManager,
  {
    administrator,
    sessionKey,
    clientAddress,
    now,
  }: { administrator: KnownAdministrator; sessionKey: string; clientAddress: string; now: Date },
): Promise<void> {
  await query(em)
    .insertInto('half_logins')
    .values({
      id: newId(),
      administrator: administrator.id,
      epoch: administrator.epoch,
      sessionKey,
      expiresAt: new Date(now.getTime() + HALF_LOGIN_LIFE),
    })
    .execute()
  recordAudit(em, {
    actor: 'visitor',
    action: 'admin.password_accepted',
    target: administrator.username,
    ipAddress: clientAddress,
  })
}
