import type { EntityManager } from '@mikro-orm/postgresql'
import type { AuthUser } from '#shared/contract/identity.ts'
import { presentUser } from '../identity/presentUser.ts'
import { isWalletProven } from './isWalletProven.ts'

/** An account as shown to its owner, and whether its wallet is proven by a signature. */
export async function presentWallet(
  em: EntityManager,
  { userId, now }: { userId: string; now: Date },
): Promise<AuthUser & { walletProven: boolean }> {
  return { ...(await presentUser(em, { userId, now })), walletProven: await isWalletProven(em, userId) }
}
