import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'

/** Whether the account has proven its registered wallet by a signature. */
export async function isWalletProven(em: EntityManager, userId: string): Promise<boolean> {
  const proven = await query(em)
    .selectFrom('wallet_registrations')
    .select('id')
    .where('user', '=', userId)
    .where('removedAt', 'is', null)
    .where('provenAt', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return proven !== undefined
}
