import { ApiError, mayBeDone } from '#shared/contract/client.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'

/** The message of an error for users: the server's if it has one, otherwise the caller's fallback. */
export function errorText(error: unknown, fallback: string): string {
  if (isOutcomeUnknown(error)) return t('No answer from the server. It may have been done. Please check before you try again.')
  if (error instanceof ApiError && error.objections.length > 0)
    return error.objections.map(({ message }) => translateServerText(message)).join(' ')
  if (error instanceof ApiError) return error.serverMessage === undefined ? fallback : translateServerText(error.serverMessage)
  if (error instanceof TypeError) return t('No connection to the server. Nothing was changed. Please try again.')
  return fallback
}

/** The title above this text. The caller's says that nothing was done, which nobody knows after a lost answer. */
export const failureTitle = (error: unknown, title: string): string => (isOutcomeUnknown(error) ? t('Outcome Unknown') : title)

/** No answer came, or one without a code: that is not the server's but a proxy's. */
const isOutcomeUnknown = (error: unknown): boolean => mayBeDone(error) && !(error instanceof ApiError && error.code !== undefined)
