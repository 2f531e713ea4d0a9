import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import * as contract from '#shared/contract/admin/access.ts'
import { disableAdministratorOtp } from '../administrators/disableAdministratorOtp.ts'
import { enableAdministratorOtp } from '../administrators/enableAdministratorOtp.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { refuseAfterCommit } from '#api/platform/db/refuseAfterCommit.ts'
import type { RequestSession } from '#api/platform/http/RequestSession.ts'
import { route } from '#api/platform/http/route.ts'
import type { Actor } from '#api/platform/http/sessionStore.ts'
import { siteHost } from '#api/platform/http/siteHost.ts'
import { countedAs, findKnownDevice, type KnownDevice } from '#api/accounts/devices/knownDevices.ts'
import { beginOtpSetup } from '#api/accounts/otp/beginOtpSetup.ts'
import { isOtpEnabled } from '#api/accounts/otp/isOtpEnabled.ts'
import type { Services } from '#api/platform/services.ts'

export function otpRoutes(router: Router, { clock, config, limits }: Pick<Services, 'clock' | 'config' | 'limits'>): void {
  const encryptionKey = config.ENCRYPTION_KEY

  /** Counts a call, and answers the known browser that makes it. */
  async function countCaller(em: EntityManager, { id, name }: Actor, session: RequestSession): Promise<KnownDevice | undefined> {
    const device = await findKnownDevice(em, { realm: 'admin', name, browserToken: session.heldBrowserToken() })
    await limits.count('otp', countedAs(device?.hasShownCode ? device : undefined, id))
    return device
  }

  route(
    router,
    contract.adminOtpStatus,
    async ({ em, actor }) => ({ otpEnabled: await isOtpEnabled(em, { realm: 'admin', id: actor.id }) }),
    { transaction: false },
  )

  route(router, contract.adminSetupOtp, async ({ em, actor, session, clientAddress, header }) => {
    await countCaller(em, actor, session)
    const site = new URL(`http://${siteHost(config, header('host'))}`).hostname
    const shown = await beginOtpSetup(em, {
      account: { realm: 'admin', ...actor },
      sessionKey: session.key(),
      encryptionKey,
      issuer: `${config.BRAND_NAME} admin (${site})`,
      now: clock.now(),
    })
    recordAudit(em, { actor: `admin:${actor.name}`, action: 'admin.otp_setup', target: actor.name, ipAddress: clientAddress })
    return shown
  })

  route(
    router,
    contract.adminEnableOtp,
    async ({ em, actor, session, body, clientAddress }) => {
      const device = await countCaller(em, actor, session)
      const caller = { administrator: actor, device, sessionKey: session.key(), encryptionKey, clientAddress, now: clock.now() }
      await refuseAfterCommit(em, (em) => enableAdministratorOtp(em, { ...body, ...caller }))
      return { message: 'The authenticator is enabled.' }
    },
    { transaction: false },
  )

  route(
    router,
    contract.adminDisableOtp,
    async ({ em, actor, session, body, clientAddress }) => {
      const device = await countCaller(em, actor, session)
      const caller = { administrator: actor, device, encryptionKey, clientAddress, now: clock.now() }
      await refuseAfterCommit(em, (em) => disableAdministratorOtp(em, { ...body, ...caller }))
      return { message: 'The authenticator is disabled.' }
    },
    { transaction: false },
  )
}
