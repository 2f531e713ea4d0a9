import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { removeAllPasskeys } from '#api/accounts/passkeys/removePasskeys.ts'
import { query } from '#api/entities/tables.ts'
import type { AdministratorReset } from './resetAdministratorPassword.ts'

/** Removes all passkeys of an administrator. Ends all sessions of the account. @returns how many there were. */
export async function resetAdministratorPasskeys(
  em: EntityManager,
  { administrator: { id, username }, actor }: AdministratorReset,
): Promise<number> {
  const names = await removeAllPasskeys(em, { realm: 'admin', id })
  if (names.length === 0) return 0
  await query(em)
    .updateTable('administrators')
    .set((eb) => ({ sessionEpoch: eb('sessionEpoch', '+', 1) }))
    .where('id', '=', id)
    .execute()
  recordAudit(em, { actor, action: 'admin.passkeys_reset', target: username, before: { passkeys: names } })
  return names.length
}
