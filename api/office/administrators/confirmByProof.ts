import type { EntityManager } from '@mikro-orm/postgresql'
import type { z } from 'zod'
import type { adminProof } from '#shared/contract/admin/passkeys.ts'
import { findKnownDevice, type KnownDevice } from '#api/accounts/devices/knownDevices.ts'
import { recognizeByCode } from '#api/accounts/devices/recognizeByCode.ts'
import type { DomainError } from '#api/platform/errors.ts'
import type { RequestSession } from '#api/platform/http/RequestSession.ts'
import type { Actor } from '#api/platform/http/sessionStore.ts'
import type { Services } from '#api/platform/services.ts'
import { auditFailedLogin } from './auditFailedLogin.ts'
import { checkAdministratorPassword } from './checkAdministratorPassword.ts'
import { checkProof } from './checkProof.ts'

interface Confirmed {
  em: EntityManager
  actor: Actor
  session: RequestSession
  body: z.output<typeof adminProof>
  clientAddress: string
}

/** The steps of calls that an administrator confirms with what the login asks for, or with the password where it asks for nothing else. */
export function confirmByProof(services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>) {
  const { clock, limits } = services
  return {
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

    confirm({
      em,
      actor,
      session,
      body: { token, passkey },
      clientAddress,
      device,
      prepared,
    }: Confirmed & { device: KnownDevice | undefined; prepared: boolean }): Promise<DomainError | undefined> {
      const caller = { administrator: actor, sessionKey: session.key(), device, clientAddress, now: clock.now() }
      return checkProof(em, services, { ...caller, token, passkey, hasShownPassword: prepared })
    },
  }
}
