import type { EntityManager } from '@mikro-orm/postgresql'
import { isOnlyOthers, readProvers } from '#api/accounts/wallets/readProvers.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import type { DomainError } from '#api/platform/errors.ts'
import { transactionUnsuitable } from './errors.ts'

/**
 * Why a payment of the purchase's wallet is not the buyer's: only another account has proven that wallet (money.md 16). The same rule as
 * `mayPay`, for what an administrator decides.
 */
export async function findOwnerObjection(em: EntityManager, { wallet, user }: Purchase): Promise<DomainError | undefined> {
  if (!isOnlyOthers(await readProvers(em, wallet!), user.id)) return undefined
  return transactionUnsuitable(
    'Another account has proven that this wallet is its own. The account of the purchase has only entered it.',
  )
}
