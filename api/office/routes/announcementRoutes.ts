import type Router from '@koa/router'
import * as contract from '#shared/contract/admin/announcements.ts'
import { recordAudit } from '#api/accounts/auditLog/recordAudit.ts'
import { announce } from '#api/accounts/inbox/announce.ts'
import { newId } from '#api/platform/db/newId.ts'
import { route } from '#api/platform/http/route.ts'
import { sentence } from '#api/platform/mail/sentence.ts'
import type { Services } from '#api/platform/services.ts'
import { listAnnouncements } from '../lists/listAnnouncements.ts'

export function announcementRoutes(router: Router, { config }: Pick<Services, 'config'>): void {
  route(router, contract.listAnnouncements, ({ em, language }) => listAnnouncements(em, language()))

  route(router, contract.sendAnnouncement, async ({ em, actor, body: { title, text }, clientAddress }) => {
    const id = newId()
    const createdBy = `admin:${actor.name}`
    await announce(em, {
      id,
      cause: `notice:${id}`,
      link: null,
      createdBy,
      // Always ours, so that the words below can't pass for another message of ours.
      subject: sentence('Message from {brandName}', { brandName: config.BRAND_NAME }),
      paragraphs: [title, text],
    })
    recordAudit(em, {
      actor: createdBy,
      action: 'announcement.send',
      target: id,
      ipAddress: clientAddress,
      after: { title, text },
    })
    return { message: 'The message is being sent to all users.' }
  })
}
