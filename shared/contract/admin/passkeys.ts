import { z } from 'zod'
import { endpoint, everyRole } from '../endpoint.ts'
import { creationOptions, newPasskey, passkey, passkeyAnswer, passkeyName, requestOptions } from '../passkeys.ts'
import { rowId } from '../rowId.ts'
import { adminProof, refusedAnswers, refusedProofs } from './proof.ts'

const done = z.object({ message: z.string() })

export const listAdminPasskeys = endpoint({
  method: 'GET',
  path: '/api/admin/passkeys',
  access: 'admin',
  roles: everyRole,
  limit: 'none',
  response: z.object({
    passkeys: z.array(passkey),
    /** What the login asks for after the password; any one of them. */
    factors: z.array(z.enum(['code', 'passkey'])),
    /** A code confirms only with the password, because the authenticator is newer than the session. */
    needsPassword: z.boolean().optional(),
  }),
})

/** Begins to confirm a change with a passkey of the administrator. */
export const beginAdminProof = endpoint({
  method: 'POST',
  path: '/api/admin/passkeys/challenge',
  access: 'admin',
  roles: everyRole,
  limit: 'otp',
  response: requestOptions,
  errors: ['passkey_unknown'],
})

export const beginAdminPasskey = endpoint({
  method: 'POST',
  path: '/api/admin/passkeys/options',
  access: 'admin',
  roles: everyRole,
  limit: 'otp',
  body: adminProof,
  response: creationOptions,
  errors: ['passkeys_too_many', ...refusedProofs],
})

/** Adds the passkey within five minutes. Without a name it is called after the browser. */
export const addAdminPasskey = endpoint({
  method: 'POST',
  path: '/api/admin/passkeys',
  access: 'admin',
  roles: everyRole,
  limit: 'otp',
  body: z.object({ name: passkeyName, passkey: newPasskey }),
  response: passkey,
  errors: ['passkey_expired', 'passkey_invalid', 'passkey_taken', 'passkeys_too_many'],
})

/** Refused for one of the last two while codes are switched off. */
export const removeAdminPasskey = endpoint({
  method: 'POST',
  path: '/api/admin/passkeys/:id/remove',
  access: 'admin',
  roles: everyRole,
  limit: 'otp',
  params: z.object({ id: rowId }),
  body: adminProof,
  response: done,
  errors: ['not_found', 'passkeys_too_few', ...refusedProofs],
})

/** Names the passkeys of the administrator who has just shown the password. */
export const beginAdminPasskeyLogin = endpoint({
  method: 'POST',
  path: '/api/admin/login/passkey/options',
  access: 'public',
  limit: 'admin_login_ip',
  response: requestOptions,
  errors: ['login_expired', 'passkey_unknown', 'ip_not_allowed', 'rate_limited'],
})

/** Completes the login instead of a code. */
export const loginAdminByPasskey = endpoint({
  method: 'POST',
  path: '/api/admin/login/passkey',
  access: 'public',
  limit: 'admin_login_ip',
  body: z.object({ passkey: passkeyAnswer }),
  response: done,
  errors: ['login_expired', 'ip_not_allowed', 'rate_limited', ...refusedAnswers],
})
