import type { EntityManager } from '@mikro-orm/postgresql'
import type { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import { User } from '#api/entities/User.ts'

/** The account that is told what becomes of a payment, because it belongs to it as far as anybody knows. */
export const findPayer = async (em: EntityManager, { user }: Deposit): Promise<User | undefined> =>
  user ? em.findOneOrFail(User, user.id) : undefined

/**
 * The payer and, if another account's purchase is the one that the payment was reported or found for, that account, which is told nothing
 * of the payer.
 */
export async function findConcerned(
  em: EntityManager,
  deposit: Deposit,
  purchase: Purchase | undefined,
): Promise<{ payer: User | undefined; claimant: User | undefined }> {
  const payer = await findPayer(em, deposit)
  const isOfAnother = purchase !== undefined && purchase.user.id !== payer?.id
  return { payer, claimant: isOfAnother ? await em.findOneOrFail(User, purchase.user.id) : undefined }
}
