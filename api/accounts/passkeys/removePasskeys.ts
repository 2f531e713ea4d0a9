import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { lockOwner, owners, type PasskeyOwner } from './passkeyOwners.ts'

/** Removes one passkey of an account. @returns its name; undefined if there is none. */
export async function removePasskey(
  em: EntityManager,
  { owner, passkeyId }: { owner: PasskeyOwner; passkeyId: string },
): Promise<string | undefined> {
  await lockOwner(em, owner)
  const removed = await query(em)
    .deleteFrom('passkeys')
    .where('id', '=', passkeyId)
    .where(owners[owner.realm], '=', owner.id)
    .returning('name')
    .executeTakeFirst()
  return removed?.name
}

/** Removes all passkeys of an account. @returns their names. */
export async function removeAllPasskeys(em: EntityManager, owner: PasskeyOwner): Promise<string[]> {
  await lockOwner(em, owner)
  const removed = await query(em).deleteFrom('passkeys').where(owners[owner.realm], '=', owner.id).returning('name').execute()
  return removed.map(({ name }) => name)
}
