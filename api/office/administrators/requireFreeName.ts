import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import { refusal } from '#api/platform/errors.ts'

/**
 * Refuses a user name that another administrator has, also a removed one, or that the audit log knows: the log names administrators by
 * this name alone, so nobody else may get it (decisions/0045). An administrator does not get back an earlier name either, since the log
 * cannot tell whose it was. Nor a name that reads like another one, for example by an invisible character.
 *
 * @throws 400
 */
export async function requireFreeName(em: EntityManager, username: string): Promise<void> {
  const names = await query(em).selectFrom('administrators').select('username').execute()
  if (names.some((one) => asRead(one.username) === asRead(username)))
    throw refusal(400, 'invalid_request', 'This username is already taken.')
  const used = await query(em)
    .selectFrom('audit_entries')
    .select('id')
    .where('actor', '=', `admin:${username}`)
    .limit(1)
    .executeTakeFirst()
  if (used) throw refusal(400, 'invalid_request', 'This username was used before. Please choose another one.')
}

/** Without letter case, invisible characters and compatibility forms. Letters of different scripts that look alike stay different. */
const asRead = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase()
