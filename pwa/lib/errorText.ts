import { ApiError, mayBeDone } from '#shared/contract/client.ts'
import { type Message, msg, t, translate, translateServerText } from '#pwa/i18n/t.ts'

const checkFirst = msg('No answer from the server. It may have been done. Please check before you try again.')

/** For calls that change nothing further when repeated. */
export const mayRepeat = msg('No answer from the server. It may have been done. It is safe to try again.')

/** For pages that fetch again after a lost answer. */
export const isShownHere = msg(
  'No answer from the server. It may have been done. This page shows it as soon as the server answers.',
)

/**
 * The message of an error for users: the server's if it has one, otherwise the caller's fallback. `ifUnknown` says what to do after a
 * lost answer.
 */
export function errorText(error: unknown, fallback: string, ifUnknown: Message = checkFirst): string {
  if (isOutcomeUnknown(error)) return translate(ifUnknown)
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
