import type { EntityManager } from '@mikro-orm/postgresql'
import { randomInt } from 'node:crypto'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { CODE_LENGTH } from '#shared/oneTimeCode.ts'
import { CODE_RESEND_SECONDS } from '#shared/sale.ts'
import { countTowardsCaptcha } from '../captcha/countTowardsCaptcha.ts'
import { newId } from '#api/platform/db/newId.ts'
import { lockOf, lockUntilCommit } from '#api/platform/db/advisoryLocks.ts'
import { query } from '#api/entities/tables.ts'
import type { emailCodePurposes } from '#api/entities/EmailCode.ts'
import type { RateLimiter } from '#api/platform/http/limitRate.ts'
import { hashEmailCode } from './hashEmailCode.ts'
import { countedAs, type KnownDevice } from '../devices/knownDevices.ts'

export type CodePurpose = (typeof emailCodePurposes)[number]

/** How long an emailed code is valid. */
export const CODE_LIFE = 10 * MINUTE

export interface CodeRequest {
  email: string
  purpose: CodePurpose
  /** The account's known browser, if any; it has its own codes and counters. */
  device?: KnownDevice | undefined
  /** Real time. */
  now: Date
}

/** The origin of the request. */
export interface CodeCaller {
  clientAddress: string
  /** Undefined for a caller without a session. */
  sessionKey: string | undefined
}

/** Serializes reads and changes of the codes of one address. Codes are locked before accounts. */
export const lockCodes = (em: EntityManager, email: string) => lockUntilCommit(em, lockOf(`email-code ${email}`))

/** Locks the codes of the address and returns the number of seconds until another code may be emailed. */
export async function findResendLock(em: EntityManager, { email, purpose, device, now }: CodeRequest): Promise<number> {
  await lockCodes(em, email)
  const last = await query(em)
    .selectFrom('email_codes')
    .select('sentAt')
    .where('email', '=', email)
    .where('purpose', '=', purpose)
    .where('deviceId', 'is not distinct from', device?.id ?? null)
    .orderBy('sentAt', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last ? Math.ceil(CODE_RESEND_SECONDS - (now.getTime() - last.sentAt.getTime()) / SECOND) : 0
}

/** Counts an email before it is sent. @throws 403 `captcha_required` after some, 429 after too many for one address in a day. */
export async function countCode(em: EntityManager, limits: RateLimiter, request: CodeRequest & CodeCaller): Promise<void> {
  await countRequest(em, limits, request)
  await limits.count('codes_sent', countedFor(request))
}

/** Counts a request of a code towards the captcha, whether a code is sent or not. @throws 403 `captcha_required` after some. */
export async function countRequest(em: EntityManager, limits: RateLimiter, request: CodeRequest & CodeCaller): Promise<void> {
  const { device, now, clientAddress, sessionKey } = request
  const counters = [
    ['captcha_codes', countedFor(request)],
    ['captcha_codes_ip', countedAs(device, clientAddress)],
    ['captcha_codes_site', countedAs(device, clientAddress)],
  ] as const
  await countTowardsCaptcha(em, limits, { counters, sessionKey, now })
}

const countedFor = ({ purpose, device, email }: CodeRequest): string => `${purpose} ${countedAs(device, email)}`

/** Generates a code and stores its hash in place of an older one. Only the return value contains the code. */
export async function storeCode(
  em: EntityManager,
  { email, purpose, device, now, encryptionKey }: CodeRequest & { encryptionKey: string },
): Promise<string> {
  const code = String(randomInt(10 ** CODE_LENGTH)).padStart(CODE_LENGTH, '0')
  const deviceId = device?.id ?? null
  await query(em)
    .deleteFrom('email_codes')
    .where('email', '=', email)
    .where('purpose', '=', purpose)
    .where('deviceId', 'is not distinct from', deviceId)
    .execute()
  await query(em)
    .insertInto('email_codes')
    .values({
      id: newId(),
      email,
      purpose,
      codeHash: hashEmailCode({ email, code }, encryptionKey),
      sentAt: now,
      expiresAt: new Date(now.getTime() + CODE_LIFE),
      deviceId,
    })
    .execute()
  return code
}
