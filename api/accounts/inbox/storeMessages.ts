import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { countUnread, type InboxTopic, listInbox } from '#shared/contract/inbox.ts'
import { newId } from '#api/platform/db/newId.ts'
import { unnest } from '#api/platform/db/unnest.ts'
import { query } from '#api/entities/tables.ts'
import { recordChanges } from '#api/platform/events/recordChange.ts'
import { storeContent } from '#api/platform/mail/storedContent.ts'
import type { MailContent } from '#api/platform/mail/writeMail.ts'

export interface NewMessage extends Omit<MailContent, 'highlight' | 'action'> {
  userId: string
  /** What happened; a message of its own by default. */
  cause?: string
  link: string | null
  isListed: boolean
}

/** By the database's clock, in a demo ahead of real time. */
export const productNow = sql<Date>`now() + coalesce((select clock_offset_ms from installation), 0) * interval '1 ms'`

/** Stores messages in the caller's transaction, one for each account and cause. @returns the id of each new one. */
export async function storeMessages(
  em: EntityManager,
  { topic, messages }: { topic: InboxTopic; messages: readonly NewMessage[] },
): Promise<(string | undefined)[]> {
  if (messages.length === 0) return []
  const rows = messages.map(({ userId, cause, link, isListed, ...content }) => {
    const id = newId()
    return {
      id,
      owner: userId,
      reason: cause ?? id,
      told: JSON.stringify(storeContent(content)),
      target: link,
      listed: isListed ? 1 : 0,
    }
  })
  const stored = await query(em)
    .insertInto('inbox_messages')
    .columns(['id', 'user', 'cause', 'link', 'content', 'isListed', 'topic', 'createdAt'])
    .expression((eb) =>
      eb
        .selectFrom(unnest('m', { id: 'uuid', owner: 'uuid', reason: 'text', told: 'text', target: 'text', listed: 'int' }, rows))
        .select(['m.id', 'm.owner', 'm.reason', 'm.target'])
        .select([
          sql<never>`m.told::jsonb`.as('texts'),
          sql<boolean>`m.listed = 1`.as('shown'),
          eb.val(topic).as('about'),
          productNow.as('at'),
        ]),
    )
    .onConflict((conflict) => conflict.columns(['user', 'cause']).doNothing())
    .returning('id')
    .execute()
  const newIds = new Set(stored.map(({ id }) => id))
  await recordChanges(em, {
    userIds: rows.flatMap(({ id, owner, listed }) => (listed && newIds.has(id) ? owner : [])),
    keys: [listInbox.path, countUnread.path],
  })
  return rows.map(({ id }) => (newIds.has(id) ? id : undefined))
}
