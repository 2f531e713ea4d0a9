import type { EntityManager } from '@mikro-orm/postgresql'
import { isOnlyOthers, readProvers } from '#api/accounts/wallets/readProvers.ts'
import type { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import { User } from '#api/entities/User.ts'

/**
 * The account that is told what becomes of a payment: the one that it was found to belong to, unless only others have proven its wallet,
 * perhaps after that. Then it is the last of them (money.md 16). It credits nothing.
 */
export async function findPayer(em: EntityManager, { sender, user }: Deposit): Promise<User | undefined> {
  const provers = await readProvers(em, sender)
  const id = user && !isOnlyOthers(provers, user.id) ? user.id : provers[0]
  return id === undefined ? undefined : em.findOneOrFail(User, id)
}

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
