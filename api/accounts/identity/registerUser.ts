import type { EntityManager } from '@mikro-orm/postgresql'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import { refusal } from '#api/platform/errors.ts'
import type { Reader } from '#api/platform/mail/Reader.ts'
import { emailTaken } from './sendSignUpCode.ts'

export interface Verified {
  email: string
  /** Undefined for a caller without a session, who has verified nothing. */
  sessionKey: string | undefined
  /** Real time. */
  now: Date
}

const notVerified = () => refusal(403, 'email_not_verified', 'Please verify your email first.')

/** Refuses early what `registerUser` would refuse, before a password is hashed for it. */
export async function checkEmailVerified(em: EntityManager, { email, sessionKey, now }: Verified): Promise<void> {
  const [mark] = await sql(
    em,
    'select id from verified_emails where session_key = $1 and email = $2 and consumed_at is null and expires_at > $3',
    [sessionKey ?? null, email, now],
  )
  if (!mark) throw await refusalFor(em, email)
}

/** Makes the account of an address that this session has verified, and uses the verification up. */
export async function registerUser(
  em: EntityManager,
  { email, language, sessionKey, passwordHash, now, createdAt }: Verified & Reader & { passwordHash: string; createdAt: Date },
): Promise<{ id: string; epoch: number }> {
  const marks = await sql(
    em,
    `update verified_emails set consumed_at = $3
     where session_key = $1 and email = $2 and consumed_at is null and expires_at > $3 returning id`,
    [sessionKey ?? null, email, now],
  )
  if (marks.length === 0) throw await refusalFor(em, email)
  const [user] = await sql<{ id: string; session_epoch: number }>(
    em,
    `insert into users (id, email, language, password_hash, created_at) values ($1, $2, $3, $4, $5)
     on conflict (email) do nothing returning id, session_epoch`,
    [newId(), email, language, passwordHash, createdAt],
  )
  if (!user) throw emailTaken()
  return { id: user.id, epoch: user.session_epoch }
}

/** A second press of the button finds the mark used up by the first: then it is the account that is in the way. */
async function refusalFor(em: EntityManager, email: string) {
  const [account] = await sql(em, 'select id from users where email = $1', [email])
  return account ? emailTaken() : notVerified()
}
