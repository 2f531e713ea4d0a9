import type { CreationOptions, NewPasskey, PasskeyAnswer, RequestOptions } from '#shared/contract/passkeys.ts'
import { ApiError } from '#shared/contract/client.ts'
import { t } from '#pwa/i18n/t.ts'
import { isWalletBrowser } from '#pwa/wallet/isWalletBrowser.ts'
import { errorText } from './errorText.ts'
import { useIsHydrated } from './useIsHydrated.ts'

/** Loaded on the press: few visits need it. */
const webAuthn = () => import('@simplewebauthn/browser')

/** Whether this browser may offer passkeys. Wallets' browsers claim to and fail; an IP address is no site to bind one to. */
const canUsePasskeys = (): boolean =>
  'PublicKeyCredential' in window &&
  window.isSecureContext &&
  !/^[\d.]+$|^\[/.test(window.location.hostname) &&
  !isWalletBrowser()

/** False until the page is hydrated, because the server cannot know. */
export const useCanUsePasskeys = (): boolean => useIsHydrated() && canUsePasskeys()

/** Whether this device verifies its user itself, by finger, face or PIN. Others use a security key or another phone. */
export const hasPlatformAuthenticator = async (): Promise<boolean> =>
  (await webAuthn()).platformAuthenticatorIsAvailable().catch(() => false)

/** Asks the browser for a new passkey. Only a press may call it. */
export const createPasskey = async (options: CreationOptions): Promise<NewPasskey> =>
  (await webAuthn()).startRegistration({ optionsJSON: options })

/** Asks the browser to sign with a passkey. Only a press may call it. */
export const signWithPasskey = async (options: RequestOptions): Promise<PasskeyAnswer> =>
  (await webAuthn()).startAuthentication({ optionsJSON: options })

/** Why a passkey was not used, for its user. */
export function passkeyErrorText(error: unknown): string {
  if (error instanceof ApiError || error instanceof TypeError) return errorText(error, t('Please try again.'))
  const { name } = error as Error
  // Browsers do not tell why, so that a site cannot find out which passkeys there are.
  if (name === 'NotAllowedError' || name === 'AbortError')
    return t('It was cancelled, took too long, or this device could not verify you. Nothing was changed.')
  if (name === 'InvalidStateError') return t('This device or security key has a passkey for this account already.')
  if (name === 'ConstraintError' || name === 'NotSupportedError')
    return t('This device cannot verify you by PIN, fingerprint or face. Use a security key with a PIN, or another device.')
  return t('The passkey could not be used. Please try again.')
}
