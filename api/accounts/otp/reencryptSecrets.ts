import type { EntityManager } from '@mikro-orm/postgresql'
import { type NotNull } from 'kysely'
import { LOWEST_ID } from '#api/platform/db/newId.ts'
import { unnest } from '#api/platform/db/unnest.ts'
import { query } from '#api/entities/tables.ts'
import { decryptSecret, encryptSecret } from './encryptSecret.ts'
import { otpTables } from './consumeCode.ts'

interface Keys {
  oldKey: string
  newKey: string
}

/** A secret decrypts with neither key; nothing was changed. */
export class SecretUnreadable extends Error {
  override name = 'SecretUnreadable'
}

const BATCH_SIZE = 1_000

/**
 * Re-encrypts every authenticator secret with a new key; secrets that already use it stay. The web processes must be stopped,
 * because they have only one key.
 *
 * @returns the number of accounts with an authenticator.
 * @throws {SecretUnreadable}
 */
export async function reencryptSecrets(em: EntityManager, keys: Keys): Promise<number> {
  let count = 0
  for (const table of Object.values(otpTables)) {
    for (let last = LOWEST_ID; ; ) {
      const rows = await query(em)
        .selectFrom(table)
        .select(['id', 'otpSecret as secret'])
        .where('otpSecret', 'is not', null)
        .where('id', '>', last)
        .orderBy('id')
        .limit(BATCH_SIZE)
        .forUpdate()
        .$narrowType<{ secret: NotNull }>()
        .execute()
      if (rows.length === 0) break
      last = rows.at(-1)!.id
      count += rows.length
      const renewed = rows.map(({ id, secret }) => ({ id, secret: reencrypt(secret, { ...keys, owner: id }) }))
      await query(em)
        .updateTable(table)
        .from(unnest('renewed', { id: 'uuid', secret: 'text' }, renewed))
        .set((eb) => ({ otpSecret: eb.ref('renewed.secret') }))
        .whereRef(`${table}.id`, '=', 'renewed.id')
        .execute()
    }
  }
  return count
}

/** Re-encrypts the proof keys of all accounts, likewise. @throws {SecretUnreadable} */
export async function reencryptProofKeys(em: EntityManager, keys: Keys): Promise<void> {
  for (let last = LOWEST_ID; ; ) {
    const rows = await query(em)
      .selectFrom('proof_keys')
      .select(['id', 'user as owner', 'secret'])
      .where('id', '>', last)
      .orderBy('id')
      .limit(BATCH_SIZE)
      .forUpdate()
      .execute()
    if (rows.length === 0) return
    last = rows.at(-1)!.id
    const renewed = rows.map(({ id, owner, secret }) => ({
      id,
      secret: reencrypt(secret, { ...keys, owner, purpose: 'proof-keys' }),
    }))
    await query(em)
      .updateTable('proof_keys')
      .from(unnest('renewed', { id: 'uuid', secret: 'text' }, renewed))
      .set((eb) => ({ secret: eb.ref('renewed.secret') }))
      .whereRef('proof_keys.id', '=', 'renewed.id')
      .execute()
  }
}

type Secret = Omit<Parameters<typeof encryptSecret>[1], 'encryptionKey'>

function reencrypt(secret: string, { oldKey, newKey, ...of }: Keys & Secret): string {
  if (tryDecrypt(secret, { encryptionKey: newKey, ...of }) !== undefined) return secret
  const plain = tryDecrypt(secret, { encryptionKey: oldKey, ...of })
  if (plain === undefined) {
    const name = of.purpose === 'proof-keys' ? 'proof key' : 'authenticator'
    throw new SecretUnreadable(`The ${name} of the account ${of.owner} opens with neither key.`)
  }
  return encryptSecret(plain, { encryptionKey: newKey, ...of })
}

/** Undefined if the key does not open it. */
export function tryDecrypt(secret: string, key: Parameters<typeof decryptSecret>[1]): string | undefined {
  try {
    return decryptSecret(secret, key)
  } catch {
    return undefined
  }
}
