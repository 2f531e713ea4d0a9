import { z } from 'zod'
import { address } from '../wire/address.ts'
import { amount } from '../wire/amount.ts'
import { email } from '../email.ts'
import { signUpPassword } from '../passwordRules.ts'
import { endpoint } from './endpoint.ts'
import { frozenState } from './freezes.ts'
import { signedReceipt } from './register.ts'

export const authUser = z.object({
  id: z.uuid(),
  email: z.string(),
  walletAddress: address.nullable(),
  /** Whether the wallet has proven by a signature that it is the account's. Absent from copies that are older than this field. */
  walletProven: z.boolean().optional(),
  profileImageUrl: z.string().optional(),
  balance: z.object({ availableXcr: amount, totalEarnedXcr: amount }),
  totalNodes: z.int().nonnegative(),
  /** All completed withdrawals, fees included. Absent from copies on devices that are older than this field. */
  withdrawn: z.object({ totalAmount: amount, count: z.int() }).optional(),
  /** Present while the account is frozen. */
  frozen: frozenState.optional(),
})
export type AuthUser = z.output<typeof authUser>

export const getAuthUser = endpoint({ method: 'GET', path: '/api/auth/user', access: 'user', limit: 'none', response: authUser })

export const loginPayload = z.object({
  email,
  password: z.string().min(1, 'Please enter password').max(256, 'Please enter password'),
})

export const login = endpoint({
  method: 'POST',
  path: '/api/login',
  access: 'public',
  limit: 'login_ip',
  body: loginPayload,
  response: z.object({ email: z.string() }),
  errors: ['invalid_credentials', 'captcha_required', 'rate_limited', 'busy'],
})

export const logout = endpoint({
  method: 'POST',
  path: '/api/logout',
  access: 'public',
  limit: 'none',
  response: z.object({ message: z.string() }),
})

export const sendVerificationCode = endpoint({
  method: 'POST',
  path: '/api/auth/email/send-verification-code',
  access: 'public',
  limit: 'codes_sent_ip',
  body: z.object({ email }),
  response: z.object({ message: z.string(), expiresInSeconds: z.int() }),
  errors: ['email_taken', 'code_cooldown', 'captcha_required', 'rate_limited'],
})

export const verifyCode = endpoint({
  method: 'POST',
  path: '/api/auth/email/verify-code',
  access: 'public',
  limit: 'failures',
  body: z.object({ email, code: z.string().length(6, 'Please enter a 6-digit code') }),
  response: z.object({ message: z.string() }),
  errors: ['code_invalid', 'rate_limited'],
})

export const register = endpoint({
  method: 'POST',
  path: '/api/register',
  access: 'public',
  limit: 'register_ip',
  body: z.object({ email, password: signUpPassword }),
  response: z.object({ email: z.string(), receipt: signedReceipt }),
  errors: ['email_not_verified', 'email_taken', 'busy'],
})
