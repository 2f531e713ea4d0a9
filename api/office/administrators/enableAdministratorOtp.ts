import type { EntityManager } from '@mikro-orm/postgresql'
import type { PasskeyAnswer } from '#shared/contract/passkeys.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { DomainError } from '#api/platform/errors.ts'
import { confirmOtpSetup } from '#api/accounts/otp/confirmOtpSetup.ts'
import type { Services } from '#api/platform/services.ts'
import { checkProof } from './checkProof.ts'
import type { AdministratorOtpRequest } from './disableAdministratorOtp.ts'
import { readSecondFactors } from './readSecondFactors.ts'

interface OtpEnabling extends AdministratorOtpRequest {
  secret: string
  sessionKey: string
  passkey?: PasskeyAnswer | undefined
}

/**
 * Enables the authenticator with a code of the secret shown to this session. Where the login asks for a passkey, one confirms it: otherwise
 * somebody with the password and a stolen session would make a second factor. It returns a refusal instead of throwing it.
 */
export async function enableAdministratorOtp(
  em: EntityManager,
  services: Pick<Services, 'config' | 'jobs'>,
  { administrator: { id, name }, clientAddress, passkey, ...code }: OtpEnabling,
): Promise<DomainError | undefined> {
  const { factors } = await readSecondFactors(em, id)
  if (factors.includes('passkey') && !factors.includes('code')) {
    const { sessionKey, device, now } = code
    const caller = { administrator: { id, name }, sessionKey, device, clientAddress, now }
    const unproven = await checkProof(em, services, { ...caller, passkey, hasShownPassword: false })
    if (unproven) return unproven
  }
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
