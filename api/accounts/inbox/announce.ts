import type { EntityManager } from '@mikro-orm/postgresql'
import { newId } from '#api/platform/db/newId.ts'
import { storeContent } from '#api/platform/mail/storedContent.ts'
import type { MailContent } from '#api/platform/mail/writeMail.ts'
import { query } from '#api/entities/tables.ts'
import { productNow } from './storeMessages.ts'

interface NewAnnouncement extends Pick<MailContent, 'subject' | 'paragraphs'> {
  id?: string
  cause: string
  link: string | null
  /** The actor as in the audit log. */
  createdBy?: string
}

/** Stores a message to all accounts in the caller's transaction, once for each cause. `tellAnnouncements` tells them. */
export async function announce(
  em: EntityManager,
  { id = newId(), cause, link, createdBy, ...content }: NewAnnouncement,
): Promise<void> {
  await query(em)
    .insertInto('announcements')
    .values({ id, cause, link, createdBy: createdBy ?? null, content: storeContent(content), createdAt: productNow })
    .onConflict((conflict) => conflict.column('cause').doNothing())
    .execute()
}
