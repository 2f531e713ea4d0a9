import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { type DomainError, refusal } from '#api/platform/errors.ts'
import type { Services } from '#api/platform/services.ts'
import { isEmailCode, type MailedCode } from './hashEmailCode.ts'
import { countedAs } from '../devices/knownDevices.ts'
import { type CodeRequest, lockCodes } from './storeCode.ts'

/** Wrong tries after which a code is dead. */
const WRONG_TRIES = 5

export const codeDead = () => refusal(400, 'code_invalid', 'This code is no longer valid. Please request a new one.')

/**
 * Finds the row of a right code and keeps it locked; the caller marks it as used. Answers a refusal instead of throwing it, so that a wrong
 * try counts.
 */
export async function checkMailedCode(
  em: EntityManager,
  { config, limits }: Pick<Services, 'config' | 'limits'>,
  { email, code, purpose, device, now }: MailedCode & CodeRequest,
): Promise<DomainError | { codeId: string }> {
  // Each try sees the count of those before it.
  await lockCodes(em, email)
  // A known device may also show the code that a stranger asked for: its owner reads the newest mail.
  const mailed = await query(em)
    .selectFrom('email_codes')
    .select(['id', 'codeHash', 'deviceId', 'wrongTries'])
    .where('email', '=', email)
    .where('purpose', '=', purpose)
    .where((eb) => eb.or([eb('deviceId', 'is', null), eb('deviceId', '=', device?.id ?? null)]))
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', now)
    .execute()
  const isOwn = ({ deviceId }: { deviceId: string | null }) => deviceId === (device?.id ?? null)
  // Tries of strangers do not use up a code for a known device; its own are bounded by `codes_wrong` too.
  const open = mailed.filter((row) => !isOwn(row) || row.wrongTries < WRONG_TRIES)
  if (open.length === 0) return codeDead()
  const counted = `${purpose} ${countedAs(device, email)}`
  await limits.check('codes_wrong', counted)

  const right = open.find(({ codeHash: hash }) => isEmailCode({ email, code }, { hash, encryptionKey: config.ENCRYPTION_KEY }))
  if (right) return { codeId: right.id }
  await limits.count('codes_wrong', counted)
  const ownIds = open.filter(isOwn).map(({ id }) => id)
  if (ownIds.length > 0) {
    await query(em)
      .updateTable('email_codes')
      .set((eb) => ({ wrongTries: eb('wrongTries', '+', 1) }))
      .where('id', 'in', ownIds)
      .execute()
  }
  return refusal(400, 'code_invalid', 'The verification code is wrong. Please check your email and try again.')
}
