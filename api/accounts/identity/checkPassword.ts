import type { EntityManager } from '@mikro-orm/postgresql'
import { countTowardsCaptcha } from '../captcha/countTowardsCaptcha.ts'
import type { CaptchaDemand } from '../captcha/requireCaptcha.ts'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'
import type { RateLimiter } from '#api/platform/http/limitRate.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import { verifyPassword } from './hashPassword.ts'
import { countedAs, type KnownDevice } from '../devices/knownDevices.ts'

export interface Credentials extends CaptchaDemand {
  email: string
  password: string
  clientAddress: string
  /** The account's known browser, if any. Failures of unknown devices do not count against it. */
  device: KnownDevice | undefined
}

/**
 * Finds the account of an email address and password. An unknown address takes the same time, counts the same and returns the
 * same error.
 *
 * @throws 400 `invalid_credentials`, 403 `captcha_required` after some failures, and 429 after too many for one address.
 */
export async function checkPassword(
  em: EntityManager,
  limits: RateLimiter,
  { email, password, clientAddress, device, ...demand }: Credentials,
): Promise<Owner & { epoch: number }> {
  const counted = countedAs(device, email)
  const counters = [
    ['captcha_login', counted],
    ['captcha_login_ip', countedAs(device, clientAddress)],
    ['captcha_login_site', countedAs(device, clientAddress)],
  ] as const
  await limits.check('login_failures', counted)
  // Tries are counted before the outcome is known, so that concurrent guesses cannot all pass the limits. The captcha comes
  // first: without a solved captcha a caller cannot use up the shared tries.
  await countTowardsCaptcha(em, limits, { counters, ...demand })
  await limits.count('login_failures', counted)
  const uncount = async () => {
    for (const [name, key] of [['login_failures', counted] as const, ...counters]) await limits.uncount(name, key)
  }
  const account = await query(em)
    .selectFrom('users')
    .select(['id', 'email', 'language', 'passwordHash', 'sessionEpoch'])
    .where('email', '=', email)
    .executeTakeFirst()
  const right = await verifyPassword(password, account?.passwordHash, { isKnownDevice: device !== undefined }).catch(
    async (error: unknown) => {
      await uncount()
      throw error
    },
  )
  if (!account || !right) throw refusal(400, 'invalid_credentials', 'Invalid email or password.')
  await uncount()
  return { id: account.id, email: account.email, language: account.language, epoch: account.sessionEpoch }
}
