import type { EntityManager } from '@mikro-orm/postgresql'
import { fromBase64 } from '#shared/register/bytes.ts'
import type { Identity } from '#shared/register/secrets.ts'
import type { Config } from '#api/platform/config.ts'
import { query } from '#api/entities/tables.ts'
import { decryptSecret } from '../otp/encryptSecret.ts'

/** The identities of an account: its keys, each with the e-mail that it had. */
export interface Identities {
  /** Oldest first; the last one is in force. */
  all: readonly Identity[]
  /** The one that was in force at an instant of real time; the first one for an instant before it. */
  at(instant: Date): Identity
}

/** The identities of these accounts. Accounts without a key are left out (`ensureProofKeys`). */
export async function readIdentities(
  em: EntityManager,
  { ENCRYPTION_KEY: encryptionKey }: Pick<Config, 'ENCRYPTION_KEY'>,
  userIds: readonly string[],
): Promise<Map<string, Identities>> {
  const rows = await query(em)
    .selectFrom('proof_keys')
    .select(['user', 'secret', 'emailHash', 'createdAt'])
    .where((eb) => eb('user', '=', eb.fn.any(eb.val([...new Set(userIds)]))))
    .orderBy('user')
    .orderBy('position')
    .execute()
  const keys = Map.groupBy(rows, ({ user }) => user)
  return new Map(
    [...keys].map(([user, rows]) => {
      const dated = rows.map(({ secret, emailHash, createdAt }) => ({
        createdAt,
        identity: { proofKey: openKey(secret, { encryptionKey, owner: user }), emailHash },
      }))
      const at = (instant: Date) => (dated.findLast(({ createdAt }) => createdAt <= instant) ?? dated[0]!).identity
      return [user, { all: dated.map(({ identity }) => identity), at }]
    }),
  )
}

function openKey(secret: string, owned: { encryptionKey: string; owner: string }): Uint8Array {
  const key = fromBase64(decryptSecret(secret, { ...owned, purpose: 'proof-keys' }))
  if (key?.length !== 32) throw new Error(`The proof key of the account ${owned.owner} has not 32 bytes.`)
  return key
}

export interface ProofKeyChange {
  /** The new key. */
  id: string
  userId: string
  /** Real time. */
  changedAt: Date
  /** The account as receipts named it until then. */
  oldAccountHash: Uint8Array
}

/** Every change of a proof key, oldest first. The log counts them. */
export async function readProofKeyChanges(em: EntityManager): Promise<ProofKeyChange[]> {
  return query(em)
    .selectFrom('proof_keys as k')
    .innerJoin('proof_keys as before', (join) =>
      join.onRef('before.user', '=', 'k.user').on((eb) => eb('before.position', '=', eb('k.position', '-', 1))),
    )
    .select(['k.id', 'k.user as userId', 'k.createdAt as changedAt', 'before.accountHash as oldAccountHash'])
    .orderBy('k.createdAt')
    .orderBy('k.id')
    .execute()
}
