import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { listPayments as contract, Payment } from '#shared/contract/purchases.ts'
import type { Output } from '#shared/contract/endpoint.ts'
import { query } from '#api/entities/tables.ts'
import type { depositStates } from '#api/entities/Deposit.ts'

type DepositState = (typeof depositStates)[number]

/** Maximum number of payments in the history. */
const MAX_PAYMENTS = 20

/** The states as shown to the buyer. An administrator handles orphaned payments. */
const stateOf: Record<DepositState, Payment['state']> = {
  seen: 'arriving',
  matched: 'credited',
  assigned: 'credited',
  review: 'waiting',
  orphaned: 'waiting',
  refunded: 'refunded',
  ignored: 'ignored',
}

/**
 * The newest payments from an account's wallets or for its purchases, also if they were used for another one's. What waits is also shown to
 * the account that has proven its wallet since, the one that `findPayer` finds.
 */
export async function listPayments(em: EntityManager, userId: string): Promise<Output<typeof contract>> {
  const rows = await query(em)
    .selectFrom('deposits as d')
    .leftJoin('purchases as p', (join) => join.onRef('p.id', '=', 'd.purchase').on('p.user', '=', userId))
    .select(['d.id', 'd.transactionHash', 'd.sender', 'd.amount', 'd.state', 'd.takenFrom', 'p.id as purchaseId'])
    .select(['d.refundHash', 'd.refundedAmount', 'd.firstSeenAt as seenAt'])
    // Whose payment it was is mailed the reason. The deposit itself has it only within the administrators' notes.
    .select(({ selectFrom, ref }) =>
      selectFrom('audit_entries as e')
        .select((entry) => sql<string>`${entry.ref('e.after')} ->> 'reason'`.as('reason'))
        .where('e.action', '=', 'deposit.refunded')
        .where('e.target', '=', sql<string>`'deposit:' || ${ref('d.id')}`)
        .where('d.user', '=', userId)
        .whereRef('d.refundedAmount', '<', 'd.amount')
        .orderBy('e.at', 'desc')
        .limit(1)
        .as('reason'),
    )
    .where('d.id', 'in', ({ selectFrom }) =>
      selectFrom('deposits as o')
        .select('o.id')
        .where((eb) => eb.or([eb('o.user', '=', userId), eb('o.takenFrom', '=', userId)]))
        .union(
          selectFrom('purchases as op')
            .innerJoin('deposits as od', 'od.purchase', 'op.id')
            .select('od.id')
            .where('op.user', '=', userId),
        )
        .union(
          selectFrom('wallet_registrations as r')
            .innerJoin('deposits as rd', 'rd.sender', 'r.address')
            .select('rd.id')
            .where('r.user', '=', userId)
            .where('r.provenAt', 'is not', null)
            .where('rd.state', '=', 'review')
            .where(({ not, exists, selectFrom }) =>
              not(
                exists(
                  selectFrom('wallet_registrations as other')
                    .select('other.id')
                    .whereRef('other.address', '=', 'r.address')
                    .where('other.provenAt', 'is not', null)
                    .where((eb) =>
                      eb.or([eb('other.user', '=', eb.ref('rd.user')), eb('other.registeredAt', '>', eb.ref('r.registeredAt'))]),
                    ),
                ),
              ),
            ),
        ),
    )
    .where((eb) => eb.or([eb('d.blockNumber', 'is not', null), eb('d.state', '<>', 'seen')]))
    .orderBy('d.firstSeenAt', 'desc')
    .orderBy('d.id', 'desc')
    .limit(MAX_PAYMENTS)
    .execute()
  return rows.map(({ state, takenFrom, refundHash, refundedAmount, reason, ...payment }) => ({
    ...payment,
    state: stateOf[state],
    ...(takenFrom === userId && payment.purchaseId === null && { isForAnother: true }),
    refund: refundHash && { transactionHash: refundHash, amount: refundedAmount, ...(reason !== null && { reason }) },
  }))
}
