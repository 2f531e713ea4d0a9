import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/login.ts'
import { disableAdministratorOtp } from '../administrators/disableAdministratorOtp.ts'
import { enableAdministratorOtp } from '../administrators/enableAdministratorOtp.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { route } from '#api/platform/http/route.ts'
import { siteHost } from '#api/platform/http/siteHost.ts'
import { recognizeByCode } from '#api/accounts/devices/recognizeByCode.ts'
import { beginOtpSetup } from '#api/accounts/otp/beginOtpSetup.ts'
import { isOtpEnabled } from '#api/accounts/otp/isOtpEnabled.ts'
import type { Services } from '#api/platform/services.ts'

const recognize = recognizeByCode('admin')

export function otpRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs'>): void {
  const { clock, config } = services
  const encryptionKey = config.ENCRYPTION_KEY

  route(router, contract.adminOtpStatus, async ({ em, actor }) => ({
    otpEnabled: await isOtpEnabled(em, { realm: 'admin', id: actor.id }),
  }))

  route(router, contract.adminSetupOtp, {
    recognize,
    async handle({ em, actor, session, body, clientAddress, header }) {
      const site = new URL(`http://${siteHost(config, header('host'))}`).hostname
      const shown = await beginOtpSetup(em, {
        account: { realm: 'admin', ...actor },
        sessionKey: session.key(),
        shown: body.secret,
        encryptionKey,
        issuer: `${config.BRAND_NAME} admin (${site})`,
        now: clock.now(),
      })
      recordAudit(em, { actor: `admin:${actor.name}`, action: 'admin.otp_setup', target: actor.name, ipAddress: clientAddress })
      return shown
    },
  })

  route(router, contract.adminEnableOtp, {
    recognize,
    async handle({ em, actor, device, session, body, clientAddress }) {
      const caller = { administrator: actor, device, sessionKey: session.key(), clientAddress, now: clock.now() }
      const refused = await enableAdministratorOtp(em, services, { ...body, ...caller, encryptionKey })
      return refused ?? { message: 'The authenticator is enabled.' }
    },
  })

  route(router, contract.adminDisableOtp, {
    recognize,
    async handle({ em, actor, device, body, clientAddress }) {
      const caller = { administrator: actor, device, encryptionKey, clientAddress, now: clock.now() }
      const refused = await disableAdministratorOtp(em, { ...body, ...caller })
      return refused ?? { message: 'The authenticator is disabled.' }
    },
  })
}
