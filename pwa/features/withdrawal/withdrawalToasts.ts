import { ApiError, isUnauthorized } from '#shared/contract/client.ts'
import { withdrawalTexts } from '#shared/withdrawalRules.ts'
import { t, translateServerText } from '#pwa/i18n/t.ts'
import { errorText } from '#pwa/lib/errorText.ts'
import { redirectIfUnauthorized } from '#pwa/lib/unauthorized.ts'
import { toast } from '#pwa/ui/toast.ts'
import { isAlreadyPending, isRejection } from '#pwa/wallet/walletErrors.ts'

export const showRefusal = (title: string, description: string): void => void toast({ title, description, destructive: true })

export const showOtpNotEnabled = (): void =>
  showRefusal(t('OTP Authentication Required'), translateServerText(withdrawalTexts.otpNotEnabled))

export function showFailure(error: unknown): void {
  redirectIfUnauthorized(error)
  if (isUnauthorized(error)) return
  showRefusal(t('Withdrawal Failed'), errorText(error, t('Nothing was withdrawn. Please try again.')))
}

/** The outcome is unknown: the same withdrawal can be sent again. */
export function showUnanswered(error: unknown): void {
  if (error instanceof ApiError && error.serverMessage !== undefined)
    return showRefusal(t('Outcome Unknown'), translateServerText(error.serverMessage))
  showRefusal(t('Outcome Unknown'), t('The server did not respond. Send it again. It will be processed only once.'))
}

export function showSignatureFailure(error: unknown): void {
  if (isRejection(error)) return showRefusal(t('Signature Cancelled'), t('Nothing was withdrawn. Sign when you are ready.'))
  if (isAlreadyPending(error))
    return showRefusal(t('Signature Failed'), t('Your wallet already has an open request. Respond to it first.'))
  console.info('The wallet did not sign', error)
  showRefusal(t('Signature Failed'), t('Your wallet did not sign. Nothing was withdrawn. Please try again.'))
}
