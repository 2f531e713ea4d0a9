import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '../db/sql.ts'

export async function readOtpStatus(em: EntityManager, userId: string): Promise<{ otpEnabled: boolean }> {
  const [account] = await sql<{ enabled: boolean }>(em, 'select otp_secret is not null as enabled from users where id = $1', [
    userId,
  ])
  return { otpEnabled: account?.enabled ?? false }
}
