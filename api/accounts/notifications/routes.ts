import type Router from '@koa/router'
import * as contract from '#shared/contract/notifications.ts'
import { User } from '#api/entities/User.ts'
import { route } from '#api/platform/http/route.ts'

export function notificationRoutes(router: Router): void {
  route(router, contract.getNotifications, async ({ em, actor }) => presentNotifications(await em.findOneOrFail(User, actor.id)))

  route(router, contract.updateNotifications, async ({ em, actor, body: { rewardDigest, language } }) => {
    const user = await em.findOneOrFail(User, actor.id)
    if (rewardDigest !== undefined) user.wantsRewardDigest = rewardDigest
    if (language) user.language = language
    return presentNotifications(user)
  })
}

const presentNotifications = ({ wantsRewardDigest, language }: User) => ({ rewardDigest: wantsRewardDigest, language })
