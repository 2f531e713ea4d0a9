import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Address } from 'viem'
import { query } from '#api/entities/tables.ts'

export interface Recipient {
  userId: string
  email: string
  /** Whether the address was registered as this account's wallet at the time of the transfer. */
  isRegistered: boolean
}

/**
 * The accounts that have or had this address as their wallet. Block times are whole seconds, so registration times are truncated to
 * seconds.
 */
export const findRecipients = (
  em: EntityManager,
  { recipient, blockTime }: { recipient: Address; blockTime: Date },
): Promise<Recipient[]> =>
  query(em)
    .selectFrom('wallet_registrations as r')
    .innerJoin('users as u', 'u.id', 'r.user')
    .select(({ fn, eb }) => [
      'r.user as userId',
      'u.email',
      fn<boolean>('bool_or', [
        eb.and([
          eb(sql<Date>`date_trunc('second', ${eb.ref('r.registeredAt')})`, '<=', blockTime),
          eb.or([eb('r.removedAt', 'is', null), eb('r.removedAt', '>', blockTime)]),
        ]),
      ]).as('isRegistered'),
    ])
    .where('r.address', '=', recipient)
    .groupBy(['r.user', 'u.email'])
    .orderBy('u.email')
    .execute()

/** Whether this address was the fee recipient at that time or before: a sweep keeps its recipient, and may be mined after that changes. */
export async function collectsFees(
  em: EntityManager,
  { recipient, blockTime }: { recipient: Address; blockTime: Date },
): Promise<boolean> {
  const found = await query(em)
    .selectFrom('setting_changes')
    .select('id')
    .where('key', '=', 'fee_recipient_address')
    .where((eb) => eb(eb.fn<string>('lower', ['value']), '=', recipient))
    .where('effectiveAt', '<=', blockTime)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
