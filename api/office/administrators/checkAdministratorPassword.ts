import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'
import type { RateLimiter } from '#api/platform/http/limitRate.ts'
import { verifyPassword } from '#api/accounts/identity/hashPassword.ts'
import { countedAs, type KnownDevice } from '#api/accounts/devices/knownDevices.ts'

export interface AdministratorCredentials {
  username: string
  password: string
  /** The administrator's known browser, if any. Failures of unknown devices do not count against it. */
  device: KnownDevice | undefined
}

export interface KnownAdministrator {
  id: string
  username: string
  epoch: number
  passwordHash: string
}

/**
 * Finds the administrator of a user name and password. An unknown name takes the same time, counts the same and returns the same
 * error.
 *
 * @throws 400 `invalid_credentials`, and 429 after too many failures for one name.
 */
export async function checkAdministratorPassword(
  em: EntityManager,
  limits: RateLimiter,
  { username, password, device }: AdministratorCredentials,
  wrong = 'Invalid username or password.',
): Promise<KnownAdministrator> {
  // Counted before the outcome is known, so that concurrent guesses cannot all pass the limit.
  const counted = countedAs(device, username)
  await limits.count('admin_login_failures', counted)
  const found = await query(em)
    .selectFrom('administrators')
    .select(['id', 'passwordHash', 'sessionEpoch'])
    .where('username', '=', username)
    .where('removedAt', 'is', null)
    .executeTakeFirst()
  const right = await verifyPassword(password, found?.passwordHash, { isKnownDevice: device !== undefined }).catch(
    async (error: unknown) => {
      await limits.uncount('admin_login_failures', counted)
      throw error
    },
  )
  if (!found || !right) throw refusal(400, 'invalid_credentials', wrong)
  await limits.uncount('admin_login_failures', counted)
  return {
    id: found.id,
    username,
    epoch: found.sessionEpoch,
    passwordHash: found.passwordHash,
  }
}
