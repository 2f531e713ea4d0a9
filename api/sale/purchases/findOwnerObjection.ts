import type { EntityManager } from '@mikro-orm/postgresql'
import { isOnlyOthers, readProvers } from '#api/accounts/wallets/readProvers.ts'
import type { Address } from 'viem'
import type { Purchase } from '#api/entities/Purchase.ts'
import type { DomainError } from '#api/platform/errors.ts'
import { transactionUnsuitable } from './errors.ts'

/**
 * Why a payment of a wallet is not the buyer's: only another account has proven that wallet (money.md 16). The same rule as `mayPay`, for
 * what an administrator decides.
 */
export async function findOwnerObjection(
  em: EntityManager,
  { user }: Purchase,
  senders: Iterable<Address>,
): Promise<DomainError | undefined> {
  for (const sender of new Set(senders))
    if (isOnlyOthers(await readProvers(em, sender), user.id))
      return transactionUnsuitable(
        'Another account has proven that the wallet of this payment is its own. The account of the purchase has not.',
      )
  return undefined
}
