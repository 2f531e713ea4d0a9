import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { type OtpAccount, otpTables } from './consumeCode.ts'

export async function isOtpEnabled(em: EntityManager, { realm, id }: OtpAccount): Promise<boolean> {
  const account = await query(em).selectFrom(otpTables[realm]).select('otpSecret').where('id', '=', id).executeTakeFirst()
  return account?.otpSecret != null
}
