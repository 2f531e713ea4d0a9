import { z } from 'zod'
import { codeOrRecoveryCode } from '../oneTimeCode.ts'
import { instant } from '../wire/instant.ts'
import { endpoint } from './endpoint.ts'

/** A frozen account can neither withdraw nor change its password, authenticator or wallet. */
export const frozenState = z.object({
  /** When it is thawed, in real time; null while no thaw was started. */
  thawsAt: instant.nullable(),
})

const frozen = z.object({
  message: z.string(),
  /** The withdrawals whose transaction is signed already: they are paid. */
  withdrawalsOnTheirWay: z.int(),
})

const password = z.string().min(1, 'Please enter password').max(256, 'Please enter password')

/** Freezes the account that a mail's link belongs to and ends its sessions. Needs no session. */
export const freezeByLink = endpoint({
  method: 'POST',
  path: '/api/freeze',
  access: 'public',
  limit: 'freeze_ip',
  body: z.object({ token: z.string().min(1).max(200) }),
  response: frozen,
  errors: ['freeze_link_unknown', 'freeze_link_expired', 'freeze_link_used', 'rate_limited'],
})

/** Whether a link still works. It changes nothing, and tells only whom a press would tell. */
export const readFreezeLink = endpoint({
  method: 'POST',
  path: '/api/freeze/link',
  access: 'public',
  limit: 'freeze_link_ip',
  body: freezeByLink.body,
  /** What a press has done; null while the link works. */
  response: z.object({ frozen: frozen.nullable() }),
  errors: ['freeze_link_unknown', 'freeze_link_expired', 'freeze_link_used', 'rate_limited'],
})

/** Freezes the own account, or cancels its planned thaw, and ends all its sessions. */
export const freezeAccount = endpoint({
  method: 'POST',
  path: '/api/auth/account/freeze',
  access: 'user',
  limit: 'failures',
  body: z.object({ password }),
  response: frozen,
  errors: ['invalid_credentials', 'rate_limited', 'busy'],
})

/** Starts the thaw of the own account. A thaw that is planned already stays as it is. */
export const thawAccount = endpoint({
  method: 'POST',
  path: '/api/auth/account/thaw',
  access: 'user',
  limit: 'otp',
  body: z.object({ password, token: codeOrRecoveryCode }),
  response: z.object({ thawsAt: instant }),
  errors: ['invalid_credentials', 'account_not_frozen', 'otp_not_enabled', 'otp_invalid', 'otp_locked', 'rate_limited', 'busy'],
})
