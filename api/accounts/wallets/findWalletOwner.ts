import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { sql } from '#api/platform/db/sql.ts'

/**
 * The account to which an address belonged, proven by a signature, at an instant such as a block's.
 *
 * Blocks carry whole seconds, so a registration counts from the beginning of its second on.
 */
export async function findProvenOwner(
  em: EntityManager,
  { address, at }: { address: Address; at: Date },
): Promise<string | undefined> {
  const [row] = await sql<{ user_id: string }>(
    em,
    `select user_id from wallet_registrations
     where address = $1 and date_trunc('second', registered_at) <= $2 and date_trunc('second', proven_at) <= $2
       and (removed_at is null or removed_at > $2)
     order by registered_at desc limit 1`,
    [address.toLowerCase(), at],
  )
  return row?.user_id
}
