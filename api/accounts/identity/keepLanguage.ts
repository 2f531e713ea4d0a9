import type { EntityManager } from '@mikro-orm/postgresql'
import type { Language } from '#shared/languages.ts'
import { query } from '#api/entities/tables.ts'
import type { Owner } from '#api/platform/mail/Reader.ts'

/** From now on the account's mails are written in the language of the page it was last logged in on. */
export async function keepLanguage(em: EntityManager, { user, language }: { user: Owner; language: Language }): Promise<void> {
  if (user.language === language) return
  await query(em).updateTable('users').set({ language }).where('id', '=', user.id).execute()
}
