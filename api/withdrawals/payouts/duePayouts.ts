import { sql } from 'kysely'
import { hasNoPayout } from '#api/accounts/users/hasNoPayout.ts'
import { readCaps, roomOf } from '../payoutWallets/payoutCaps.ts'
import type { PayoutContext } from './PayoutContext.ts'
import { findDueSweep } from './sweepFees.ts'

/** What the wallet of withdrawal `w` receives. */
export const NET = sql<bigint>`(w.amount - w.fee)`

/**
 * Due withdrawals. Excludes those that were ever signed, which keep their nonce whatever their status (money.md 24), and accounts with an
 * open debt.
 */
export const selectDue = (db: PayoutContext['read']) =>
  db
    .selectFrom('withdrawals as w')
    .where('w.status', '=', 'pending')
    .where(hasNoPayout)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('debts as d').select('d.id').whereRef('d.user', '=', 'w.user').where('d.closedAt', 'is', null))),
    )

/** Due withdrawals without those that are larger than a cap (`CapRoom.largest`), which could never be signed. */
export const selectFitting = (db: PayoutContext['read'], largest: bigint | undefined) =>
  selectDue(db).$if(largest !== undefined, (rows) => rows.where(NET, '<=', largest!))

/** Whether anything is due, so that balances need not be read otherwise. */
export async function hasDuePayouts(context: PayoutContext): Promise<boolean> {
  const { left, largest } = roomOf(await readCapsNow(context))
  const first = await selectFitting(context.read, largest)
    .select(NET.as('net'))
    .orderBy('w.requestedAt')
    .orderBy('w.id')
    .limit(1)
    .executeTakeFirst()
  const next = first?.net ?? (await findDueSweep(context))?.amount
  return next !== undefined && (left === undefined || next <= left)
}

/** The caps before a transaction. They are read again under the lock of the wallet. */
export async function readCapsNow({ services: { orm, config, clock } }: PayoutContext) {
  const em = orm.em.fork()
  return readCaps(em, config, await clock.dueNow(em))
}
