import { ApiError, mayBeDone } from '#shared/contract/client.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'

/** The message of an error for users: the server's if it has one, otherwise the caller's fallback. */
export function errorText(error: unknown, fallback: string): string {
  // Without a code it is not the server that answers, but a proxy.
  if (mayBeDone(error) && !(error instanceof ApiError && error.code !== undefined))
    return t('No answer from the server. It may have been done. Please check before you try again.')
  if (error instanceof ApiError) return error.serverMessage === undefined ? fallback : translateServerText(error.serverMessage)
  if (error instanceof TypeError) return t('No connection to the server. Nothing was changed. Please try again.')
  return fallback
}
