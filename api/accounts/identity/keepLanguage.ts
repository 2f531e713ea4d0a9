import type { EntityManager } from '@mikro-orm/postgresql'
import type { Language } from '#shared/languages.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { Owner } from '#api/platform/mail/Reader.ts'

/** From now on the account's mails are written in the language of the page it was last logged in on. */
export async function keepLanguage(em: EntityManager, { user, language }: { user: Owner; language: Language }): Promise<void> {
  if (user.language === language) return
  await sql(em, 'update users set language = $2 where id = $1', [user.id, language])
}
