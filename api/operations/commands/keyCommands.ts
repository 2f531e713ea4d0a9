import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { equalBytes } from '#shared/register/bytes.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import type { Environment } from '#api/platform/config.ts'
import { bytesOfKey } from '#api/platform/crypto/hexKeys.ts'
import { variables } from '#api/platform/variables.ts'
import { query } from '#api/entities/tables.ts'
import type { MailServices } from '#api/platform/mail/mailOwner.ts'
import { isKeyOfDatabase, replaceKeyCheck } from '#api/accounts/otp/checkEncryptionKey.ts'
import { reencryptProofKeys, reencryptSecrets, SecretUnreadable } from '#api/accounts/otp/reencryptSecrets.ts'
import { CommandRefused, operator, type OperatorCommand } from './OperatorCommand.ts'
import { notifyOwner } from '#api/accounts/inbox/notifyOwners.ts'
import { withMails } from './mailServices.ts'

/** Environment variables, because other users of the machine can read command lines. */
const OLD_KEY = 'OLD_ENCRYPTION_KEY'
const NEW_KEY = 'ENCRYPTION_KEY'
/** In place of the old key: nothing can be re-encrypted, but the processes start with the new key. */
const LOST = 'lost'

export const rotateEncryptionKeyCommand: OperatorCommand = {
  parameters: [],
  help: `Re-encrypts all authenticator secrets and proof keys from ${OLD_KEY} to ${NEW_KEY}. Stop all processes first. Recovery codes cannot be converted; their owners are emailed to generate new ones.`,
  async run({ orm, url, env }) {
    const newKey = readKey(env, NEW_KEY)
    await requireStopped(orm.em.fork())
    if (env[OLD_KEY]?.trim() === LOST) return startAnew(orm, newKey)
    const keys = { oldKey: readKey(env, OLD_KEY), newKey }
    if (equalBytes(bytesOfKey(keys.oldKey), bytesOfKey(newKey)))
      throw new CommandRefused(`${OLD_KEY} and ${NEW_KEY} are the same. Nothing was changed.`)
    const rotate = (services: MailServices) =>
      orm.em.fork().transactional(async (em) => {
        const secrets = await reencryptSecrets(em, keys)
        await reencryptProofKeys(em, keys)
        // In a repetition, as after a lost connection, the codes depend on the new key.
        if (await isKeyOfDatabase(em, newKey)) return { secrets, codes: 0 }
        await replaceKeyCheck(em, newKey)
        // Recovery codes depend on the old key and cannot be re-encrypted.
        const owners = await query(em)
          .with('dead', (db) => db.deleteFrom('recovery_codes').returning(['user as owner', 'usedAt as used']))
          .selectFrom('users as u')
          .select(['u.id', 'u.email', 'u.language'])
          .where('u.id', 'in', (eb) => eb.selectFrom('dead').select('dead.owner').where('dead.used', 'is', null))
          .orderBy('u.email')
          .execute()
        await deleteCodes(em)
        for (const owner of owners)
          await notifyOwner(em, services, {
            to: owner,
            topic: 'security',
            link: '/security',
            subject: 'Your recovery codes no longer work',
            paragraphs: [
              'We have replaced the key that protects them. Your authenticator keeps working. Please generate new recovery codes in Security Settings.',
            ],
          })
        recordAudit(em, {
          actor: operator(),
          action: 'operator.encryption_key_rotated',
          after: { authenticators: secrets, accountsWithRecoveryCodes: owners.length },
        })
        return { secrets, codes: owners.length }
      })
    try {
      const { secrets, codes } = await withMails({ env, url }, rotate)
      return `${secrets} authenticators are now encrypted with ${NEW_KEY}. The recovery codes of ${codes} accounts are deleted; their owners are emailed. Start the processes with ${NEW_KEY}, and keep ${OLD_KEY} with the dumps from before.`
    } catch (error) {
      throw error instanceof SecretUnreadable ? new CommandRefused(`${error.message} Nothing was changed.`) : error
    }
  },
}

/**
 * A process has only one key. What one that runs on encrypts during the rotation and after it, nobody could decrypt later: authenticators,
 * recovery codes and proof keys.
 *
 * @throws {CommandRefused} if a worker or watcher leads, or pages are open at a web process.
 */
async function requireStopped(em: EntityManager): Promise<void> {
  const running = await query(em)
    .selectNoFrom(({ exists, selectFrom }) => [
      exists(selectFrom('stream_leases').select('id').where('expiresAt', '>', sql<Date>`now()`)).as('serves'),
      // The leaders' locks.
      sql<boolean>`exists (
        select from pg_locks where locktype = 'advisory' and objsubid = 2
          and database = (select oid from pg_database where datname = current_database())
          and classid = (hashtext('leader')::bigint & 4294967295)::oid
      )`.as('leads'),
    ])
    .executeTakeFirstOrThrow()
  if (!running.leads && !running.serves) return
  const role = running.leads ? 'A worker or watcher' : 'A web process'
  throw new CommandRefused(
    `Stop every process on every machine first, and wait half a minute after a crash. ${role} still runs, with the old key. Nothing was changed.`,
  )
}

/** Without the old key everything encrypted with it stays unreadable. */
async function startAnew(orm: MikroORM, newKey: string): Promise<string> {
  await orm.em.fork().transactional(async (em) => {
    await deleteCodes(em)
    await replaceKeyCheck(em, newKey)
    recordAudit(em, { actor: operator(), action: 'operator.encryption_key_rotated', after: { lost: true } })
  })
  return `The processes start with ${NEW_KEY}. Authenticators and proof keys stay unreadable: run reset-otp for each account whose owner asks for it.`
}

/** Emailed codes and pending set-ups depend on the old key. */
async function deleteCodes(em: EntityManager): Promise<void> {
  await query(em).deleteFrom('email_codes').execute()
  await query(em).deleteFrom('otp_setups').execute()
}

export const endSessionsCommand: OperatorCommand = {
  parameters: [],
  help: 'Ends all sessions of users and administrators. Sessions are rows, so they do not depend on a key.',
  async run({ orm }) {
    const ended = await orm.em.fork().transactional(async (em) => {
      await query(em).deleteFrom('half_logins').execute()
      const ended = await query(em).deleteFrom('web_sessions').returning('key').execute()
      recordAudit(em, { actor: operator(), action: 'operator.sessions_ended', after: { sessions: ended.length } })
      return ended.length
    })
    return `${ended} sessions ended.`
  },
}

function readKey(env: Environment, name: string): string {
  const result = variables.ENCRYPTION_KEY.schema.safeParse(env[name]?.trim() ?? '')
  if (!result.success) throw new CommandRefused(`${name} must be set to 32 bytes in hex. Nothing was changed.`)
  return result.data
}
