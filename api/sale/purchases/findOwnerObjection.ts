import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import type { DomainError } from '#api/platform/errors.ts'
import { transactionUnsuitable } from './errors.ts'

/**
 * Why a payment of the purchase's wallet is not the buyer's: only another account has proven that wallet (money.md 16). The same rule as
 * `mayPay`, for what an administrator decides.
 */
export async function findOwnerObjection(em: EntityManager, { wallet, user }: Purchase): Promise<DomainError | undefined> {
  const proven = await query(em)
    .selectFrom('wallet_registrations')
    .select('user')
    .where('address', '=', wallet!)
    .where('provenAt', 'is not', null)
    .execute()
  if (proven.length === 0 || proven.some((registration) => registration.user === user.id)) return undefined
  return transactionUnsuitable(
    'Another account has proven that this wallet is its own. The account of the purchase has only entered it.',
  )
}
