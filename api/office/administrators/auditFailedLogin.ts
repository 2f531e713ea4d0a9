import type { EntityManager } from '@mikro-orm/postgresql'
import type { ErrorCode } from '#shared/errors.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { DomainError } from '#api/platform/errors.ts'

/** Refusals that a guesser meets. Others, such as a busy server, are nobody's failure. */
const failures: readonly ErrorCode[] = ['invalid_credentials', 'otp_invalid', 'otp_locked', 'rate_limited', 'ip_not_allowed']

export interface FailedLogin {
  /** As it was typed; undefined if nobody looked. */
  username?: string
  clientAddress: string
  error: unknown
}

/** Writes down that somebody tried to log in as an administrator and was refused. In a transaction that commits. */
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
