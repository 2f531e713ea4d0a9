import { refusal } from '#api/platform/errors.ts'

/** The largest number of passkeys of one account: a person has a few devices and keys. */
export const MAX_PASSKEYS = 10

export const passkeyExpired = () =>
  refusal(409, 'passkey_expired', 'This took too long or was used before. Nothing was changed. Please try again.')

export const passkeyInvalid = () =>
  refusal(400, 'passkey_invalid', 'This passkey could not be verified. Please try again, or use another one.')

export const passkeyUnknown = () =>
  refusal(400, 'passkey_unknown', 'This passkey does not belong to an account here. It may have been removed.')

export const passkeyDisabled = () =>
  refusal(
    403,
    'passkey_disabled',
    'This passkey was disabled, because a copy of it was used. Please log in another way and remove it.',
  )

export const passkeyTaken = () => refusal(409, 'passkey_taken', 'This passkey was added before.')

export const tooManyPasskeys = () =>
  refusal(409, 'passkeys_too_many', `An account has at most ${MAX_PASSKEYS} passkeys. Please remove one first.`)

export const noSuchPasskey = () => refusal(404, 'not_found', 'There is no such passkey. It may have been removed already.')
