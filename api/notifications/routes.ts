import type Router from '@koa/router'
import * as contract from '#shared/contract/notifications.ts'
import { User } from '../entities/User.ts'
import { route } from '../http/route.ts'

export function notificationRoutes(router: Router): void {
  route(
    router,
    contract.getNotifications,
    async ({ em, actor }) => ({ rewardDigest: (await em.findOneOrFail(User, actor.id)).wantsRewardDigest }),
    { transaction: false },
  )

  route(router, contract.updateNotifications, async ({ em, actor, body: { rewardDigest } }) => {
    const user = await em.findOneOrFail(User, actor.id)
    user.wantsRewardDigest = rewardDigest
    return { rewardDigest }
  })
}
