import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '#api/platform/db/columns.ts'
import { InboxMessage } from './InboxMessage.ts'
import { User } from './User.ts'

/** The token of a mail's link that freezes the account (money.md 39). Only the mail contains it. */
export const FreezeTokenSchema = defineEntity({
  name: 'FreezeToken',
  tableName: 'freeze_tokens',
  properties: {
    id: idColumn(),
    user: () => p.manyToOne(User).ref().deleteRule('restrict'),
    /** The message that was mailed. */
    message: () => p.manyToOne(InboxMessage).ref().unique().deleteRule('cascade'),
    /** SHA-256 of the token, in hex. */
    tokenHash: p.string().length(64).unique(),
    /** Real time. */
    expiresAt: instantColumn(),
    /** Real time. A token works once. */
    usedAt: instantColumn().nullable(),
  },
})

export class FreezeToken extends FreezeTokenSchema.class {}
FreezeTokenSchema.setClass(FreezeToken)
