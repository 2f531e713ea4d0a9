import type { EntityManager } from '@mikro-orm/postgresql'
import { listSessions } from '#shared/contract/sessions.ts'
import { query } from '#api/entities/tables.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { lockCodes } from './storeCode.ts'

export interface PasswordReplacement {
  user: { id: string; email: string }
  passwordHash: string
  /** The verified hash, which another request may have replaced; any hash if absent. */
  insteadOf?: string
}

/**
 * Replaces the password of an account, ends all its sessions and invalidates its emailed codes. Returns the new session epoch;
 * undefined if another request replaced the password first.
 */
export async function replacePassword(
  em: EntityManager,
  { user, passwordHash, insteadOf }: PasswordReplacement,
): Promise<number | undefined> {
  await lockCodes(em, user.email)
  await query(em).deleteFrom('email_codes').where('email', '=', user.email).where('purpose', '=', 'reset').execute()
  const account = await query(em)
    .updateTable('users')
    .set((eb) => ({ passwordHash, sessionEpoch: eb('sessionEpoch', '+', 1) }))
    .where('id', '=', user.id)
    .$if(insteadOf !== undefined, (update) => update.where('passwordHash', '=', insteadOf!))
    .returning('sessionEpoch')
    .executeTakeFirst()
  if (!account) return undefined
  await query(em).deleteFrom('web_sessions').where('realm', '=', 'user').where('accountId', '=', user.id).execute()
  await recordChange(em, { userId: user.id, keys: [listSessions.path] })
  return account.sessionEpoch
}
