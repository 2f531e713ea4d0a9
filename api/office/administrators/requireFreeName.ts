import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'

/**
 * Refuses a user name that another administrator has, also a removed one, or that the audit log knows: the log names administrators by
 * this name alone, so nobody else may get it (decisions/0045). An administrator does not get back an earlier name either, since the log
 * cannot tell whose it was.
 *
 * @throws 400
 */
export async function requireFreeName(em: EntityManager, username: string): Promise<void> {
  const taken = await query(em).selectFrom('administrators').select('id').where('username', '=', username).executeTakeFirst()
  if (taken) throw refusal(400, 'invalid_request', 'This username is already taken.')
  const used = await query(em)
    .selectFrom('audit_entries')
    .select('id')
    .where('actor', '=', `admin:${username}`)
    .limit(1)
    .executeTakeFirst()
  if (used) throw refusal(400, 'invalid_request', 'This username was used before. Please choose another one.')
}
