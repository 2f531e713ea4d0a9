import { updateNotifications } from '#shared/contract/notifications.ts'
import type { Language } from '#shared/languages.ts'
import { api } from '#pwa/lib/api.ts'

/** Saves the language for the user's emails. A failure does not affect the page's language. */
export async function saveEmailLanguage(language: Language): Promise<void> {
  try {
    await api(updateNotifications, { body: { language } })
  } catch (error) {
    console.info('The language of emails was not saved', error)
  }
}
