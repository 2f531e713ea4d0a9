import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'
import type { KnownAdministrator } from './checkAdministratorPassword.ts'
import { lockAdministrators } from './lockAdministrators.ts'
import { requireFreeName } from './requireFreeName.ts'

export interface CredentialsChange {
  administrator: KnownAdministrator
  username: string
  /** Unchanged if undefined. */
  passwordHash: string | undefined
  clientAddress: string
}

/** Changes the name or password of an administrator. It ends every session and half-login of the account. @throws 400 for a name that is not free */
export async function changeCredentials(
  em: EntityManager,
  { administrator, username, passwordHash, clientAddress }: CredentialsChange,
): Promise<{ id: string; epoch: number }> {
  const isRenamed = username !== administrator.username
  if (isRenamed) {
    await lockAdministrators(em)
    await requireFreeName(em, username)
  }
  const changed = await query(em)
    .updateTable('administrators')
    .set((eb) => ({
      username,
      passwordHash: passwordHash ?? administrator.passwordHash,
      sessionEpoch: eb('sessionEpoch', '+', 1),
    }))
    .where('id', '=', administrator.id)
    .where('sessionEpoch', '=', administrator.epoch)
    .returning('sessionEpoch')
    .executeTakeFirst()
  // Another request has changed the credentials while the password was checked.
  if (!changed) throw refusal(401, 'unauthenticated', 'Unauthorized')
  // The planned removal of an authenticator names the owner who planned it, and takes effect only while that is the only owner.
  if (isRenamed)
    await query(em)
      .updateTable('users')
      .set({ otpResetBy: `admin:${username}` })
      .where('otpResetsAt', 'is not', null)
      .where('otpResetBy', '=', `admin:${administrator.username}`)
      .execute()
  recordAudit(em, {
    actor: `admin:${administrator.username}`,
    action: 'admin.credentials',
    target: administrator.username,
    ipAddress: clientAddress,
    before: { username: administrator.username },
    after: { username, passwordChanged: passwordHash !== undefined },
  })
  return { id: administrator.id, epoch: changed.sessionEpoch }
}
