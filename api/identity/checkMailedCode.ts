import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../db/sql.ts'
import { type DomainError, refusal } from '../errors.ts'
import type { Services } from '../services.ts'
import { isEmailCode, type MailedCode } from './hashEmailCode.ts'
import type { CodePurpose } from './storeCode.ts'

/** Wrong tries after which a code is dead. */
const WRONG_TRIES = 5

export const codeDead = () => refusal(400, 'code_invalid', 'This code is no longer valid. Please request a new one.')

/**
 * Finds the row of a right code and locks it; the caller marks it as used. Answers a refusal instead of throwing it, so that a wrong
 * try counts.
 */
export async function checkMailedCode(
  em: EntityManager,
  { config, limits }: Pick<Services, 'config' | 'limits'>,
  { email, code, purpose, now }: MailedCode & { purpose: CodePurpose; now: Date },
): Promise<DomainError | { codeId: string }> {
  // The lock makes tries for one address wait for each other: each sees the count of those before it.
  const [mailed] = await sql<{ id: string; code_hash: string; wrong_tries: number }>(
    em,
    `select id, code_hash, wrong_tries from email_codes
     where email = $1 and purpose = $3 and used_at is null and expires_at > $2
     order by sent_at desc limit 1 for update`,
    [email, now, purpose],
  )
  if (!mailed || mailed.wrong_tries >= WRONG_TRIES) return codeDead()
  await limits.check('codes_wrong', `${purpose} ${email}`)

  if (!isEmailCode({ email, code }, { hash: mailed.code_hash, encryptionKey: config.ENCRYPTION_KEY })) {
    await limits.count('codes_wrong', `${purpose} ${email}`)
    await sql(em, 'update email_codes set wrong_tries = wrong_tries + 1 where id = $1', [mailed.id])
    return refusal(400, 'code_invalid', 'The verification code is wrong. Please check your email and try again.')
  }
  return { codeId: mailed.id }
}
