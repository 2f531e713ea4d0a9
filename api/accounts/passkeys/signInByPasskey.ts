import type { RequestSession } from '#api/platform/http/RequestSession.ts'
import type { Services } from '#api/platform/services.ts'
import { query } from '#api/entities/tables.ts'
import { lockOwner, owners, type PasskeyOwner } from './passkeyOwners.ts'
import { passkeyUnknown } from './refusals.ts'

interface PasskeyLogin extends PasskeyOwner {
  epoch: number
  credentialId: string
}

/**
 * Begins the session of a committed login by passkey. If the passkey was removed or disabled since it was verified, the sessions of the
 * account were ended before there was this one, so it ends at once. The check follows the session: a removal either waits for the lock and
 * ends the session, or is seen here.
 *
 * @throws 400 `passkey_unknown`
 */
export async function signInByPasskey(
  { orm }: Pick<Services, 'orm'>,
  session: RequestSession,
  { realm, id, epoch, credentialId }: PasskeyLogin,
): Promise<void> {
  await session.signIn({ id, epoch })
  const usable = await orm.em.fork().transactional(async (em) => {
    await lockOwner(em, { realm, id })
    return query(em)
      .selectFrom('passkeys')
      .select('id')
      .where('credentialId', '=', credentialId)
      .where(owners[realm], '=', id)
      .where('disabledAt', 'is', null)
      .executeTakeFirst()
  })
  if (usable) return
  session.signOut()
  throw passkeyUnknown()
}
