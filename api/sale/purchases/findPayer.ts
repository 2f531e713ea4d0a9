import type { EntityManager } from '@mikro-orm/postgresql'
import { isOnlyOthers, readProvers } from '#api/accounts/wallets/readProvers.ts'
import type { Deposit } from '#api/entities/Deposit.ts'
import type { Purchase } from '#api/entities/Purchase.ts'
import { query } from '#api/entities/tables.ts'
import { User } from '#api/entities/User.ts'

/**
 * The account to notify about a payment: the one that it was found to belong to, unless only others have proven its wallet,
 * perhaps after that. Then it is the last of them (money.md 16). It credits nothing.
 */
async function findPayer(em: EntityManager, { sender, user }: Deposit): Promise<User | undefined> {
  const provers = await readProvers(em, sender)
  const id = user && !isOnlyOthers(provers, user.id) ? user.id : provers[0]
  return id === undefined ? undefined : em.findOneOrFail(User, id)
}

/**
 * The payer, and the accounts for whose purchases the payment was found or reported and which have not got them otherwise. They are told
 * nothing of each other.
 */
export async function findConcerned(
  em: EntityManager,
  deposit: Deposit,
  purchase: Purchase | undefined,
): Promise<{ payer: User | undefined; claimants: { user: User; purchaseId: string }[] }> {
  const payer = await findPayer(em, deposit)
  const reported = await query(em)
    .selectFrom('purchases')
    .select(['id', 'user'])
    .where('claimedHash', '=', deposit.transactionHash)
    .where('wallet', '<>', deposit.sender)
    .where('status', '<>', 'confirmed')
    .orderBy('openedAt')
    .execute()
  const attached = purchase ? [{ id: purchase.id, user: purchase.user.id }] : []
  const byUser = Map.groupBy([...attached, ...reported], ({ user }) => user)
  const claimants = await em.find(User, { id: [...byUser.keys()].filter((id) => id !== payer?.id) })
  return { payer, claimants: claimants.map((user) => ({ user, purchaseId: byUser.get(user.id)![0]!.id })) }
}
