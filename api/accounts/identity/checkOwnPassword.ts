import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'
import type { RateLimiter } from '#api/platform/http/limitRate.ts'
import { countedAs, type KnownDevice } from '../devices/knownDevices.ts'
import { verifyPassword } from './hashPassword.ts'

export interface OwnPassword {
  userId: string
  password: string
  /** The account's known browser, if the request comes from one. */
  device: KnownDevice | undefined
}

export const wrongPassword = () => refusal(400, 'invalid_credentials', 'The current password is incorrect.')

/**
 * Checks the password of the logged-in account and returns its hash, which another request may replace before the caller's
 * transaction. It runs outside a transaction because hashing is slow.
 *
 * @throws 400 `invalid_credentials`, 429 after too many wrong passwords.
 */
export async function checkOwnPassword(
  em: EntityManager,
  limits: RateLimiter,
  { userId, password, device }: OwnPassword,
): Promise<string> {
  const counted = countedAs(device, userId)
  await limits.count('password', counted)
  const account = await query(em).selectFrom('users').select('passwordHash').where('id', '=', userId).executeTakeFirst()
  const passwordHash = account?.passwordHash
  const uncount = async (error: unknown) => {
    await limits.uncount('password', counted)
    throw error
  }
  const isRight = await verifyPassword(password, passwordHash, { isKnownDevice: device !== undefined }).catch(uncount)
  if (!isRight || passwordHash === undefined) throw wrongPassword()
  await limits.uncount('password', counted)
  return passwordHash
}
