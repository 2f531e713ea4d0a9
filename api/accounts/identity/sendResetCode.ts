import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { newId } from '#api/platform/db/newId.ts'
import { databaseNow, databaseTimeIn } from '#api/platform/jobs/outbox.ts'
import { query } from '#api/entities/tables.ts'
import { sendUrgentMailJob } from '#api/platform/mail/queueMail.ts'
import type { Recipient } from '#api/platform/mail/Recipient.ts'
import { writeMail } from '#api/platform/mail/writeMail.ts'
import type { Services } from '#api/platform/services.ts'
import { CODE_LIFE, type CodeCaller, type CodeRequest, countCode, findResendLock, storeCode } from './storeCode.ts'

/**
 * Emails a code for resetting a forgotten password. Within the resend lock the previous code stays valid.
 *
 * An address without an account runs the same statements: a code is generated and stored but never sent, and the insert of the
 * email finds no row. Neither the response nor its time reveals whether the account exists.
 */
export async function sendResetCode(
  em: EntityManager,
  { config, jobs, limits }: Pick<Services, 'config' | 'jobs' | 'limits'>,
  { email, language, device, now, ...caller }: Recipient & Pick<CodeRequest, 'device' | 'now'> & CodeCaller,
): Promise<void> {
  const request = { email, purpose: 'reset' as const, device, now }
  if ((await findResendLock(em, request)) > 0) return
  await countCode(em, limits, { ...request, ...caller })
  const code = await storeCode(em, { ...request, encryptionKey: config.ENCRYPTION_KEY })
  const { subject, text, html } = writeMail({ email, language }, config, {
    subject: 'Your code to set a new password',
    paragraphs: [
      'This is your code to set a new password:',
      "It expires in 10 minutes and works once. We will never ask you for it. Didn't request it? Ignore this email.",
    ],
    highlight: code,
  })
  const mailId = newId()
  await query(em)
    .insertInto('outgoing_mails')
    .columns(['id', 'to', 'subject', 'text', 'html', 'createdAt', 'nextAttemptAt', 'expiresAt'])
    .expression((eb) =>
      eb
        .selectFrom('users as u')
        .select([
          sql<string>`${mailId}::uuid`.as('mailId'),
          'u.email',
          sql<string>`${subject}::text`.as('subject'),
          sql<string>`${text}::text`.as('text'),
          sql<string>`${html}::text`.as('html'),
          databaseNow.as('now'),
          databaseNow.as('due'),
          databaseTimeIn(CODE_LIFE).as('end'),
        ])
        .where('u.email', '=', email),
    )
    .execute()
  await jobs.enqueue(em, sendUrgentMailJob, { mailId })
}
