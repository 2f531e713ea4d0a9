import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { query } from '#api/entities/tables.ts'
import { openStatuses } from '#api/entities/Purchase.ts'
import { recordPurchaseChange } from '../purchases/recordPurchaseChange.ts'
import { CLOCK_TOLERANCE } from './matchDeposit.ts'

/**
 * Links new deposits to the requests that they most likely pay for. Such a request cannot expire any more (money.md 5), and its buyer sees
 * the payment coming. The final match is decided when the deposit is final.
 *
 * One statement for any number of deposits, so that a sender of thousands of transfers delays no other.
 */
export async function bindSeenDeposits(em: EntityManager, depositIds: readonly string[]): Promise<void> {
  if (depositIds.length === 0) return
  const ofThese = sql<string>`any(${depositIds}::uuid[])`
  // Locks all requests in the order of ids, like every other transaction.
  await query(em)
    .selectFrom('purchases as p')
    .select('p.id')
    .where('p.status', 'in', openStatuses)
    .where('p.wallet', 'in', ({ selectFrom }) => selectFrom('deposits as d').select('d.sender').where('d.id', '=', ofThese))
    .orderBy('p.id')
    .forUpdate('p')
    .execute()
  const bound = await query(em)
    .with('fits', (db) =>
      db
        .selectFrom('deposits as d')
        .innerJoin('purchases as p', (join) => join.onRef('p.wallet', '=', 'd.sender').on('p.status', 'in', openStatuses))
        .distinctOn('d.id')
        .select(['d.id as deposit', 'p.id as request', 'p.user as buyer'])
        .where('d.id', '=', ofThese)
        .where('d.state', '=', 'seen')
        .where('d.amount', '>', 0n)
        // The same rule as mayPay in matchDeposit.ts.
        .where(({ eb, or, and, not, exists, ref, selectFrom }) => {
          const proven = selectFrom('wallet_registrations as r')
            .select('r.id')
            .whereRef('r.address', '=', 'd.sender')
            .where('r.provenAt', 'is not', null)
          const seenBy = sql<Date>`${ref('d.blockTime')} + ${CLOCK_TOLERANCE} * interval '1 millisecond'`
          return or([
            exists(proven.whereRef('r.user', '=', 'p.user')),
            and([eb('p.openedAt', '<=', seenBy), not(exists(proven))]),
          ])
        })
        .orderBy('d.id')
        .orderBy((eb) => eb('p.claimedHash', 'is not distinct from', eb.ref('d.transactionHash')), 'desc')
        .orderBy((eb) => eb('p.amount', '=', eb.ref('d.amount')), 'desc')
        .orderBy('p.openedAt'),
    )
    .with('bound', (db) =>
      db
        .updateTable('deposits')
        .from('fits')
        .set((eb) => ({ purchase: eb.ref('fits.request'), user: eb.ref('fits.buyer') }))
        .whereRef('fits.deposit', '=', 'deposits.id')
        .returning('fits.buyer'),
    )
    .selectFrom('bound')
    .select('bound.buyer')
    .distinct()
    .execute()
  for (const { buyer } of bound) await recordPurchaseChange(em, buyer)
}
