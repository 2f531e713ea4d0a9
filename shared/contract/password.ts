import { z } from 'zod'
import { email } from '../email.ts'
import { codeOrRecoveryCode } from '../oneTimeCode.ts'
import { newPassword } from '../passwordRules.ts'
import { endpoint } from './endpoint.ts'

const done = z.object({ message: z.string() })

/** Ends all other sessions of the account. */
export const changePassword = endpoint({
  method: 'PATCH',
  path: '/api/auth/change-password',
  access: 'user',
  limit: 'password_change',
  body: z.object({ currentPassword: z.string().min(1, 'Please enter your current password.').max(256), newPassword }),
  response: done,
  errors: ['account_frozen', 'invalid_credentials', 'rate_limited', 'busy'],
})

/** The response does not reveal whether the account exists. */
export const forgotPassword = endpoint({
  method: 'POST',
  path: '/api/auth/password/forgot',
  access: 'public',
  limit: 'codes_sent_ip',
  body: z.object({ email }),
  response: z.object({ message: z.string(), expiresInSeconds: z.int() }),
  errors: ['captcha_required', 'rate_limited'],
})

/** Ends all sessions of the account. `token` is required (`otp_required`) if the authenticator is enabled. */
export const resetPassword = endpoint({
  method: 'POST',
  path: '/api/auth/password/reset',
  access: 'public',
  limit: 'reset_ip',
  body: z.object({
    email,
    code: z.string().length(6, 'Please enter a 6-digit code'),
    token: codeOrRecoveryCode.optional(),
    newPassword,
  }),
  response: done,
  errors: ['account_frozen', 'code_invalid', 'otp_required', 'otp_invalid', 'otp_locked', 'rate_limited', 'busy'],
})
