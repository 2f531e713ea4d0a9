import type { EntityManager } from '@mikro-orm/postgresql'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { codeRefusal, consumeCode } from '#api/accounts/otp/consumeCode.ts'
import { decryptSecret } from '#api/accounts/otp/encryptSecret.ts'
import { checkPasskey } from '#api/accounts/passkeys/checkPasskey.ts'
import type { KnownDevice } from '#api/accounts/devices/knownDevices.ts'
import { query } from '#api/entities/tables.ts'
import { DomainError, refusal } from '#api/platform/errors.ts'
import type { Services } from '#api/platform/services.ts'
import type { PasskeyAnswer } from '#shared/contract/passkeys.ts'
import { isCodeNewerThanSession, readSecondFactors, type SecondFactors } from './readSecondFactors.ts'

export interface Proof {
  administrator: { id: string; name: string }
  token?: string | undefined
  passkey?: PasskeyAnswer | undefined
  /** The caller has verified it; it counts where the login asks for nothing else, and is needed with a code of a new authenticator. */
  hasShownPassword: boolean
  sessionKey: string
  /** The administrator's known browser, if the request comes from one. */
  device: KnownDevice | undefined
  clientAddress: string
  /** Real time. */
  now: Date
}

/**
 * Verifies that an administrator confirms what gives access with what the login asks for. A session alone, possibly stolen, is
 * not enough. It returns a refusal instead of throwing it, so that a wrong code counts.
 */
export async function checkProof(
  em: EntityManager,
  services: Pick<Services, 'config' | 'jobs'>,
  { administrator: { id, name }, token, passkey, hasShownPassword, sessionKey, device, clientAddress, now }: Proof,
): Promise<DomainError | undefined> {
  const { factors, usablePasskeys } = await readSecondFactors(em, id)
  const refused = await check()
  if (refused) recordAudit(em, { actor: `admin:${name}`, action: 'admin.proof_refused', target: name, ipAddress: clientAddress })
  return refused

  async function check(): Promise<DomainError | undefined> {
    if (passkey && usablePasskeys > 0) {
      const scope = { realm: 'admin', accountId: id, purpose: 'confirm', sessionKey, now } as const
      const checked = await checkPasskey(em, services, { ...scope, answer: passkey, clientAddress })
      return checked instanceof DomainError ? checked : undefined
    }
    const account = await query(em).selectFrom('administrators').select('otpSecret').where('id', '=', id).executeTakeFirst()
    const storedSecret = account?.otpSecret
    if (token !== undefined && storedSecret) {
      const secret = decryptSecret(storedSecret, { encryptionKey: services.config.ENCRYPTION_KEY, owner: id })
      const code = await consumeCode(em, { account: { realm: 'admin', id }, device, secret, storedSecret, token, now })
      if (code.outcome !== 'spent') return codeRefusal(code, { wrong: 'Invalid verification code. Please try again.', now })
      return !hasShownPassword && (await isCodeNewerThanSession(em, { administratorId: id, sessionKey }))
        ? refusal(400, 'proof_required', 'Your authenticator is newer than your login. Please enter your password as well.')
        : undefined
    }
    if (hasShownPassword && factors.length === 0) return undefined
    return proofRequired(factors)
  }
}

export const proofRequired = (factors: SecondFactors['factors']) => refusal(400, 'proof_required', confirmWith(factors))

function confirmWith(factors: SecondFactors['factors']): string {
  if (factors.includes('code')) return 'Please confirm this with a code of your authenticator or with a passkey.'
  return factors.length > 0 ? 'Please confirm this with one of your passkeys.' : 'Please confirm this with your password.'
}
