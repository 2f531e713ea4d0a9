import type { EntityManager } from '@mikro-orm/postgresql'
import type { Identity } from '#shared/register/secrets.ts'
import { ensureProofKeys, type ProofServices } from '#api/accounts/proofs/ensureProofKeys.ts'
import { readIdentities, readProofKeyChanges } from '#api/accounts/proofs/readIdentities.ts'
import type { Config } from '#api/platform/config.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Services } from '#api/platform/services.ts'
import type { Fact } from './Draft.ts'
import { readSubjects } from './readSubjects.ts'
import { earlier } from './settingFacts.ts'

/** Changes of accounts' proof keys that are not in the log. They precede everything that commits to the new keys. */
export async function proofKeyFacts(em: EntityManager, { now }: { now: Date }): Promise<Fact[]> {
  const changes = await readProofKeyChanges(em)
  if (changes.length === 0) return []
  const published = await readSubjects(em, ['key'])
  return changes.flatMap(({ id, changedAt, oldAccountHash: old }): Fact[] => {
    const subject = `key:proof:${id}`
    if (published.has(subject)) return []
    const time = earlier(changedAt, now)
    return [{ subject, time, entry: { kind: 'key', time, use: 'proof', old, new: null, proof: null } }]
  })
}

/** Accounts per transaction. */
const BATCH_SIZE = 500

/** Gives every account that the register commits to a key for its present e-mail, if it has none. */
export async function ensureOwnerKeys(services: ProofServices & Pick<Services, 'orm'>): Promise<void> {
  const { orm } = services
  const rows = await sql<{ id: string }>(
    orm.em.fork(),
    `select u.id from users u
     left join lateral (select email_hash from proof_keys k where k.user_id = u.id order by position desc limit 1) k on true
     where (k.email_hash is null or k.email_hash <> sha256(convert_to(u.email, 'UTF8')))
       and (exists (select from nodes n where n.user_id = u.id) or exists (select from withdrawals w where w.user_id = u.id)
         or exists (select from deposit_decisions d where d.user_id = u.id))
     order by u.id`,
  )
  for (let start = 0; start < rows.length; start += BATCH_SIZE) {
    const ids = rows.slice(start, start + BATCH_SIZE).map(({ id }) => id)
    await orm.em.fork().transactional((em) => ensureProofKeys(em, services, ids))
  }
}

/** The identities in force of these accounts. */
export async function readIdentitiesInForce(
  em: EntityManager,
  config: Pick<Config, 'ENCRYPTION_KEY'>,
  userIds: readonly string[],
): Promise<Map<string, Identity>> {
  const found = await readIdentities(em, config, [...new Set(userIds)])
  return new Map([...found].flatMap(([id, { all }]) => all.slice(-1).map((identity) => [id, identity] as const)))
}
