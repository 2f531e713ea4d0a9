import type { EntityManager } from '@mikro-orm/postgresql'
import { createHash } from 'node:crypto'
import { query } from '../tables/tables.ts'
import type { JobQueue } from '../jobs/JobQueue.ts'
import { databaseNow } from '../jobs/outbox.ts'
import type { Mail } from './mailTransport.ts'
import { sendMailJob } from './queueMail.ts'

/** A mail with a unique name, such as its recipient and day. Each name is sent once. */
export interface NamedMail extends Mail {
  name: string
}

/** Queues mails in the caller's transaction, skipping names that were queued before. */
export async function queueMailsOnce(em: EntityManager, jobs: JobQueue, mails: readonly NamedMail[]): Promise<void> {
  if (mails.length === 0) return
  const written = await query(em)
    .insertInto('outgoing_mails')
    .values(
      mails.map(({ name, to, subject, text, html }) => ({
        id: idOf(name),
        to,
        subject,
        text,
        html,
        createdAt: databaseNow,
        nextAttemptAt: databaseNow,
      })),
    )
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .execute()
  if (written.length > 0) await jobs.enqueue(em, sendMailJob, ...written.map(({ id }) => ({ mailId: id })))
}

/** A deterministic UUID (version 8) of the name. */
function idOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
