import type Router from '@koa/router'
import type { EntityManager } from '@mikro-orm/postgresql'
import * as contract from '#shared/contract/otp.ts'
import { refuseAfterCommit } from '#api/platform/db/refuseAfterCommit.ts'
import { ownerOf } from '#api/platform/http/ownerOf.ts'
import type { RequestSession } from '#api/platform/http/RequestSession.ts'
import { route } from '#api/platform/http/route.ts'
import type { Actor } from '#api/platform/http/sessionStore.ts'
import { siteHost } from '#api/platform/http/siteHost.ts'
import { countedAs, findKnownDevice, type KnownDevice } from '../devices/knownDevices.ts'
import type { Services } from '#api/platform/services.ts'
import { beginOtpSetup } from './beginOtpSetup.ts'
import { disableOtp } from './disableOtp.ts'
import { enableOtp } from './enableOtp.ts'
import { readOtpStatus } from './readOtpStatus.ts'
import { renewRecoveryCodes } from './renewRecoveryCodes.ts'
import { verifyOtp } from './verifyOtp.ts'

export function otpRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>): void {
  const { clock, config, limits } = services

  /** Counts a call, and answers the known browser that makes it. */
  async function countCaller(em: EntityManager, { id, name }: Actor, session: RequestSession): Promise<KnownDevice | undefined> {
    const device = await findKnownDevice(em, { realm: 'user', name, browserToken: session.heldBrowserToken() })
    await limits.count('otp', countedAs(device?.hasShownCode ? device : undefined, id))
    return device
  }

  route(router, contract.otpStatus, ({ em, actor }) => readOtpStatus(em, actor.id), { transaction: false })

  route(router, contract.setupOtp, async ({ em, actor, session, header }) => {
    await countCaller(em, actor, session)
    const site = new URL(`http://${siteHost(config, header('host'))}`).hostname
    return beginOtpSetup(em, {
      account: { realm: 'user', id: actor.id, name: actor.name },
      sessionKey: session.key(),
      encryptionKey: config.ENCRYPTION_KEY,
      issuer: `${config.BRAND_NAME} (${site})`,
      now: clock.now(),
    })
  })

  route(
    router,
    contract.enableOtp,
    async ({ em, actor, session, body, clientAddress }) => {
      const device = await countCaller(em, actor, session)
      const user = ownerOf(actor)
      const { recoveryCodes } = await refuseAfterCommit(em, (em) =>
        enableOtp(em, services, { ...body, user, device, sessionKey: session.key(), clientAddress, now: clock.now() }),
      )
      await session.renewId()
      return { message: 'The authenticator is enabled.', recoveryCodes }
    },
    { transaction: false },
  )

  route(
    router,
    contract.disableOtp,
    async ({ em, actor, session, body, clientAddress }) => {
      const device = await countCaller(em, actor, session)
      const user = ownerOf(actor)
      await refuseAfterCommit(em, (em) => disableOtp(em, services, { ...body, user, device, clientAddress, now: clock.now() }))
      return { message: 'The authenticator is disabled.' }
    },
    { transaction: false },
  )

  route(
    router,
    contract.verifyOtp,
    async ({ em, actor, session, body, clientAddress }) => {
      const device = await countCaller(em, actor, session)
      const user = ownerOf(actor)
      await refuseAfterCommit(em, (em) =>
        verifyOtp(em, services, { ...body, user, device, sessionKey: session.key(), clientAddress, now: clock.now() }),
      )
      // What the code allows is not for whoever has a copy of the cookie from before.
      await session.renewId()
      return { message: 'The code is right.' }
    },
    { transaction: false },
  )

  route(router, contract.renewRecoveryCodes, async ({ em, actor, session, clientAddress }) => {
    await countCaller(em, actor, session)
    const user = ownerOf(actor)
    return {
      codes: await renewRecoveryCodes(em, services, { user, sessionKey: session.key(), clientAddress, now: clock.now() }),
    }
  })
}
