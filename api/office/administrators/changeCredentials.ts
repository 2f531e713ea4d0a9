import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { sql } from '#api/platform/db/sql.ts'
import { refusal } from '#api/platform/errors.ts'
import type { KnownAdministrator } from './checkAdministratorPassword.ts'

export interface CredentialsChange {
  administrator: KnownAdministrator
  username: string
  /** Undefined leaves it. */
  passwordHash: string | undefined
  clientAddress: string
}

/** Gives an administrator another name or password. Every session of the account ends with that, and every half-login. */
export async function changeCredentials(
  em: EntityManager,
  { administrator, username, passwordHash, clientAddress }: CredentialsChange,
): Promise<{ id: string; epoch: number }> {
  const [taken] = await sql(em, 'select from administrators where username = $1 and id <> $2', [username, administrator.id])
  if (taken) throw refusal(400, 'invalid_request', 'Another administrator has this username.')
  const [changed] = await sql<{ session_epoch: number }>(
    em,
    `update administrators set username = $3, password_hash = $4, session_epoch = session_epoch + 1
     where id = $1 and session_epoch = $2 returning session_epoch`,
    [administrator.id, administrator.epoch, username, passwordHash ?? administrator.passwordHash],
  )
  // Somebody else has changed them while the password was being checked.
  if (!changed) throw refusal(401, 'unauthenticated', 'Unauthorized')
  recordAudit(em, {
    actor: `admin:${administrator.username}`,
    action: 'admin.credentials',
    target: administrator.username,
    ipAddress: clientAddress,
    before: { username: administrator.username },
    after: { username, passwordChanged: passwordHash !== undefined },
  })
  return { id: administrator.id, epoch: changed.session_epoch }
}
