import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/access.ts'
import { disableAdministratorOtp } from '../administrators/disableAdministratorOtp.ts'
import { enableAdministratorOtp } from '../administrators/enableAdministratorOtp.ts'
import { recordAudit } from '../audit/recordAudit.ts'
import { refuseAfterCommit } from '../db/refuseAfterCommit.ts'
import { route } from '../http/route.ts'
import { siteHost } from '../http/siteHost.ts'
import { beginOtpSetup } from '../otp/beginOtpSetup.ts'
import { isOtpEnabled } from '../otp/isOtpEnabled.ts'
import type { Services } from '../services.ts'

export function otpRoutes(router: Router, { clock, config, limits }: Services): void {
  const encryptionKey = config.ENCRYPTION_KEY

  route(
    router,
    contract.adminOtpStatus,
    async ({ em, actor }) => ({ otpEnabled: await isOtpEnabled(em, { realm: 'admin', id: actor.id }) }),
    { transaction: false },
  )

  route(router, contract.adminSetupOtp, async ({ em, actor, session, clientAddress, header }) => {
    await limits.count('otp', actor.id)
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
      await limits.count('otp', actor.id)
      const caller = { administrator: actor, sessionKey: session.key(), encryptionKey, clientAddress, now: clock.now() }
      await refuseAfterCommit(em, (em) => enableAdministratorOtp(em, { ...body, ...caller }))
      return { message: 'The authenticator is enabled.' }
    },
    { transaction: false },
  )

  route(
    router,
    contract.adminDisableOtp,
    async ({ em, actor, body, clientAddress }) => {
      await limits.count('otp', actor.id)
      const caller = { administrator: actor, encryptionKey, clientAddress, now: clock.now() }
      await refuseAfterCommit(em, (em) => disableAdministratorOtp(em, { ...body, ...caller }))
      return { message: 'The authenticator is disabled.' }
    },
    { transaction: false },
  )
}
