import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { DomainError } from '#api/platform/errors.ts'
import { confirmOtpSetup } from '#api/accounts/otp/confirmOtpSetup.ts'
import type { AdministratorOtpRequest } from './disableAdministratorOtp.ts'

/** Enables the authenticator with a code of the secret shown to this session. It returns a refusal instead of throwing it. */
export async function enableAdministratorOtp(
  em: EntityManager,
  { administrator: { id, name }, clientAddress, ...code }: AdministratorOtpRequest & { secret: string; sessionKey: string },
): Promise<DomainError | undefined> {
  const confirmed = await confirmOtpSetup(em, { account: { realm: 'admin', id }, ...code })
  const refused = confirmed instanceof DomainError
  recordAudit(em, {
    actor: `admin:${name}`,
    action: refused ? 'admin.otp_refused' : 'admin.otp_enable',
    target: name,
    ipAddress: clientAddress,
  })
  return refused ? confirmed : undefined
}
