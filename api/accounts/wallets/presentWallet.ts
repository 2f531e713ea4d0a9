import type { EntityManager } from '@mikro-orm/postgresql'
import type { AuthUser } from '#shared/contract/identity.ts'
import { query } from '#api/entities/tables.ts'
import { presentUser } from '../identity/presentUser.ts'

/** An account as shown to its owner, and whether its wallet is proven by a signature. */
export async function presentWallet(
  em: EntityManager,
  { userId, now }: { userId: string; now: Date },
): Promise<AuthUser & { walletProven: boolean }> {
  const proven = await query(em)
    .selectFrom('wallet_registrations')
    .select('id')
    .where('user', '=', userId)
    .where('removedAt', 'is', null)
    .where('provenAt', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return { ...(await presentUser(em, { userId, now })), walletProven: proven !== undefined }
}
