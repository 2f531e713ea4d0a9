import type { EntityManager } from '@mikro-orm/postgresql'
import { SECOND } from '#shared/dates.ts'
import { sql } from '#api/platform/db/sql.ts'
import { describeWait } from '#api/platform/describeWait.ts'
import type { SessionRealm } from '#api/platform/tables/WebSession.ts'
import { DomainError, refusal } from '#api/platform/errors.ts'
import type { KnownDevice } from '../devices/knownDevices.ts'
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
  /** The account's known browser that shows the code. */
  device: KnownDevice | undefined
  secret: string
  /** The account's `otp_secret` as it was read; another request may have changed it. */
  storedSecret: string | null
  token: string
  /** Real time. */
  now: Date
}

/**
 * Uses up the time step of a code, or counts a wrong one: against the device if it has shown a code before, otherwise against the
 * account, so that a thief with the password locks himself out and not the owner. The account's row is locked first, so of two requests
 * with the same code one wins, and no crowd of guesses gets more than five. The caller commits whatever the outcome is.
 */
export async function spendCode(
  em: EntityManager,
  { account, device, secret, storedSecret, token, now }: CodeToSpend,
): Promise<SpentCode> {
  const table = otpTables[account.realm]
  const counter = counterOf(account, device)
  const step = await findTimeStep(secret, { token, now })
  const until = await lockCounter(em, { account, device, now })
  if (until) return { outcome: 'locked', until }

  if (step === undefined) {
    await sql(
      em,
      `update ${counter.table} set
         otp_failures = case when otp_failures + 1 < $3 then otp_failures + 1 else 0 end,
         otp_locks = case when otp_failures + 1 < $3 then otp_locks else otp_locks + 1 end,
         otp_locked_until = case when otp_failures + 1 < $3 then null else
           $2::timestamptz + case otp_locks when 0 then interval '15 minutes' when 1 then interval '1 hour' else interval '24 hours' end end
       where id = $1`,
      [counter.id, now, WRONG_CODES],
    )
    return { outcome: 'wrong' }
  }
  const [spent] = await sql(
    em,
    `update ${table} set otp_last_step = $2
     where id = $1 and (otp_last_step is null or otp_last_step < $2) and otp_secret is not distinct from $3 returning id`,
    [account.id, step, storedSecret],
  )
  if (!spent) return { outcome: 'used', step }
  await clearCounter(em, { account, device, now })
  return { outcome: 'spent', step }
}

const counterOf = ({ realm, id }: OtpAccount, device: KnownDevice | undefined) =>
  device?.hasShownCode ? { table: 'known_devices', id: device.id } : { table: otpTables[realm], id }

type Caller = Pick<CodeToSpend, 'account' | 'device' | 'now'>

/** Locks the account and the row that counts the caller's wrong codes. Answers until when no code is accepted, if so. */
export async function lockCounter(em: EntityManager, { account, device, now }: Caller): Promise<Date | undefined> {
  await sql(em, `select from ${otpTables[account.realm]} where id = $1 for no key update`, [account.id])
  const counter = counterOf(account, device)
  const [locked] = await sql<{ otp_locked_until: Date | string }>(
    em,
    `select otp_locked_until from ${counter.table} where id = $1 and otp_locked_until > $2`,
    [counter.id, now],
  )
  return locked && new Date(locked.otp_locked_until)
}

/** Forgets the wrong codes before a right one, and that the device has shown one. */
export async function clearCounter(em: EntityManager, { account, device, now }: Caller): Promise<void> {
  const counter = counterOf(account, device)
  await sql(em, `update ${counter.table} set otp_failures = 0, otp_locks = 0, otp_locked_until = null where id = $1`, [
    counter.id,
  ])
  if (device) await sql(em, 'update known_devices set code_shown_at = $2 where id = $1', [device.id, now])
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
  const wait = describeWait(seconds)
  return new DomainError('otp_locked', `Too many wrong codes. Please try again in ${wait}.`, {
    status: 429,
    retryAfter: seconds,
    details: { secondsLeft: String(seconds) },
  })
}
