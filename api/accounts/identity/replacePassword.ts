import type { EntityManager } from '@mikro-orm/postgresql'
import { listPasskeys } from '#shared/contract/passkeys.ts'
import { query } from '#api/entities/tables.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { removeAllPasskeys } from '../passkeys/removePasskeys.ts'
import { deleteSessions } from '../users/deleteSessions.ts'
import { lockCodes } from './storeCode.ts'

export interface PasswordReplacement {
  user: { id: string; email: string }
  passwordHash: string
  /** The verified hash, which another request may have replaced; any hash if absent. */
  insteadOf?: string
}

export interface ReplacedPassword {
  /** The new session epoch. */
  epoch: number
  /** The number of passkeys that were removed. */
  passkeys: number
}

/**
 * Replaces the password of an account, ends all its sessions, invalidates its emailed codes and removes its passkeys: somebody who
 * knew the old password may have added one. Undefined if another request replaced the password first.
 */
export async function replacePassword(
  em: EntityManager,
  { user, passwordHash, insteadOf }: PasswordReplacement,
): Promise<ReplacedPassword | undefined> {
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
  await deleteSessions(em, user.id)
  const passkeys = await removeAllPasskeys(em, { realm: 'user', id: user.id })
  await recordChange(em, { userId: user.id, keys: [listPasskeys.path] })
  return { epoch: account.sessionEpoch, passkeys: passkeys.length }
}
