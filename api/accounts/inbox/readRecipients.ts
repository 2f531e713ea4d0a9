import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { query } from '#api/entities/tables.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'

/** The owners of accounts as recipients of messages, by the id of the account. */
export async function readRecipients(em: EntityManager, userIds: Iterable<string>): Promise<ReadonlyMap<string, Owner>> {
  const users = await query(em)
    .selectFrom('users')
    .select(['id', 'email', 'language'])
    .where('id', '=', sql<string>`any(${[...new Set(userIds)]}::uuid[])`)
    .execute()
  return new Map(users.map((user) => [user.id, user]))
}
