import type { EntityManager } from '@mikro-orm/postgresql'
import { MINUTE } from '#shared/dates.ts'
import { databaseNow } from '#api/platform/jobs/outbox.ts'
import { appendBlock } from '#api/platform/mail/composeMail.ts'
import { sendMailJob } from '#api/platform/mail/queueMail.ts'
import { inLanguage } from '#api/platform/mail/sentence.ts'
import { query } from '#api/entities/tables.ts'
import type { Config } from '#api/platform/config.ts'
import type { Services } from '#api/platform/services.ts'

/** How long a mail waits for the signature of its receipt. Afterwards it is sent without. */
const RECEIPT_WAIT = 2 * MINUTE
export const receiptWait = ({ register }: Pick<Config, 'register'>): number => (register ? RECEIPT_WAIT : 0)

/** Adds the signed receipt to the mail that waits for it, unless it was sent already, and sends it. */
export async function addToMail(
  em: EntityManager,
  { jobs }: Pick<Services, 'jobs'>,
  { mailId, userId, note }: { mailId: string; userId: string; note: string },
): Promise<void> {
  const mail = await query(em)
    .selectFrom('outgoing_mails')
    .select(['text', 'html'])
    .where('id', '=', mailId)
    .where('attempts', '=', 0)
    .forUpdate()
    .executeTakeFirst()
  if (!mail) return
  const { language } = await query(em).selectFrom('users').select('language').where('id', '=', userId).executeTakeFirstOrThrow()
  const intro = inLanguage(
    language,
    'Keep this receipt. It is signed: with it, anyone can verify that the public register contains what it promises.',
  )
  await query(em)
    .updateTable('outgoing_mails')
    .set({ ...appendBlock(mail, { intro, block: note }), nextAttemptAt: databaseNow })
    .where('id', '=', mailId)
    .execute()
  await jobs.enqueue(em, sendMailJob, { mailId })
}
