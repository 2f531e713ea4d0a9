import { updateNotifications } from '#shared/contract/notifications.ts'
import type { Language } from '#shared/languages.ts'
import { api } from '#pwa/lib/api.ts'

/** Has the mails of whoever is logged in written in this language. The page is shown in it all the same if nobody hears of that. */
export async function tellLanguage(language: Language): Promise<void> {
  try {
    await api(updateNotifications, { body: { language } })
  } catch (error) {
    console.info('The language could not be told', error)
  }
}
