import type { EntityManager } from '@mikro-orm/postgresql'
import type { AuthUser } from '#shared/contract/identity.ts'
import { sql } from '#api/platform/db/sql.ts'
import { presentUser } from '../identity/presentUser.ts'

/** An account as its owner sees it, and whether its wallet has been proven by a signature. */
export async function presentWallet(em: EntityManager, userId: string): Promise<AuthUser & { walletProven: boolean }> {
  const proven = await sql(
    em,
    'select from wallet_registrations where user_id = $1 and removed_at is null and proven_at is not null limit 1',
    [userId],
  )
  return { ...(await presentUser(em, userId)), walletProven: proven.length > 0 }
}
