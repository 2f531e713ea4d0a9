import { LockMode, type MikroORM } from '@mikro-orm/postgresql'
import { newId } from '#api/platform/db/newId.ts'
import { Account } from '#api/entities/Account.ts'
import { Distribution } from '#api/entities/Distribution.ts'
import { LedgerEntry } from '#api/entities/LedgerEntry.ts'
import { Node } from '#api/entities/Node.ts'
import { houseAccounts } from '#api/rewards/ledger/houseAccounts.ts'
import { rewardInstant } from '#shared/rewardTime.ts'

/**
 * Pays a day by the ORM with one transaction and flush for each holder. It locks the changed accounts, because of concurrent withdrawals;
 * the database refuses to pay a holder twice.
 */
export async function payDayByFlush(
  orm: MikroORM,
  { day, rate, users }: { day: string; rate: bigint; users: readonly string[] },
): Promise<void> {
  const at = rewardInstant(day)
  for (const user of users)
    await orm.em.fork().transactional(async (em) => {
      const nodes = await em.count(Node, { user, activeFrom: { $lte: at }, frozenAt: null })
      const amount = BigInt(nodes) * rate
      em.create(Distribution, { day, user, id: newId(), activeNodes: nodes, rate, amount, createdAt: at })
      em.create(LedgerEntry, {
        date: day,
        cause: `distribution:${day}:${user}`,
        fromAccount: houseAccounts.rewards,
        toAccount: user,
        amount,
        recordedAt: at,
      })
      const lockMode = LockMode.PESSIMISTIC_WRITE
      const house = await em.findOneOrFail(Account, houseAccounts.rewards, { lockMode })
      const account = await em.findOneOrFail(Account, user, { lockMode })
      house.balance -= amount
      account.balance += amount
      account.totalEarned += amount
    })
}
