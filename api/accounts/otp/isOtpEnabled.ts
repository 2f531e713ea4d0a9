import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'
import { type OtpAccount, otpTables } from './spendCode.ts'

export async function isOtpEnabled(em: EntityManager, { realm, id }: OtpAccount): Promise<boolean> {
  const [account] = await sql<{ enabled: boolean }>(
    em,
    `select otp_secret is not null as enabled from ${otpTables[realm]} where id = $1`,
    [id],
  )
  return account?.enabled ?? false
}
