import type { EntityManager } from '@mikro-orm/postgresql'
import { ConfigError } from '#api/platform/ConfigError.ts'
import { deriveKey } from '#api/platform/crypto/deriveKey.ts'
import { query } from '#api/entities/tables.ts'
import { otpTables } from './consumeCode.ts'
import { tryDecrypt } from './reencryptSecrets.ts'

/** Identifies the key without revealing it. */
const checkOf = (encryptionKey: string): string => deriveKey(encryptionKey, 'key-check').toString('hex')

/** How many secrets of each kind are tried, because some may be damaged. */
const SAMPLE_SIZE = 20

/**
 * Refuses to start with another key than that of the database, such as the new one after a dump from before its rotation was restored. With
 * a wrong key no authenticator code could be checked, every recovery code would be refused, and what it encrypts could not be decrypted once
 * the right key is back.
 *
 * @throws {ConfigError}
 */
export async function checkEncryptionKey(em: EntityManager, encryptionKey: string): Promise<void> {
  const given = checkOf(encryptionKey)
  const stored = await readCheck(em)
  if (stored === given) return
  // A database of an earlier release has no check yet, but may have secrets.
  if (stored !== null || !(await opensSecrets(em, encryptionKey))) throw wrongKey()
  await query(em)
    .updateTable('installation')
    .set({ encryptionKeyCheck: given })
    .where('id', '=', 1)
    .where('encryptionKeyCheck', 'is', null)
    .execute()
  // Of two first starts with different keys, one wins.
  if ((await readCheck(em)) !== given) throw wrongKey()
}

/** Whether everything in the database is encrypted with this key already. */
export const isKeyOfDatabase = async (em: EntityManager, encryptionKey: string): Promise<boolean> =>
  (await readCheck(em)) === checkOf(encryptionKey)

/** Stores the key with which everything is encrypted from this transaction on. */
export async function replaceKeyCheck(em: EntityManager, encryptionKey: string): Promise<void> {
  await query(em)
    .updateTable('installation')
    .set({ encryptionKeyCheck: checkOf(encryptionKey) })
    .where('id', '=', 1)
    .execute()
}

const wrongKey = () => new ConfigError(['ENCRYPTION_KEY is not the key of this database; see README, Keys'])

async function readCheck(em: EntityManager): Promise<string | null> {
  const { encryptionKeyCheck } = await query(em)
    .selectFrom('installation')
    .select('encryptionKeyCheck')
    .where('id', '=', 1)
    .executeTakeFirstOrThrow()
  return encryptionKeyCheck
}

/** Whether the key opens one of some stored secrets, or there are none. */
async function opensSecrets(em: EntityManager, encryptionKey: string): Promise<boolean> {
  const found: boolean[] = []
  for (const table of Object.values(otpTables)) {
    const rows = await query(em)
      .selectFrom(table)
      .select(['id as owner', 'otpSecret as secret'])
      .where('otpSecret', 'is not', null)
      .limit(SAMPLE_SIZE)
      .execute()
    found.push(...rows.map(({ owner, secret }) => tryDecrypt(secret!, { encryptionKey, owner }) !== undefined))
  }
  const keys = await query(em).selectFrom('proof_keys').select(['user as owner', 'secret']).limit(SAMPLE_SIZE).execute()
  const purpose = 'proof-keys'
  found.push(...keys.map(({ owner, secret }) => tryDecrypt(secret, { encryptionKey, owner, purpose }) !== undefined))
  return found.length === 0 || found.includes(true)
}
