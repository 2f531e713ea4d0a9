import type { EntityManager } from '@mikro-orm/postgresql'
import type { Language } from '#shared/languages.ts'
import { query } from '#api/entities/tables.ts'
import type { Owner } from '#api/platform/mail/Recipient.ts'

/** Stores the language of the page at login; later emails to the account use it. */
export async function storeLanguage(em: EntityManager, { user, language }: { user: Owner; language: Language }): Promise<void> {
  if (user.language === language) return
  await query(em).updateTable('users').set({ language }).where('id', '=', user.id).execute()
}
