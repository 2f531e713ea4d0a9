import type { EntityManager } from '@mikro-orm/postgresql'
import { randomInt } from 'node:crypto'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { CODE_LENGTH } from '#shared/oneTimeCode.ts'
import { CODE_RESEND_SECONDS } from '#shared/sale.ts'
import { countTowardsCaptcha } from '../captcha/countTowardsCaptcha.ts'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { emailCodePurposes } from '#api/entities/EmailCode.ts'
import type { RateLimiter } from '#api/platform/http/limitRate.ts'
import { hashEmailCode } from './hashEmailCode.ts'
import { countedAs, type KnownDevice } from '../devices/knownDevices.ts'

export type CodePurpose = (typeof emailCodePurposes)[number]

/** How long a mailed code is good. */
export const CODE_LIFE = 10 * MINUTE

export interface CodeRequest {
  email: string
  purpose: CodePurpose
  /** The account's known browser that asks: its codes and their counts are its own. */
  device?: KnownDevice | undefined
  /** Real time. */
  now: Date
}

/** Who asks for a code. */
export interface CodeCaller {
  clientAddress: string
  /** Undefined for a caller without a session. */
  sessionKey: string | undefined
}

/** Makes everything that reads or changes the codes of one address wait for each other. Codes are locked before accounts. */
export const lockCodes = (em: EntityManager, email: string) =>
  sql(em, `select pg_advisory_xact_lock(hashtextextended('email-code ' || $1, 0))`, [email])

/** Locks the codes of the address and answers how many seconds are left until another code may be mailed. */
export async function findResendLock(em: EntityManager, { email, purpose, device, now }: CodeRequest): Promise<number> {
  await lockCodes(em, email)
  const [last] = await sql<{ sent_at: Date | string }>(
    em,
    `select sent_at from email_codes where email = $1 and purpose = $2 and device_id is not distinct from $3
     order by sent_at desc limit 1`,
    [email, purpose, device?.id ?? null],
  )
  return last ? Math.ceil(CODE_RESEND_SECONDS - (now.getTime() - new Date(last.sent_at).getTime()) / SECOND) : 0
}

/** Counts a mail that is about to go out. @throws 403 `captcha_required` after some, 429 after too many for one address in a day. */
export async function countCode(
  em: EntityManager,
  limits: RateLimiter,
  { email, purpose, device, now, clientAddress, sessionKey }: CodeRequest & CodeCaller,
): Promise<void> {
  const counted = `${purpose} ${countedAs(device, email)}`
  const counters = [
    ['captcha_codes', counted],
    ['captcha_codes_ip', countedAs(device, clientAddress)],
  ] as const
  await countTowardsCaptcha(em, limits, { counters, sessionKey, now })
  await limits.count('codes_sent', counted)
}

/** Draws a code and keeps its hash in place of an older one. The answer is the only place where it can be read. */
export async function storeCode(
  em: EntityManager,
  { email, purpose, device, now, encryptionKey }: CodeRequest & { encryptionKey: string },
): Promise<string> {
  const code = String(randomInt(10 ** CODE_LENGTH)).padStart(CODE_LENGTH, '0')
  await sql(em, 'delete from email_codes where email = $1 and purpose = $2 and device_id is not distinct from $3', [
    email,
    purpose,
    device?.id ?? null,
  ])
  await sql(
    em,
    `insert into email_codes (id, email, purpose, code_hash, sent_at, expires_at, device_id)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      newId(),
      email,
      purpose,
      hashEmailCode({ email, code }, encryptionKey),
      now,
      new Date(now.getTime() + CODE_LIFE),
      device?.id ?? null,
    ],
  )
  return code
}
