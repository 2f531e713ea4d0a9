import type { EntityManager } from '@mikro-orm/postgresql'
import type { Passkey } from '#shared/contract/passkeys.ts'
import { query } from '#api/entities/tables.ts'
import { owners, type PasskeyOwner } from './passkeyOwners.ts'

/** The passkeys of an account, oldest first. */
export async function listPasskeys(em: EntityManager, { realm, id }: PasskeyOwner): Promise<Passkey[]> {
  const passkeys = await query(em)
    .selectFrom('passkeys')
    .select(['id', 'name', 'createdAt', 'lastUsedAt', 'isSynced', 'disabledAt'])
    .where(owners[realm], '=', id)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
  return passkeys.map(({ disabledAt, ...passkey }) => ({ ...passkey, isDisabled: disabledAt !== null }))
}
