import { defineEntity, p } from '@mikro-orm/postgresql'
import { inboxTopics } from '#shared/contract/inbox.ts'
import { idColumn } from '#api/platform/db/columns.ts'
import { User } from './User.ts'

/** Where an account wants the messages of a topic. Null is the default. For emails about rewards, the account says it (`wantsRewardDigest`). */
export const MessageChoiceSchema = defineEntity({
  name: 'MessageChoice',
  tableName: 'message_choices',
  properties: {
    id: idColumn(),
    user: () => p.manyToOne(User).ref().deleteRule('restrict'),
    topic: p.enum(inboxTopics),
    inbox: p.boolean().nullable(),
    mail: p.boolean().nullable(),
    push: p.boolean().nullable(),
  },
  uniques: [{ properties: ['user', 'topic'] }],
})

export class MessageChoice extends MessageChoiceSchema.class {}
MessageChoiceSchema.setClass(MessageChoice)
