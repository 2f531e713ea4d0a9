import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { decryptSecret } from './encryptSecret.ts'

interface ShownSecret {
  accountId: string
  sessionKey: string
  secret: string
  encryptionKey: string
  /** Real time. */
  now: Date
}

/** The stored form of a secret, if it is the one that this session is setting up and is still valid. */
export async function findShownSecret(
  em: EntityManager,
  { accountId, sessionKey, secret, encryptionKey, now }: ShownSecret,
): Promise<string | undefined> {
  const setup = await query(em)
    .selectFrom('otp_setups')
    .select('secret')
    .where('accountId', '=', accountId)
    .where('sessionKey', '=', sessionKey)
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  return setup && decryptSecret(setup.secret, { encryptionKey, owner: accountId }) === secret ? setup.secret : undefined
}
