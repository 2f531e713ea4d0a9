import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { SECOND } from '#shared/dates.ts'
import { query, type Tables } from '#api/entities/tables.ts'
import { laterClock } from '#api/platform/clock/laterClock.ts'
import { describeWait } from '#api/platform/describeWait.ts'
import type { SessionRealm } from '#api/platform/tables/WebSession.ts'
import { DomainError, refusal } from '#api/platform/errors.ts'
import type { KnownDevice } from '../devices/knownDevices.ts'
import { findTimeStep } from './findTimeStep.ts'

/** Consecutive wrong codes before an account is locked: for 15 minutes, then an hour, then a day each time (money.md 34). */
const WRONG_CODES = 5

export type ConsumedCode =
  | { outcome: 'spent'; step: number }
  /** A correct code of a time step that was used before. */
  | { outcome: 'used'; step: number }
  | { outcome: 'wrong' }
  | { outcome: 'locked'; until: Date }

/** The owner of the authenticator. Users and administrators store it in columns of the same names. */
export interface OtpAccount {
  realm: SessionRealm
  id: string
}

export const otpTables = { user: 'users', admin: 'administrators' } as const satisfies Record<SessionRealm, keyof Tables>

export interface CodeToSpend {
  account: OtpAccount
  /** The account's known browser, if the request comes from one. */
  device: KnownDevice | undefined
  secret: string
  /** The account's `otp_secret` when it was read; another request may have changed it. */
  storedSecret: string | null
  token: string
  /** Real time. */
  now: Date
}

/**
 * Consumes the time step of a code, or counts a wrong code. A wrong code counts against the device if it has shown a correct one
 * before, otherwise against the account, so that a thief with the password cannot lock out the owner. The account's row is locked
 * first: of two requests with the same code one wins, and concurrent guesses get at most five tries. The caller commits whatever
 * the outcome.
 */
export async function consumeCode(
  em: EntityManager,
  { account, device, secret, storedSecret, token, now }: CodeToSpend,
): Promise<ConsumedCode> {
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

/** Locks the account and the row that counts the caller's wrong codes. Returns the end of an active lock. */
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

/** Resets the counter of wrong codes after a correct one, and records that the device has shown a code. */
export async function clearCounter(em: EntityManager, { account, device, now }: Caller): Promise<void> {
  const counter = counterOf(account, device)
  await query(em)
    .updateTable(counter.table)
    .set({ otpFailures: 0, otpLocks: 0, otpLockedUntil: null })
    .where('id', '=', counter.id)
    .execute()
  if (device)
    await query(em)
      .updateTable('known_devices')
      .set({ codeShownAt: laterClock(now) })
      .where('id', '=', device.id)
      .execute()
}

/** The user-facing message for a rejected code. */
export function codeRefusal(
  code: Exclude<ConsumedCode, { outcome: 'spent' }>,
  { wrong, now }: { wrong: string; now: Date },
): DomainError {
  if (code.outcome === 'wrong') return refusal(400, 'otp_invalid', wrong)
  if (code.outcome === 'used') {
    return refusal(400, 'otp_invalid', 'This code has already been used. Please wait for the next one.')
  }
  const seconds = Math.ceil((code.until.getTime() - now.getTime()) / SECOND)
  const wait = describeWait(seconds)
  return new DomainError('otp_locked', `Too many wrong codes. Please try again in ${wait}.`, {
    status: 429,
    retryAfter: seconds,
    details: { secondsLeft: String(seconds) },
  })
}
