import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { type DomainError, refusal } from '#api/platform/errors.ts'
import type { Services } from '#api/platform/services.ts'
import { isEmailCode, type MailedCode } from './hashEmailCode.ts'
import { countedAs } from '../devices/knownDevices.ts'
import { type CodeRequest, lockCodes } from './storeCode.ts'

/** A code is invalid after this number of wrong tries. */
const MAX_WRONG_TRIES = 5

export const codeNoLongerValid = () => refusal(400, 'code_invalid', 'This code is no longer valid. Please request a new one.')

/**
 * Finds the row of a correct code and locks it; the caller marks it as used. It returns a refusal instead of throwing it, so that
 * the count of wrong tries is committed.
 */
export async function checkMailedCode(
  em: EntityManager,
  { config, limits }: Pick<Services, 'config' | 'limits'>,
  { email, code, purpose, device, now }: MailedCode & CodeRequest,
): Promise<DomainError | { codeId: string }> {
  // The lock makes each try see the count of earlier ones.
  await lockCodes(em, email)
  const open = await findOpenCodes(em, { email, purpose, device, now })
  if (open.length === 0) return codeNoLongerValid()
  const counted = `${purpose} ${countedAs(device, email)}`
  await limits.check('codes_wrong', counted)

  const right = open.find(({ codeHash: hash }) => isEmailCode({ email, code }, { hash, encryptionKey: config.ENCRYPTION_KEY }))
  if (right) return { codeId: right.id }
  await limits.count('codes_wrong', counted)
  const ownIds = open.filter(isOwn(device)).map(({ id }) => id)
  if (ownIds.length > 0) {
    await query(em)
      .updateTable('email_codes')
      .set((eb) => ({ wrongTries: eb('wrongTries', '+', 1) }))
      .where('id', 'in', ownIds)
      .execute()
  }
  return refusal(400, 'code_invalid', 'The verification code is incorrect. Please check your email and try again.')
}

/** The codes of the address that can still be used. */
export async function findOpenCodes(em: EntityManager, { email, purpose, device, now }: CodeRequest) {
  // A known device may also use a code requested by an unknown one, because the owner reads the newest email.
  const mailed = await query(em)
    .selectFrom('email_codes')
    .select(['id', 'codeHash', 'deviceId', 'wrongTries'])
    .where('email', '=', email)
    .where('purpose', '=', purpose)
    .where((eb) => eb.or([eb('deviceId', 'is', null), eb('deviceId', '=', device?.id ?? null)]))
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', now)
    .execute()
  // Tries from unknown devices do not use up the tries of a known device; its own are also bounded by `codes_wrong`.
  return mailed.filter((row) => !isOwn(device)(row) || row.wrongTries < MAX_WRONG_TRIES)
}

const isOwn =
  (device: CodeRequest['device']) =>
  ({ deviceId }: { deviceId: string | null }): boolean =>
    deviceId === (device?.id ?? null)
