import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { query } from '#api/entities/tables.ts'
import { HOLD_PERIOD } from '../users/holdWithdrawals.ts'

/**
 * When this wallet last replaced another, proven wallet within the period of holds. Reconnecting the same wallet does not count, because
 * a locked wallet is removed and registered again; neither does replacing an unproven one.
 *
 * @param now real time.
 */
export async function walletReplacedAt(
  em: EntityManager,
  { userId, wallet, now }: { userId: string; wallet: Address; now: Date },
): Promise<Date | undefined> {
  const replaced = await query(em)
    .selectFrom('wallet_registrations as taken')
    .select('taken.registeredAt')
    .where('taken.user', '=', userId)
    .where('taken.address', '=', wallet)
    .where('taken.registeredAt', '>', new Date(now.getTime() - HOLD_PERIOD))
    .where(
      ({ selectFrom }) =>
        selectFrom('wallet_registrations as before')
          .select('before.address')
          .where('before.user', '=', userId)
          .where('before.provenAt', 'is not', null)
          // All others came before the one in force, whatever the clocks of the servers that registered them said.
          .where(({ eb, refTuple }) =>
            eb.or([
              eb.and([eb('taken.removedAt', 'is', null), eb('before.id', '<>', eb.ref('taken.id'))]),
              eb(refTuple('before.registeredAt', 'before.id'), '<', refTuple('taken.registeredAt', 'taken.id')),
            ]),
          )
          .orderBy('before.registeredAt', 'desc')
          .orderBy('before.id', 'desc')
          .limit(1),
      '<>',
      wallet,
    )
    .orderBy('taken.registeredAt', 'desc')
    .limit(1)
    .executeTakeFirst()
  return replaced?.registeredAt
}
