import type { EntityManager } from '@mikro-orm/postgresql'
import { listSessions } from '#shared/contract/sessions.ts'
import { sql } from '#api/platform/db/sql.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { lockCodes } from './storeCode.ts'

export interface PasswordReplacement {
  user: { id: string; email: string }
  passwordHash: string
  /** The hash that was shown to be known; another request may have replaced it. Any, if absent. */
  insteadOf?: string
}

/**
 * Gives an account another password, and ends all its sessions and what codes mailed to it could do. Answers the epoch of its
 * sessions to come; undefined if another request was quicker.
 */
export async function replacePassword(
  em: EntityManager,
  { user, passwordHash, insteadOf }: PasswordReplacement,
): Promise<number | undefined> {
  await lockCodes(em, user.email)
  await sql(em, `delete from email_codes where email = $1 and purpose = 'reset'`, [user.email])
  const [account] = await sql<{ session_epoch: number }>(
    em,
    `update users set password_hash = $2, session_epoch = session_epoch + 1
     where id = $1 and ($3::text is null or password_hash = $3) returning session_epoch`,
    [user.id, passwordHash, insteadOf ?? null],
  )
  if (!account) return undefined
  await sql(em, `delete from web_sessions where realm = 'user' and account_id = $1`, [user.id])
  await recordChange(em, { userId: user.id, keys: [listSessions.path] })
  return account.session_epoch
}
