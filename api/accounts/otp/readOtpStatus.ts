import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'

export async function readOtpStatus(
  em: EntityManager,
  userId: string,
): Promise<{ otpEnabled: boolean; recoveryCodesLeft: number }> {
  const [account] = await sql<{ enabled: boolean; codes: number }>(
    em,
    `select otp_secret is not null as enabled,
       (select count(*) from recovery_codes where user_id = users.id and used_at is null)::int as codes
     from users where id = $1`,
    [userId],
  )
  return { otpEnabled: account?.enabled ?? false, recoveryCodesLeft: account?.enabled ? account.codes : 0 }
}
