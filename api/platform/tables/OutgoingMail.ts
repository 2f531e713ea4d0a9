import { defineEntity, p } from '@mikro-orm/postgresql'
import { idColumn, instantColumn } from '../db/columns.ts'

/** A mail in the outbox, written in the transaction that causes it and sent by a job. */
export const OutgoingMailSchema = defineEntity({
  name: 'OutgoingMail',
  tableName: 'outgoing_mails',
  properties: {
    id: idColumn(),
    to: p.string().length(254).fieldName('recipient'),
    subject: p.text(),
    text: p.text(),
    html: p.text(),
    createdAt: instantColumn(),
    sentAt: instantColumn().nullable(),
    attempts: p.integer().default(0),
    nextAttemptAt: instantColumn(),
    lastError: p.text().nullable(),
    /** When a mailed code expires: nobody needs the mail afterwards. */
    expiresAt: instantColumn().nullable(),
    /** Set once the server refuses the recipient while it accepts mails to others: when the attempts end. Nobody is alarmed about it. Never for alerts. */
    attemptsEndAt: instantColumn().nullable(),
  },
  indexes: [
    // For the page of an account.
    { properties: ['to', 'createdAt'] },
    { properties: ['sentAt'] },
    {
      name: 'outgoing_mails_due',
      expression: 'create index outgoing_mails_due on outgoing_mails (next_attempt_at) where sent_at is null',
    },
  ],
})

export class OutgoingMail extends OutgoingMailSchema.class {}
OutgoingMailSchema.setClass(OutgoingMail)
