import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { Address } from 'viem'
import { query } from '#api/entities/tables.ts'

/**
 * The account to which an address belonged, proven by a signature, at an instant such as a block's time.
 *
 * Block times are whole seconds, so a registration counts from the beginning of its second.
 */
export async function findProvenOwner(
  em: EntityManager,
  { address, at }: { address: Address; at: Date },
): Promise<string | undefined> {
  const registration = await query(em)
    .selectFrom('wallet_registrations')
    .select('user')
    .where('address', '=', address.toLowerCase() as Address)
    .where((eb) => sql<Date>`date_trunc('second', ${eb.ref('registeredAt')})`, '<=', at)
    .where((eb) => sql<Date>`date_trunc('second', ${eb.ref('provenAt')})`, '<=', at)
    .where((eb) => eb.or([eb('removedAt', 'is', null), eb('removedAt', '>', at)]))
    .orderBy('registeredAt', 'desc')
    .limit(1)
    .executeTakeFirst()
  return registration?.user
}
