import type { EntityManager } from '@mikro-orm/postgresql'
import { MINUTE } from '#shared/dates.ts'
import { newId } from '../db/newId.ts'
import { sql } from '../db/sql.ts'
import { type DomainError, refusal } from '../errors.ts'
import type { Services } from '../services.ts'
import { isEmailCode, type MailedCode } from './hashEmailCode.ts'

/** Wrong tries after which a code is dead. */
const WRONG_TRIES = 5

/** How long a verified address waits for its account. */
const MARK_LIFE = 30 * MINUTE

/**
 * Marks an address as verified for this session, for the code that was mailed to it. Answers a refusal instead of throwing it, so
 * that a wrong try counts.
 */
export async function verifySignUpCode(
  em: EntityManager,
  { config, limits }: Pick<Services, 'config' | 'limits'>,
  { email, code, sessionKey, now }: MailedCode & { sessionKey: string; now: Date },
): Promise<DomainError | undefined> {
  // The lock makes tries for one address wait for each other: each sees the count of those before it.
  const [mailed] = await sql<{ id: string; code_hash: string; wrong_tries: number }>(
    em,
    `select id, code_hash, wrong_tries from email_codes
     where email = $1 and purpose = 'register' and used_at is null and expires_at > $2
     order by sent_at desc limit 1 for update`,
    [email, now],
  )
  if (!mailed || mailed.wrong_tries >= WRONG_TRIES) {
    return refusal(400, 'code_invalid', 'This code is no longer valid. Please request a new one.')
  }
  await limits.check('codes_wrong', email)

  if (!isEmailCode({ email, code }, { hash: mailed.code_hash, encryptionKey: config.ENCRYPTION_KEY })) {
    await limits.count('codes_wrong', email)
    await sql(em, 'update email_codes set wrong_tries = wrong_tries + 1 where id = $1', [mailed.id])
    return refusal(400, 'code_invalid', 'The verification code is wrong. Please check your email and try again.')
  }
  await sql(em, 'update email_codes set used_at = $2 where id = $1', [mailed.id, now])
  await sql(em, 'insert into verified_emails (id, session_key, email, expires_at) values ($1, $2, $3, $4)', [
    newId(),
    sessionKey,
    email,
    new Date(now.getTime() + MARK_LIFE),
  ])
  return undefined
}
