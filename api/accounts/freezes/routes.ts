import type Router from '@koa/router'
import * as contract from '#shared/contract/freezes.ts'
import { ownerOf } from '#api/platform/http/ownerOf.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { findKnownDevice } from '../devices/knownDevices.ts'
import { recognizeByCode } from '../devices/recognizeByCode.ts'
import { checkOwnPassword } from '../identity/checkOwnPassword.ts'
import { freezeAccount } from './freezeAccount.ts'
import { freezeByLink, readFreezeLink } from './freezeByLink.ts'
import { planThaw } from './thawAccount.ts'

export function freezeRoutes(router: Router, services: Pick<Services, 'clock' | 'config' | 'jobs' | 'limits'>): void {
  const { clock, limits } = services
  const answer = ({ signed }: { signed: readonly unknown[] }) => ({
    message: 'The account is frozen.',
    withdrawalsOnTheirWay: signed.length,
  })

  route(router, contract.freezeByLink, async ({ em, actor, body: { token }, session, clientAddress }) => {
    const frozen = await freezeByLink(em, services, { token, clientAddress, now: clock.now() })
    if (actor?.id === frozen.userId) session.signOut()
    return answer(frozen)
  })

  route(router, contract.readFreezeLink, async ({ em, body: { token } }) => {
    const { signed } = await readFreezeLink(em, { token, now: clock.now() })
    return { frozen: signed ? answer({ signed }) : null }
  })

  route(router, contract.freezeAccount, {
    outlivesSession: true,
    async prepare({ em, actor, body: { password }, session }) {
      const device = await findKnownDevice(em, { realm: 'user', name: actor.name, browserToken: session.heldBrowserToken() })
      await checkOwnPassword(em, limits, { userId: actor.id, password, device })
    },
    async handle({ em, actor, session, clientAddress }) {
      const frozen = await freezeAccount(em, services, { userId: actor.id, clientAddress, now: clock.now() })
      session.signOut()
      return answer(frozen)
    },
  })

  route(router, contract.thawAccount, {
    recognize: recognizeByCode('user'),
    prepare: ({ em, actor, body: { password }, device }) => checkOwnPassword(em, limits, { userId: actor.id, password, device }),
    handle: ({ em, actor, body: { token }, device, clientAddress, prepared: passwordHash }) =>
      planThaw(em, services, { user: ownerOf(actor), passwordHash, token, device, clientAddress, now: clock.now() }),
  })
}
