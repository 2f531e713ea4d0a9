import type { EntityManager } from '@mikro-orm/postgresql'
import { randomInt } from 'node:crypto'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { CODE_LENGTH } from '#shared/oneTimeCode.ts'
import { CODE_RESEND_SECONDS } from '#shared/sale.ts'
import { newId } from '../db/newId.ts'
import { sql } from '../db/sql.ts'
import { DomainError, refusal } from '../errors.ts'
import { mailOwner } from '../mail/mailOwner.ts'
import type { Services } from '../services.ts'
import { hashEmailCode } from './hashEmailCode.ts'

/** How long a mailed code is good. */
export const CODE_LIFE = 10 * MINUTE

export const emailTaken = () => refusal(409, 'email_taken', 'This email is already registered. Please log in.')

/** Mails a code to an address that wants an account. A newer code takes the place of an older one. */
export async function sendSignUpCode(
  em: EntityManager,
  services: Pick<Services, 'config' | 'jobs' | 'limits'>,
  { email, now }: { email: string; now: Date },
): Promise<void> {
  const { config, limits } = services
  // Two requests for one address wait for each other, so that the second finds the code of the first.
  await sql(em, `select pg_advisory_xact_lock(hashtextextended('email-code ' || $1, 0))`, [email])
  const [account] = await sql(em, 'select id from users where email = $1', [email])
  if (account) throw emailTaken()
  const [last] = await sql<{ sent_at: Date | string }>(
    em,
    `select sent_at from email_codes where email = $1 and purpose = 'register' order by sent_at desc limit 1`,
    [email],
  )
  const secondsLeft = last ? Math.ceil(CODE_RESEND_SECONDS - (now.getTime() - new Date(last.sent_at).getTime()) / SECOND) : 0
  if (secondsLeft > 0) {
    throw new DomainError('code_cooldown', `Please wait ${secondsLeft} seconds before you ask for another code.`, {
      status: 429,
      retryAfter: secondsLeft,
      details: { secondsLeft: String(secondsLeft) },
    })
  }
  await limits.count('codes_sent', email)

  const code = String(randomInt(10 ** CODE_LENGTH)).padStart(CODE_LENGTH, '0')
  await sql(em, `delete from email_codes where email = $1 and purpose = 'register'`, [email])
  await sql(
    em,
    `insert into email_codes (id, email, purpose, code_hash, sent_at, expires_at) values ($1, $2, 'register', $3, $4, $5)`,
    [newId(), email, hashEmailCode({ email, code }, config.ENCRYPTION_KEY), now, new Date(now.getTime() + CODE_LIFE)],
  )
  await mailOwner(em, services, {
    to: email,
    subject: 'Your verification code',
    paragraphs: [
      'This is your code to sign up:',
      'It is good for ten minutes and works once. If you did not ask for it, you need not do anything.',
    ],
    highlight: code,
  })
}
