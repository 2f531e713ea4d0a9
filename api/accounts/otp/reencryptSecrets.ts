import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'
import { decryptSecret, encryptSecret } from './encryptSecret.ts'

interface Keys {
  oldKey: string
  newKey: string
}

/** Nothing was changed: a secret opens with neither key. */
export class SecretUnreadable extends Error {
  override name = 'SecretUnreadable'
}

const AT_ONCE = 1_000

/**
 * Writes every authenticator secret anew with another key; those that are written with it already stay. Nobody may log in or show a code
 * meanwhile: the processes that serve them have one key only.
 *
 * @returns how many accounts have an authenticator.
 * @throws {SecretUnreadable}
 */
export async function reencryptSecrets(em: EntityManager, keys: Keys): Promise<number> {
  let count = 0
  for (const table of ['users', 'administrators']) {
    for (let last = '00000000-0000-0000-0000-000000000000'; ; ) {
      const rows = await sql<{ id: string; secret: string }>(
        em,
        `select id, otp_secret as secret from ${table} where otp_secret is not null and id > $1 order by id limit ${AT_ONCE} for update`,
        [last],
      )
      if (rows.length === 0) break
      last = rows.at(-1)!.id
      count += rows.length
      await sql(
        em,
        `update ${table} set otp_secret = new.secret from unnest($1::uuid[], $2::text[]) new (id, secret) where ${table}.id = new.id`,
        [rows.map(({ id }) => id), rows.map(({ id, secret }) => reencrypt(secret, { ...keys, owner: id }))],
      )
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
