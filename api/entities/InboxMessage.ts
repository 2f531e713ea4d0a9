import { defineEntity, p } from '@mikro-orm/postgresql'
import { inboxTopics } from '#shared/contract/inbox.ts'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'
import type { StoredContent } from '#api/platform/mail/storedContent.ts'
import { User } from './User.ts'

/** Something that an account's owner is told. Stored in the transaction of its cause; what is sent elsewhere is written from the same content. */
export const InboxMessageSchema = defineEntity({
  name: 'InboxMessage',
  tableName: 'inbox_messages',
  properties: {
    id: idColumn(),
    user: () => p.manyToOne(User).ref().deleteRule('restrict'),
    topic: p.enum(inboxTopics),
    /** What happened, such as `withdrawal_paid:<id>`. It is told once. */
    cause: p.text(),
    content: p.json().$type<StoredContent>(),
    /** The path of the page with what it is about. */
    link: p.text().nullable(),
    /** False if its owner does not want the topic in the inbox. */
    isListed: p.boolean(),
    /** Product time. */
    createdAt: instantColumn(),
    /** Real time. */
    readAt: instantColumn().nullable(),
  },
  uniques: [{ properties: ['user', 'cause'] }],
  indexes: [
    {
      name: 'inbox_messages_listed',
      expression: 'create index inbox_messages_listed on inbox_messages (user_id, created_at desc, id desc) where is_listed',
    },
    {
      name: 'inbox_messages_unread',
      expression: 'create index inbox_messages_unread on inbox_messages (user_id) where is_listed and read_at is null',
    },
    // For their deletion after a year.
    { name: 'inbox_messages_by_age', expression: 'create index inbox_messages_by_age on inbox_messages (created_at)' },
  ],
})

export class InboxMessage extends InboxMessageSchema.class {}
InboxMessageSchema.setClass(InboxMessage)
