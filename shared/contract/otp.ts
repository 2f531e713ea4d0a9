import { z } from 'zod'
import { codeOrRecoveryCode, oneTimeCode } from '../oneTimeCode.ts'
import { instant } from '../wire/instant.ts'
import { endpoint } from './endpoint.ts'

const done = z.object({ message: z.string() })

export const otpStatus = endpoint({
  method: 'GET',
  path: '/api/auth/otp/status',
  access: 'user',
  limit: 'none',
  response: z.object({
    otpEnabled: z.boolean(),
    /** Unused codes; 0 while the authenticator is disabled. */ recoveryCodesLeft: z.int(),
    /** When support removes it as lost; missing unless that is planned. */ resetsAt: instant.optional(),
  }),
})

/** A page that shows a secret already, and is reloaded while its user is in the authenticator app, names it to be shown it again. */
export const otpSetupBody = z.object({ secret: z.string().max(200).optional() })

export const setupOtp = endpoint({
  method: 'POST',
  path: '/api/auth/otp/setup',
  access: 'user',
  limit: 'otp',
  body: otpSetupBody,
  response: z.object({
    /** A data URL for an image's source. */
    qrCode: z.string(),
    manualEntryKey: z.string(),
    secret: z.string(),
  }),
  errors: ['account_frozen', 'otp_already_enabled'],
})

export const enableOtp = endpoint({
  method: 'POST',
  path: '/api/auth/otp/enable',
  access: 'user',
  limit: 'otp',
  body: z.object({ secret: z.string().max(200), token: oneTimeCode }),
  /** The recovery codes are returned only this once. */
  response: done.extend({ recoveryCodes: z.array(z.string()) }),
  errors: ['account_frozen', 'otp_invalid', 'otp_locked', 'otp_setup_expired', 'otp_already_enabled'],
})

export const disableOtp = endpoint({
  method: 'POST',
  path: '/api/auth/otp/disable',
  access: 'user',
  limit: 'otp',
  body: z.object({ token: codeOrRecoveryCode }),
  response: done,
  errors: ['account_frozen', 'otp_invalid', 'otp_locked', 'otp_not_enabled'],
})

/** Sets the step-up mark, which one purchase or one withdrawal uses up. */
export const verifyOtp = endpoint({
  method: 'POST',
  path: '/api/auth/otp/verify',
  access: 'user',
  limit: 'otp',
  body: z.object({ token: codeOrRecoveryCode }),
  response: done,
  errors: ['otp_invalid', 'otp_locked', 'otp_not_enabled'],
})

/** Replaces all earlier recovery codes; they are returned only this once. Uses up a step-up mark. */
export const renewRecoveryCodes = endpoint({
  method: 'POST',
  path: '/api/auth/otp/recovery-codes',
  access: 'user',
  limit: 'otp',
  response: z.object({ codes: z.array(z.string()) }),
  errors: ['account_frozen', 'otp_required', 'otp_not_enabled'],
})
