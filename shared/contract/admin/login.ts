import { z } from 'zod'
import { adminRoles } from '../../adminRoles.ts'
import { instant } from '../../wire/instant.ts'
import { oneTimeCode } from '../../oneTimeCode.ts'
import { endpoint, everyRole } from '../endpoint.ts'
import { otpSetupBody } from '../otp.ts'
import { adminProof, decisionBody, refusedAnswers, refusedProofs } from './proof.ts'

const done = z.object({ message: z.string() })

export const adminUser = z.object({ username: z.string(), adminId: z.uuid(), role: z.enum(adminRoles) })
export type AdminUser = z.output<typeof adminUser>

export const getAdminUser = endpoint({
  method: 'GET',
  path: '/api/admin/auth/user',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  response: adminUser,
})

/** Open to every allowed IP address; a visitor gets `isLoggedIn: false`. */
export const adminLoginStatus = endpoint({
  method: 'GET',
  path: '/api/admin/login-status',
  access: 'public',
  limit: 'none',
  response: z.object({
    isLoggedIn: z.boolean(),
    loginTime: instant.nullable(),
    username: z.string().nullable(),
    role: z.enum(adminRoles).nullable(),
  }),
})

export const adminCredentialsPayload = z.object({
  username: z.string().trim().min(1).max(100),
  password: z.string().min(1).max(256),
})

/**
 * With `requiresOtp` the login is incomplete: it has no permissions for up to 5 minutes and 5 attempts, until one of the factors is
 * verified.
 */
export const adminLogin = endpoint({
  method: 'POST',
  path: '/api/admin/login',
  access: 'public',
  limit: 'admin_login_ip',
  body: adminCredentialsPayload,
  response: z.object({ requiresOtp: z.boolean(), factors: z.array(z.enum(['code', 'passkey'])), message: z.string() }),
  errors: ['invalid_credentials', 'ip_not_allowed', 'rate_limited', 'busy'],
})

export const adminVerifyOtp = endpoint({
  method: 'POST',
  path: '/api/admin/login/verify-otp',
  access: 'public',
  limit: 'admin_login_ip',
  body: z.object({ token: oneTimeCode }),
  response: done,
  errors: ['otp_invalid', 'otp_locked', 'otp_not_enabled', 'login_expired', 'ip_not_allowed', 'rate_limited'],
})

export const adminLogout = endpoint({
  method: 'POST',
  path: '/api/admin/logout',
  access: 'public',
  limit: 'none',
  response: done,
})

export const adminOtpStatus = endpoint({
  method: 'GET',
  path: '/api/admin/otp/status',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  response: z.object({ otpEnabled: z.boolean() }),
})

export const adminSetupOtp = endpoint({
  method: 'POST',
  path: '/api/admin/otp/setup',
  access: 'admin',
  roles: everyRole,
  limit: 'otp',
  body: otpSetupBody,
  response: z.object({ secret: z.string(), qrCode: z.string(), manualEntryKey: z.string() }),
  errors: ['otp_already_enabled'],
})

/** Where the login asks for a passkey, one confirms it. */
export const adminEnableOtp = endpoint({
  method: 'POST',
  path: '/api/admin/otp/enable',
  access: 'admin',
  roles: everyRole,
  limit: 'otp',
  body: adminProof.pick({ passkey: true }).extend({ secret: z.string().max(200), token: oneTimeCode }),
  response: done,
  errors: ['otp_invalid', 'otp_locked', 'otp_setup_expired', 'otp_already_enabled', 'proof_required', ...refusedAnswers],
})

/** With passkeys this switches codes off, which needs two of them. */
export const adminDisableOtp = endpoint({
  method: 'POST',
  path: '/api/admin/otp/disable',
  access: 'admin',
  roles: everyRole,
  limit: 'otp',
  body: z.object({ token: oneTimeCode }),
  response: done,
  errors: ['otp_invalid', 'otp_locked', 'otp_not_enabled', 'passkeys_too_few'],
})

export const ipAccess = z.object({
  isRestricted: z.boolean(),
  currentIP: z.string(),
  allowedIPs: z.array(z.string()),
  /** The addresses given at setup, for reference. */
  initialIPs: z.array(z.string()),
  maxIPs: z.int(),
})
export type IpAccess = z.output<typeof ipAccess>

const shownIps = z.array(z.string().max(100)).max(50).optional()

export const getIpAccess = endpoint({
  method: 'GET',
  path: '/api/admin/settings/ip-access',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  response: ipAccess,
})

/** An address that is added to a list needs another administrator's approval. `replaces` is as for a setting; empty without a restriction. */
export const setIpAccess = endpoint({
  method: 'POST',
  path: '/api/admin/settings/ip-access',
  access: 'admin',
  roles: [],
  approvers: [],
  limit: 'none',
  body: decisionBody.extend({
    allowedIPs: z.array(z.string().max(100)).min(1, 'Please enter at least one allowed IP address.').max(50),
    replaces: shownIps,
  }),
  response: ipAccess.extend({ message: z.string() }),
  errors: ['value_changed', ...refusedProofs],
})

export const clearIpAccess = endpoint({
  method: 'DELETE',
  path: '/api/admin/settings/ip-access',
  access: 'admin',
  roles: [],
  approvers: [],
  limit: 'none',
  body: decisionBody.extend({ replaces: shownIps }),
  response: ipAccess.extend({ message: z.string() }),
  errors: ['value_changed', ...refusedProofs],
})

export const getAdminCredentials = endpoint({
  method: 'GET',
  path: '/api/admin/settings/credentials',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  response: z.object({ username: z.string() }),
})

/** A new password needs at least one character, as the specification says. Ends all other administrator sessions. */
export const changeAdminCredentials = endpoint({
  method: 'PATCH',
  path: '/api/admin/settings/credentials',
  access: 'admin',
  roles: everyRole,
  limit: 'password_change',
  body: z
    .object({
      currentPassword: z.string().min(1, 'Please enter the current password.').max(256),
      newUsername: z.string().trim().min(1).max(100).optional(),
      newPassword: z.string().min(1).max(256).optional(),
    })
    .refine(({ newUsername, newPassword }) => newUsername !== undefined || newPassword !== undefined, {
      message: 'Please enter a new username or a new password.',
    }),
  response: z.object({ message: z.string(), username: z.string() }),
  errors: ['invalid_credentials', 'rate_limited', 'busy'],
})
