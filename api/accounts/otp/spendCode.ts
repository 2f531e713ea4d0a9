import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { SECOND } from '#shared/dates.ts'
import { query, type Tables } from '#api/entities/tables.ts'
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

export const otpTables = { user: 'users', admin: 'administrators' } as const satisfies Record<SessionRealm, keyof Tables>

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
  const counter = counterOf(account, device)
  const step = await findTimeStep(secret, { token, now })
  const until = await lockCounter(em, { account, device, now })
  if (until) return { outcome: 'locked', until }

  if (step === undefined) {
    await query(em)
      .updateTable(counter.table)
      .set((eb) => {
        const isLast = eb('otpFailures', '>=', WRONG_CODES - 1)
        const duration = sql`case ${eb.ref('otpLocks')} when 0 then interval '15 minutes' when 1 then interval '1 hour' else interval '24 hours' end`
        return {
          otpFailures: eb
            .case()
            .when(isLast)
            .then(eb.lit(0))
            .else(eb('otpFailures', '+', 1))
            .end(),
          otpLocks: eb
            .case()
            .when(isLast)
            .then(eb('otpLocks', '+', 1))
            .else(eb.ref('otpLocks'))
            .end(),
          otpLockedUntil: eb.case().when(isLast).then(sql<Date>`${now}::timestamptz + ${duration}`).end(),
        }
      })
      .where('id', '=', counter.id)
      .execute()
    return { outcome: 'wrong' }
  }
  const spent = await query(em)
    .updateTable(otpTables[account.realm])
    .set({ otpLastStep: step })
    .where('id', '=', account.id)
    .where((eb) => eb.or([eb('otpLastStep', 'is', null), eb('otpLastStep', '<', step)]))
    .where('otpSecret', 'is not distinct from', storedSecret)
    .returning('id')
    .executeTakeFirst()
  if (!spent) return { outcome: 'used', step }
  await clearCounter(em, { account, device, now })
  return { outcome: 'spent', step }
}

const counterOf = ({ realm, id }: OtpAccount, device: KnownDevice | undefined) =>
  device?.hasShownCode ? { table: 'known_devices' as const, id: device.id } : { table: otpTables[realm], id }

type Caller = Pick<CodeToSpend, 'account' | 'device' | 'now'>

/** Locks the account and the row that counts the caller's wrong codes. Answers until when no code is accepted, if so. */
export async function lockCounter(em: EntityManager, { account, device, now }: Caller): Promise<Date | undefined> {
  await query(em).selectFrom(otpTables[account.realm]).select('id').where('id', '=', account.id).forNoKeyUpdate().execute()
  const counter = counterOf(account, device)
  const locked = await query(em)
    .selectFrom(counter.table)
    .select('otpLockedUntil')
    .where('id', '=', counter.id)
    .where('otpLockedUntil', '>', now)
    .executeTakeFirst()
  return locked?.otpLockedUntil ?? undefined
}

/** Forgets the wrong codes before a right one, and that the device has shown one. */
export async function clearCounter(em: EntityManager, { account, device, now }: Caller): Promise<void> {
  const counter = counterOf(account, device)
  await query(em)
    .updateTable(counter.table)
    .set({ otpFailures: 0, otpLocks: 0, otpLockedUntil: null })
    .where('id', '=', counter.id)
    .execute()
  if (device) await query(em).updateTable('known_devices').set({ codeShownAt: now }).where('id', '=', device.id).execute()
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
