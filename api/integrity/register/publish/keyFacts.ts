import type { EntityManager } from '@mikro-orm/postgresql'
import type { Identity } from '#shared/register/secrets.ts'
import { ensureProofKeys, type ProofServices } from '#api/accounts/proofs/ensureProofKeys.ts'
import { type ProofKeyChange, readIdentities, readProofKeyChanges } from '#api/accounts/proofs/readIdentities.ts'
import type { Config } from '#api/platform/config.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Services } from '#api/platform/services.ts'
import type { Fact } from './Draft.ts'
import { readSubjects } from './readSubjects.ts'
import { earlier } from './settingFacts.ts'

/** Changes of accounts' proof keys that are not in the log. They precede everything that commits to the new keys. */
export async function proofKeyFacts(em: EntityManager, { now }: { now: Date }): Promise<Fact[]> {
  const changes = await readUnpublishedChanges(em)
  return changes.map(({ id, changedAt, oldAccountHash: old }): Fact => {
    const time = earlier(changedAt, now)
    return { subject: subjectOf(id), time, entry: { kind: 'key', time, use: 'proof', old, new: null, proof: null } }
  })
}

const subjectOf = (id: string): string => `key:proof:${id}`

async function readUnpublishedChanges(em: EntityManager): Promise<ProofKeyChange[]> {
  const changes = await readProofKeyChanges(em)
  if (changes.length === 0) return []
  const published = await readSubjects(em, ['key'])
  return changes.filter(({ id }) => !published.has(subjectOf(id)))
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

/** The identities of these accounts by the log: a new key is in force once its change is published. */
export async function readIdentitiesInForce(
  em: EntityManager,
  config: Pick<Config, 'ENCRYPTION_KEY'>,
  userIds: readonly string[],
): Promise<Map<string, Identity>> {
  const found = await readIdentities(em, config, [...new Set(userIds)])
  const unpublished = Map.groupBy(await readUnpublishedChanges(em), ({ userId }) => userId)
  return new Map([...found].map(([id, { all }]) => [id, all[all.length - 1 - (unpublished.get(id)?.length ?? 0)]!] as const))
}
