import { ApiError } from '#shared/contract/client.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'

/** What to tell a person about an error: the server's words if it had any, otherwise the fallback of the place it happened in. */
export function errorText(error: unknown, fallback: string): string {
  if (error instanceof ApiError) return error.serverMessage === undefined ? fallback : translateServerText(error.serverMessage)
  if (error instanceof TypeError) return t('No connection to the server. Nothing was changed: please try again.')
  return fallback
}
