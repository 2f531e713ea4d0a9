import type { EntityManager } from '@mikro-orm/postgresql'
import { type NotNull } from 'kysely'
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
    for (let last = '00000000-0000-0000-0000-000000000000'; ; ) {
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

function reencrypt(secret: string, { oldKey, newKey, owner }: Keys & { owner: string }): string {
  if (open(secret, { encryptionKey: newKey, owner }) !== undefined) return secret
  const plain = open(secret, { encryptionKey: oldKey, owner })
  if (plain === undefined) throw new SecretUnreadable(`The authenticator of the account ${owner} opens with neither key.`)
  return encryptSecret(plain, { encryptionKey: newKey, owner })
}

function open(secret: string, key: { encryptionKey: string; owner: string }): string | undefined {
  try {
    return decryptSecret(secret, key)
  } catch {
    return undefined
  }
}
