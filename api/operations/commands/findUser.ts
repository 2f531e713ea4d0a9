import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'
import { CommandRefused } from './OperatorCommand.ts'

/** The user of an address as an operator types it. */
export async function findUser(em: EntityManager, typed: string): Promise<Owner> {
  const email = typed.trim().toLowerCase()
  const user = await query(em)
    .selectFrom('users')
    .select(['id', 'email', 'language'])
    .where('email', '=', email)
    .executeTakeFirst()
  if (!user) throw new CommandRefused(`There is no user ${email}.`)
  return user
}
