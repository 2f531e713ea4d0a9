import type Router from '@koa/router'
import * as contract from '#shared/contract/otp.ts'
import { DomainError } from '#api/platform/errors.ts'
import { ownerOf } from '#api/platform/http/ownerOf.ts'
import { route } from '#api/platform/http/route.ts'
import { siteHost } from '#api/platform/http/siteHost.ts'
import { requireNotFrozen } from '../users/frozen.ts'
import { recognizeByCode } from '../devices/recognizeByCode.ts'
import type { Services } from '#api/platform/services.ts'
import { beginOtpSetup } from './beginOtpSetup.ts'
import { disableOtp } from './disableOtp.ts'
import { enableOtp } from './enableOtp.ts'
import { readOtpStatus } from './readOtpStatus.ts'
import { renewRecoveryCodes } from './renewRecoveryCodes.ts'
import { verifyOtp } from './verifyOtp.ts'

const recognize = recognizeByCode('user')

export function otpRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs'>): void {
  const { clock, config } = services

  route(router, contract.otpStatus, ({ em, actor }) => readOtpStatus(em, actor.id))

  route(router, contract.setupOtp, {
    recognize,
    async handle({ em, actor, session, body, header }) {
      await requireNotFrozen(em, clock, actor.id)
      const site = new URL(`http://${siteHost(config, header('host'))}`).hostname
      return beginOtpSetup(em, {
        account: { realm: 'user', id: actor.id, name: actor.name },
        sessionKey: session.key(),
        shown: body.secret,
        encryptionKey: config.ENCRYPTION_KEY,
        issuer: `${config.BRAND_NAME} (${site})`,
        now: clock.now(),
      })
    },
  })

  route(router, contract.enableOtp, {
    recognize,
    async handle({ em, actor, device, session, body, clientAddress, afterCommit }) {
      const shown = { ...body, user: ownerOf(actor), device, sessionKey: session.key(), clientAddress, now: clock.now() }
      const enabled = await enableOtp(em, services, shown)
      if (enabled instanceof DomainError) return enabled
      afterCommit(() => session.renewId())
      return { message: 'The authenticator is enabled.', recoveryCodes: enabled.recoveryCodes }
    },
  })

  route(router, contract.disableOtp, {
    recognize,
    async handle({ em, actor, device, body, clientAddress }) {
      const refused = await disableOtp(em, services, { ...body, user: ownerOf(actor), device, clientAddress, now: clock.now() })
      return refused ?? { message: 'The authenticator is disabled.' }
    },
  })

  route(router, contract.verifyOtp, {
    recognize,
    async handle({ em, actor, device, session, body, clientAddress, afterCommit }) {
      const shown = { ...body, user: ownerOf(actor), device, sessionKey: session.key(), clientAddress, now: clock.now() }
      const refused = await verifyOtp(em, services, shown)
      if (refused) return refused
      // The session gets a new ID, so that an earlier copy of the cookie does not gain the code's permission.
      afterCommit(() => session.renewId())
      return { message: 'The code is right.' }
    },
  })

  route(router, contract.renewRecoveryCodes, {
    recognize,
    async handle({ em, actor, session, clientAddress }) {
      const renewal = { user: ownerOf(actor), sessionKey: session.key(), clientAddress, now: clock.now() }
      return { codes: await renewRecoveryCodes(em, services, renewal) }
    },
  })
}
