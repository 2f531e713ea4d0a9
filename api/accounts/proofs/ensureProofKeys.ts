import type { EntityManager } from '@mikro-orm/postgresql'
import { randomBytes } from 'node:crypto'
import { equalBytes, toBase64 } from '#shared/register/bytes.ts'
import { accountHash, emailHash } from '#shared/register/secrets.ts'
import { newId } from '#api/platform/db/newId.ts'
import { query } from '#api/entities/tables.ts'
import type { Services } from '#api/platform/services.ts'
import { encryptSecret } from '../otp/encryptSecret.ts'
import { storeReceipts } from './storeReceipts.ts'

export type ProofServices = Pick<Services, 'config' | 'clock' | 'jobs'>

/** The proof key of an account that is in force. */
export interface ProofKeyInForce {
  /** Names the account in receipts. */
  accountHash: Uint8Array
}

/**
 * The proof keys in force of these accounts, in the caller's transaction. An account without one, or whose e-mail is another one than at
 * its last key, gets one, with a receipt for it.
 *
 * @param options.mailId the mail to which the receipt of a new key is added.
 */
export async function ensureProofKeys(
  em: EntityManager,
  services: ProofServices,
  userIds: readonly string[],
  { mailId }: { mailId?: string | undefined } = {},
): Promise<Map<string, ProofKeyInForce>> {
  const accounts = await readKeysInForce(em, userIds)
  const missing = accounts.filter(({ email, key }) => !key || !equalBytes(key.emailHash, emailHash(email)))
  if (missing.length > 0) {
    await addProofKeys(
      em,
      services,
      missing.map((account) => ({ ...account, position: (account.key?.position ?? -1) + 1, mailId })),
    )
    return ensureProofKeys(em, services, userIds)
  }
  return new Map(accounts.map(({ userId, key }) => [userId, { accountHash: key!.accountHash }]))
}

/** The cause of an account's receipt: one of its keys. */
export const accountCause = (userId: string, position = 0): string => `key:${userId}:${position}`

interface NewProofKey {
  userId: string
  email: string
  position: number
  mailId?: string | undefined
}

/** Adds a key to each of these accounts, unless another transaction has added one at the same position. */
export async function addProofKeys(em: EntityManager, services: ProofServices, accounts: readonly NewProofKey[]): Promise<void> {
  const { clock, config } = services
  const rows = accounts.map(({ userId, email, position }) => {
    const proofKey = Uint8Array.from(randomBytes(32))
    const identity = { proofKey, emailHash: emailHash(email) }
    return {
      id: newId(),
      user: userId,
      position,
      secret: encryptSecret(toBase64(proofKey), { encryptionKey: config.ENCRYPTION_KEY, owner: userId, purpose: 'proof-keys' }),
      emailHash: identity.emailHash,
      accountHash: accountHash(identity),
      createdAt: clock.now(),
    }
  })
  const added = await query(em)
    .insertInto('proof_keys')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['user', 'position']).doNothing())
    .returning('id')
    .execute()
  const ids = new Set(added.map(({ id }) => id))
  const mails = new Map(accounts.map(({ userId, mailId }) => [userId, mailId]))
  await storeReceipts(
    em,
    services,
    rows
      .filter(({ id }) => ids.has(id))
      .map(({ user, position, accountHash }) => ({
        userId: user,
        accountHash,
        cause: accountCause(user, position),
        mailId: mails.get(user),
        facts: { kind: 'account', time: clock.productNow().toISOString() },
      })),
  )
}

/** The accounts with their last keys. */
async function readKeysInForce(em: EntityManager, userIds: readonly string[]) {
  const rows = await query(em)
    .selectFrom('users as u')
    .leftJoin('proof_keys as k', (join) =>
      join
        .onRef('k.user', '=', 'u.id')
        .on((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom('proof_keys as later')
                .select('later.id')
                .whereRef('later.user', '=', 'k.user')
                .whereRef('later.position', '>', 'k.position'),
            ),
          ),
        ),
    )
    .select(['u.id as userId', 'u.email', 'k.position', 'k.emailHash', 'k.accountHash'])
    .where('u.id', 'in', [...new Set(userIds)])
    .execute()
  return rows.map(({ userId, email, position, emailHash, accountHash }) => ({
    userId,
    email,
    key: position !== null && emailHash && accountHash ? { position, emailHash, accountHash } : undefined,
  }))
}
