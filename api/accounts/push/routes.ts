import type Router from '@koa/router'
import * as contract from '#shared/contract/push.ts'
import { refusal } from '#api/platform/errors.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { deletePushSubscription, savePushSubscription } from './savePushSubscription.ts'

export function pushRoutes(router: Router, { config: { push } }: Pick<Services, 'config'>): void {
  route(router, contract.savePushSubscription, ({ em, actor, session, body }) => {
    if (!push) throw refusal(404, 'not_found', 'There are no notifications here.')
    return savePushSubscription(em, push, { ...body, userId: actor.id, sessionKey: session.key() })
  })

  route(router, contract.deletePushSubscription, async ({ em, session }) => {
    await deletePushSubscription(em, session.key())
    return { message: 'Notifications are off on this device.' }
  })
}
