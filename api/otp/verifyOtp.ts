import type { EntityManager } from '@mikro-orm/postgresql'
import { newId } from '../db/newId.ts'
import { sql } from '../db/sql.ts'
import { type DomainError, refusal } from '../errors.ts'
import { decryptSecret } from './encryptSecret.ts'
import { codeRefusal, spendCode } from './spendCode.ts'

export const otpNotEnabled = () => refusal(409, 'otp_not_enabled', 'The authenticator is not enabled for this account.')

export interface OtpVerification {
  userId: string
  sessionKey: string
  encryptionKey: string
  token: string
  /** Real time. */
  now: Date
}

/**
 * Lets the session make one purchase or withdrawal, for a right code. Answers a refusal instead of throwing it, so that a wrong
 * code counts.
 */
export async function verifyOtp(
  em: EntityManager,
  { userId, sessionKey, encryptionKey, token, now }: OtpVerification,
): Promise<DomainError | undefined> {
  const [account] = await sql<{ otp_secret: string | null }>(em, 'select otp_secret from users where id = $1', [userId])
  const storedSecret = account?.otp_secret
  if (!storedSecret) return otpNotEnabled()

  const secret = decryptSecret(storedSecret, { encryptionKey, owner: userId })
  const code = await spendCode(em, { account: { realm: 'user', id: userId }, secret, storedSecret, token, now })
  if (code.outcome === 'spent') {
    await sql(em, 'insert into step_up_marks (id, user_id, session_key, granted_at) values ($1, $2, $3, $4)', [
      newId(),
      userId,
      sessionKey,
      now,
    ])
    return undefined
  }
  if (code.outcome === 'used' && (await renewEnablingMark(em, { userId, sessionKey, step: code.step, now }))) return undefined
  return codeRefusal(code, { wrong: 'Invalid OTP code. Please try again.', now })
}

/**
 * Right after enabling, the page asks for a code again, and the authenticator still shows the enabling one: it is accepted once
 * more in that session. It renews the mark that enabling made rather than adding one, so a code still allows one thing.
 */
async function renewEnablingMark(
  em: EntityManager,
  { userId, sessionKey, step, now }: { userId: string; sessionKey: string; step: number; now: Date },
): Promise<boolean> {
  const rows = await sql(
    em,
    `update step_up_marks set granted_at = $4, enabled_with_step = null
     where user_id = $1 and session_key = $2 and enabled_with_step = $3 and consumed_at is null returning id`,
    [userId, sessionKey, step, now],
  )
  return rows.length > 0
}
