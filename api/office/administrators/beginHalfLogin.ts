import type { EntityManager } from '@mikro-orm/postgresql'
import { MINUTE } from '#shared/dates.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { KnownAdministrator } from './checkAdministratorPassword.ts'

/** How long the password waits for its code. */
export const HALF_LOGIN_LIFE = 5 * MINUTE

/** Notes that this session has shown the password. It has no right by that but five tries of a code. */
export async function beginHalfLogin(
  em: EntityManager,
  { administrator, sessionKey, now }: { administrator: KnownAdministrator; sessionKey: string; now: Date },
): Promise<void> {
  await sql(em, 'insert into half_logins (id, administrator_id, epoch, session_key, expires_at) values ($1, $2, $3, $4, $5)', [
    newId(),
    administrator.id,
    administrator.epoch,
    sessionKey,
    new Date(now.getTime() + HALF_LOGIN_LIFE),
  ])
}
