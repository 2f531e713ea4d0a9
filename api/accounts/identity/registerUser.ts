import type { EntityManager } from '@mikro-orm/postgresql'
import type { ExpressionBuilder } from 'kysely'
import { newId } from '#api/platform/db/newId.ts'
import { query, type Tables } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'
import type { Recipient } from '#api/platform/mail/Recipient.ts'
import { emailTaken } from './sendSignUpCode.ts'

export interface Verified {
  email: string
  /** Undefined for a caller without a session, which cannot have a verified address. */
  sessionKey: string | undefined
  /** Real time. */
  now: Date
}

const notVerified = () =>
  refusal(403, 'email_not_verified', 'Please verify your email first. If you have just signed up, log in.')

/** Rejects early the requests that `registerUser` would reject, before a password is hashed. */
export async function checkEmailVerified(em: EntityManager, { email, sessionKey, now }: Verified): Promise<void> {
  const mark = await query(em)
    .selectFrom('verified_emails')
    .select('id')
    .where((eb) => isOpen(eb, { email, sessionKey, now }))
    .executeTakeFirst()
  if (!mark) throw await refusalFor(em, { email, sessionKey })
}

/** Creates the account of an address that this session has verified, and consumes the verification. */
export async function registerUser(
  em: EntityManager,
  { email, language, sessionKey, passwordHash, now, createdAt }: Verified & Recipient & { passwordHash: string; createdAt: Date },
): Promise<{ id: string; epoch: number }> {
  const mark = await query(em)
    .updateTable('verified_emails')
    .set({ consumedAt: now })
    .where((eb) => isOpen(eb, { email, sessionKey, now }))
    .returning('id')
    .executeTakeFirst()
  if (!mark) throw await refusalFor(em, { email, sessionKey })
  const user = await query(em)
    .insertInto('users')
    .values({ id: newId(), email, language, passwordHash, createdAt })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning(['id', 'sessionEpoch as epoch'])
    .executeTakeFirst()
  if (!user) throw emailTaken()
  return user
}

/** An unused verification of the session. */
const isOpen = (eb: ExpressionBuilder<Tables, 'verified_emails'>, { email, sessionKey, now }: Verified) =>
  eb.and([
    eb('sessionKey', '=', sessionKey ?? null),
    eb('email', '=', email),
    eb('consumedAt', 'is', null),
    eb('expiresAt', '>', now),
  ])

/**
 * A double click finds the verification consumed by the first request; the error is then that the account exists. Nobody else learns that
 * here.
 */
async function refusalFor(em: EntityManager, { email, sessionKey }: Omit<Verified, 'now'>) {
  const account = await query(em)
    .selectFrom('users as u')
    .innerJoin('verified_emails as v', 'v.email', 'u.email')
    .select('u.id')
    .where('u.email', '=', email)
    .where('v.sessionKey', '=', sessionKey ?? null)
    .executeTakeFirst()
  return account ? emailTaken() : notVerified()
}
