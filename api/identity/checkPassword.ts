import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../db/sql.ts'
import { refusal } from '../errors.ts'
import type { RateLimiter } from '../http/limitRate.ts'
import { verifyPassword } from './hashPassword.ts'

export interface Credentials {
  email: string
  password: string
}

/**
 * Finds the account of an e-mail address and its password. An unknown address costs the same time, counts the same and is answered
 * the same.
 *
 * @throws 400 `invalid_credentials`, and 429 after too many failures for one address.
 */
export async function checkPassword(
  em: EntityManager,
  limits: RateLimiter,
  { email, password }: Credentials,
): Promise<{ id: string; epoch: number }> {
  // Counted before it is known to be a failure, so that guesses sent at the same moment cannot all slip past the count.
  await limits.count('login_failures', email)
  const [account] = await sql<{ id: string; password_hash: string; session_epoch: number }>(
    em,
    'select id, password_hash, session_epoch from users where email = $1',
    [email],
  )
  const right = await verifyPassword(password, account?.password_hash).catch(async (error: unknown) => {
    await limits.forgive('login_failures', email)
    throw error
  })
  if (!account || !right) throw refusal(400, 'invalid_credentials', 'Invalid email or password.')
  await limits.forgive('login_failures', email)
  return { id: account.id, epoch: account.session_epoch }
}
