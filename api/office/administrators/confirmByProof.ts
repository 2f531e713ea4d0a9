import type { EntityManager } from '@mikro-orm/postgresql'
import type { z } from 'zod'
import type { adminProof } from '#shared/contract/admin/proof.ts'
import { findKnownDevice, type KnownDevice } from '#api/accounts/devices/knownDevices.ts'
import { recognizeByCode } from '#api/accounts/devices/recognizeByCode.ts'
import type { DomainError } from '#api/platform/errors.ts'
import type { RequestSession } from '#api/platform/http/RequestSession.ts'
import type { Actor } from '#api/platform/http/sessionStore.ts'
import type { Services } from '#api/platform/services.ts'
import { auditFailedLogin } from './auditFailedLogin.ts'
import { checkAdministratorPassword } from './checkAdministratorPassword.ts'
import { checkProof, proofRequired } from './checkProof.ts'
import { readSecondFactors } from './readSecondFactors.ts'

interface Confirmed {
  em: EntityManager
  actor: Actor
  session: RequestSession
  body: z.output<typeof adminProof>
  clientAddress: string
}

type Recognized = Confirmed & { device: KnownDevice | undefined; prepared: boolean }

/** The steps of calls that an administrator confirms with what the login asks for, or with the password where it asks for nothing else. */
export function confirmByProof(services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>) {
  const { clock, limits } = services
  const confirm = ({
    em,
    actor,
    session,
    body: { token, passkey },
    clientAddress,
    device,
    prepared,
  }: Recognized): Promise<DomainError | undefined> => {
    const caller = { administrator: actor, sessionKey: session.key(), device, clientAddress, now: clock.now() }
    return checkProof(em, services, { ...caller, token, passkey, hasShownPassword: prepared })
  }
  return {
    confirm,

    /**
     * The same for an administrator with a second factor; nothing for others. A call without any proof is how a page finds out whether it
     * needs one, and counts as no attempt.
     */
    async confirmByFactor(request: Recognized): Promise<DomainError | undefined> {
      const { factors } = await readSecondFactors(request.em, request.actor.id)
      if (factors.length === 0) return undefined
      const { token, passkey, password } = request.body
      return (token ?? passkey ?? password) === undefined ? proofRequired(factors) : confirm(request)
    },

    recognize: recognizeByCode('admin'),

    /** Checks a password before the transaction, because that is slow. @throws 400 `invalid_credentials`. */
    async prepare({ em, actor, session, body: { password }, clientAddress }: Confirmed): Promise<boolean> {
      if (password === undefined) return false
      const device = await findKnownDevice(em, { realm: 'admin', name: actor.name, browserToken: session.heldBrowserToken() })
      await checkAdministratorPassword(
        em,
        limits,
        { username: actor.name, password, device },
        'The password is incorrect.',
      ).catch(async (error: unknown) => {
        await em.transactional(async (em) => auditFailedLogin(em, { username: actor.name, clientAddress, error }))
        throw error
      })
      return true
    },
  }
}
