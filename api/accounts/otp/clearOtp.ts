import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'
import { type OtpAccount, otpTables } from './spendCode.ts'

/** Takes the authenticator off an account, and its lock. The steps of the next secret have nothing to do with those of this one. */
export async function clearOtp(em: EntityManager, { realm, id }: OtpAccount): Promise<void> {
  await sql(
    em,
    `update ${otpTables[realm]} set otp_secret = null, otp_enabled_at = null, otp_last_step = null,
       otp_failures = 0, otp_locks = 0, otp_locked_until = null where id = $1`,
    [id],
  )
  await sql(
    em,
    'update known_devices set otp_failures = 0, otp_locks = 0, otp_locked_until = null where user_id = $1 or administrator_id = $1',
    [id],
  )
  await sql(em, 'delete from otp_setups where account_id = $1', [id])
}
