import type { EntityManager } from '@mikro-orm/postgresql'
import type { Address } from 'viem'
import { sql } from '#api/platform/db/sql.ts'
import { readSettings } from '#api/sale/settings/readSettings.ts'

export interface Recipient {
  userId: string
  email: string
  /** Whether the address was this account's wallet when it was paid, as far as we know. */
  isRegistered: boolean
}

/** The accounts whose wallet an address is, or ever was. Blocks carry whole seconds, so a registration counts from its second on. */
export const findRecipients = (
  em: EntityManager,
  { recipient, blockTime }: { recipient: Address; blockTime: Date },
): Promise<Recipient[]> =>
  sql<Recipient>(
    em,
    `select user_id as "userId", email,
       bool_or(date_trunc('second', registered_at) <= $2 and (removed_at is null or removed_at > $2)) as "isRegistered"
     from wallet_registrations r join users u on u.id = user_id where address = $1 group by user_id, email order by email`,
    [recipient, blockTime],
  )

/** Whether fees were swept to this address at that time. */
export const collectsFees = async (
  em: EntityManager,
  { recipient, blockTime }: { recipient: Address; blockTime: Date },
): Promise<boolean> => (await readSettings(em, blockTime)).fee_recipient_address.toLowerCase() === recipient
