import type { EntityManager } from '@mikro-orm/postgresql'
import type { ExpressionBuilder } from 'kysely'
import { PAYMENT_CHAIN_ID } from '#shared/sale.ts'
import type { Transfer } from '#api/platform/chain/readTransfers.ts'
import { unnest } from '#api/platform/db/unnest.ts'
import { openStatuses } from '#api/entities/Purchase.ts'
import { query, type Tables } from '#api/entities/tables.ts'

/**
 * Whether `ignoreDust` may ignore a transfer without its receipt, by its amount and the requests that are open. It waits for the second
 * reading, because one endpoint could invent it; so its receipt is not read before that either: a million of them cost next to nothing.
 */
export const isSmall = (eb: ExpressionBuilder<Tables & { d: Tables['deposits'] }, 'd'>, price: bigint) => {
  const isRegistered = eb.exists(eb.selectFrom('wallet_registrations as r').select('r.id').whereRef('r.address', '=', 'd.sender'))
  const hasRequest = eb.exists(
    eb.selectFrom('purchases as p').select('p.id').whereRef('p.wallet', '=', 'd.sender').where('p.status', 'in', openStatuses),
  )
  return eb.and([
    eb('d.keptFor', 'is', null),
    eb.or([eb('d.amount', '<', price / 10n), eb.and([eb('d.amount', '<', price), eb.not(isRegistered)])]),
    eb.or([eb('d.amount', '=', 0n), eb.not(hasRequest)]),
  ])
}

/** Marks the small transfers of these blocks that are not among the confirmed ones: they are ignored only once their receipt is read. */
export async function requireReceipts(
  em: EntityManager,
  { from, to, price, confirmed }: { from: bigint; to: bigint; price: bigint; confirmed: readonly Transfer[] },
): Promise<void> {
  const rows = confirmed.map(({ transactionHash, ordinal }) => ({ hash: transactionHash, place: ordinal }))
  await query(em)
    .updateTable('deposits')
    .set({ needsReceipt: true })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('deposits as d')
        .select('d.id')
        .where('d.chainId', '=', PAYMENT_CHAIN_ID)
        .where('d.state', '=', 'seen')
        .where('d.blockNumber', '>=', from)
        .where('d.blockNumber', '<=', to)
        .where((eb) => isSmall(eb, price))
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom(unnest('shown', { hash: 'text', place: 'int' }, rows))
                .select('shown.hash')
                .whereRef('shown.hash', '=', 'd.transactionHash')
                .whereRef('shown.place', '=', 'd.ordinal'),
            ),
          ),
        ),
    )
    .execute()
}
