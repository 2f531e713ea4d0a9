import type Router from '@koa/router'
import * as contract from '#shared/contract/inbox.ts'
import { getNotifications } from '#shared/contract/notifications.ts'
import { recordChange } from '#api/platform/events/recordChange.ts'
import { route } from '#api/platform/http/route.ts'
import type { Services } from '#api/platform/services.ts'
import { countUnreadMessages, markMessagesRead, readInbox } from './readInbox.ts'
import { changeChoice, listChoices } from './messageChoices.ts'

export function inboxRoutes(router: Router, { clock }: Pick<Services, 'clock'>): void {
  route(router, contract.listInbox, ({ em, actor, query, language }) =>
    readInbox(em, { userId: actor.id, language: language(), ...query }),
  )

  route(router, contract.countUnread, ({ em, actor }) => countUnreadMessages(em, actor.id))

  route(router, contract.markRead, async ({ em, actor, body: { upTo } }) => {
    await markMessagesRead(em, { userId: actor.id, upTo, now: clock.now() })
    await recordChange(em, { userId: actor.id, keys: [contract.countUnread.path] })
    return countUnreadMessages(em, actor.id)
  })

  route(router, contract.getMessageChoices, ({ em, actor }) => listChoices(em, actor.id))

  route(router, contract.updateMessageChoices, async ({ em, actor, body }) => {
    await changeChoice(em, { userId: actor.id, ...body })
    await recordChange(em, { userId: actor.id, keys: [contract.getMessageChoices.path, getNotifications.path] })
    return listChoices(em, actor.id)
  })
}
