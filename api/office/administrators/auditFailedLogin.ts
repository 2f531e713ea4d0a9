import type { EntityManager } from '@mikro-orm/postgresql'
import type { ErrorCode } from '#shared/errors.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { DomainError } from '#api/platform/errors.ts'

/** Refusals that indicate guessing. Others, such as a busy server, are not failed logins. */
const failures: readonly ErrorCode[] = [
  'invalid_credentials',
  'otp_invalid',
  'otp_locked',
  'passkey_expired',
  'passkey_invalid',
  'passkey_unknown',
  'passkey_disabled',
  'rate_limited',
  'ip_not_allowed',
]

export interface FailedLogin {
  /** The user name as entered; undefined if it was not read. */
  username?: string
  clientAddress: string
  error: unknown
}

/** Records a rejected administrator login, in a transaction that commits. */
export function auditFailedLogin(em: EntityManager, { username, clientAddress, error }: FailedLogin): void {
  if (!(error instanceof DomainError) || !failures.includes(error.code)) return
  recordAudit(em, {
    actor: 'visitor',
    action: 'admin.login_failed',
    ...(username !== undefined && { target: username }),
    ipAddress: clientAddress,
    after: { reason: error.code },
  })
}
