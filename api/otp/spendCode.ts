import type { EntityManager } from '@mikro-orm/postgresql'
import { SECOND } from '#shared/dates.ts'
import { sql } from '../db/sql.ts'
import type { SessionRealm } from '../entities/WebSession.ts'
import { DomainError, refusal } from '../errors.ts'
import { findTimeStep } from './findTimeStep.ts'

/** Wrong codes in a row after which an account's check is locked: 15 minutes, then an hour, then a day each time (money.md 34). */
const WRONG_CODES = 5

export type SpentCode =
  | { outcome: 'spent'; step: number }
  /** The right code of a step that has been used. */
  | { outcome: 'used'; step: number }
  | { outcome: 'wrong' }
  | { outcome: 'locked'; until: Date }

/** Whose authenticator it is. Users and administrators have it in columns of the same names. */
export interface OtpAccount {
  realm: SessionRealm
  id: string
}

export const otpTables: Record<SessionRealm, string> = { user: 'users', admin: 'administrators' }

export interface CodeToSpend {
  account: OtpAccount
  secret: string
  /** The account's `otp_secret` as it was read; another request may have changed it. */
  storedSecret: string | null
  token: string
  /** Real time. */
  now: Date
}

/**
 * Uses up the time step of a code, or counts a wrong one. Each is one conditional UPDATE, so of two requests with the same code one
 * wins, and no crowd of guesses gets more than five. The caller commits whatever the outcome is.
 */
export async function spendCode(
  em: EntityManager,
  { account: { realm, id }, secret, storedSecret, token, now }: CodeToSpend,
): Promise<SpentCode> {
  const table = otpTables[realm]
  const step = await findTimeStep(secret, { token, now })
  const [changed] =
    step === undefined
      ? await sql(
          em,
          `update ${table} set
             otp_failures = case when otp_failures + 1 < $3 then otp_failures + 1 else 0 end,
             otp_locks = case when otp_failures + 1 < $3 then otp_locks else otp_locks + 1 end,
             otp_locked_until = case when otp_failures + 1 < $3 then null else
               $2::timestamptz + case otp_locks when 0 then interval '15 minutes' when 1 then interval '1 hour' else interval '24 hours' end end
           where id = $1 and (otp_locked_until is null or otp_locked_until <= $2)
           returning id`,
          [id, now, WRONG_CODES],
        )
      : await sql(
          em,
          `update ${table} set otp_last_step = $3, otp_failures = 0, otp_locks = 0, otp_locked_until = null
           where id = $1 and (otp_locked_until is null or otp_locked_until <= $2)
             and (otp_last_step is null or otp_last_step < $3) and otp_secret is not distinct from $4
           returning id`,
          [id, now, step, storedSecret],
        )
  if (changed) return step === undefined ? { outcome: 'wrong' } : { outcome: 'spent', step }

  const [account] = await sql<{ otp_locked_until: Date | string | null }>(
    em,
    `select otp_locked_until from ${table} where id = $1`,
    [id],
  )
  const until = account?.otp_locked_until ? new Date(account.otp_locked_until) : undefined
  if (until && until > now) return { outcome: 'locked', until }
  return step === undefined ? { outcome: 'wrong' } : { outcome: 'used', step }
}

/** What a person reads when a code was not accepted. */
export function codeRefusal(
  code: Exclude<SpentCode, { outcome: 'spent' }>,
  { wrong, now }: { wrong: string; now: Date },
): DomainError {
  if (code.outcome === 'wrong') return refusal(400, 'otp_invalid', wrong)
  if (code.outcome === 'used') {
    return refusal(400, 'otp_invalid', 'This code has been used already. Please wait for the next one.')
  }
  const seconds = Math.ceil((code.until.getTime() - now.getTime()) / SECOND)
  const wait = seconds <= 5_400 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3_600)} hours`
  return new DomainError('otp_locked', `Too many wrong codes. Please try again in ${wait}.`, {
    status: 429,
    retryAfter: seconds,
    details: { secondsLeft: String(seconds) },
  })
}
