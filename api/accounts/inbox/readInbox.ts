import type { EntityManager } from '@mikro-orm/postgresql'
import type { InboxMessage } from '#shared/contract/inbox.ts'
import type { Language } from '#shared/languages.ts'
import { query } from '#api/entities/tables.ts'
import { type Paging, presentPaging } from '#api/platform/http/presentPaging.ts'
import { formatTime } from '#api/platform/mail/formatTime.ts'
import { readContent } from '#api/platform/mail/storedContent.ts'
import { translateContent } from '#api/platform/mail/writeMail.ts'

interface InboxPage {
  userId: string
  language: Language
  limit: number
  offset: number
}

/** A page of an account's messages, newest first, and the number of all. */
export async function readInbox(
  em: EntityManager,
  { userId, language, limit, offset }: InboxPage,
): Promise<{ messages: InboxMessage[]; total: number } & Paging> {
  const listed = () => query(em).selectFrom('inbox_messages').where('user', '=', userId).where('isListed', '=', true)
  const rows = await listed()
    .select(['id', 'topic', 'content', 'link', 'createdAt', 'readAt'])
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  const { totalCount } = await listed()
    .select((eb) => eb.fn.countAll<number>().as('totalCount'))
    .executeTakeFirstOrThrow()
  const messages = rows.map(({ content, readAt, ...row }) => {
    const { subject, ...texts } = translateContent(language, readContent(content), formatTime[language].minute)
    return { ...row, title: subject, ...texts, isRead: readAt !== null }
  })
  return { messages, total: totalCount, ...presentPaging({ totalCount, limit, offset }) }
}

export async function countUnreadMessages(em: EntityManager, userId: string): Promise<{ unread: number }> {
  return query(em)
    .selectFrom('inbox_messages')
    .select((eb) => eb.fn.countAll<number>().as('unread'))
    .where('user', '=', userId)
    .where('isListed', '=', true)
    .where('readAt', 'is', null)
    .executeTakeFirstOrThrow()
}

/** Marks a message of the account and all older ones as read. Nothing happens if there is no such message. */
export async function markMessagesRead(
  em: EntityManager,
  { userId, upTo, now }: { userId: string; upTo: string; now: Date },
): Promise<void> {
  await query(em)
    .updateTable('inbox_messages')
    .set({ readAt: now })
    .where('user', '=', userId)
    .where('readAt', 'is', null)
    .where((eb) =>
      eb(
        eb.refTuple('createdAt', 'id'),
        '<=',
        eb
          .selectFrom('inbox_messages as last')
          .select(['last.createdAt', 'last.id'])
          .where('last.id', '=', upTo)
          .where('last.user', '=', userId)
          .$asTuple('createdAt', 'id'),
      ),
    )
    .execute()
}
