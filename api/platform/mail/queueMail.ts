import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { newId } from '../db/newId.ts'
import { query } from '../tables/tables.ts'
import type { JobQueue } from '../jobs/JobQueue.ts'
import { databaseNow, databaseTimeIn } from '../jobs/outbox.ts'
import type { Mail } from './mailTransport.ts'

/** The job that wakes up `sendMail`. */
export const sendMailJob = { name: 'send-mail', payload: z.object({ mailId: z.uuid() }) }

/** For mails that somebody waits for: they must not wait behind thousands of notices. */
export const sendUrgentMailJob = { ...sendMailJob, priority: 1 }

export interface Queueing {
  /** Milliseconds until it is sent at the earliest. */
  wait?: number
  /** Somebody waits for it: a code, or an operator's alert. */
  isUrgent?: boolean
  /** Milliseconds after which nobody needs it. */
  lifetime?: number | undefined
}

/** Queues a mail in the caller's transaction, so that it is sent if and only if the transaction commits. @returns its id. */
export async function queueMail(em: EntityManager, jobs: JobQueue, mail: Mail, options?: Queueing): Promise<string> {
  const [id] = await queueMails(em, jobs, [mail], options)
  return id!
}

export async function queueMails(
  em: EntityManager,
  jobs: JobQueue,
  mails: readonly Mail[],
  { wait = 0, isUrgent = false, lifetime }: Queueing = {},
): Promise<string[]> {
  if (mails.length === 0) return []
  const rows = mails.map(({ to, subject, text, html }) => ({
    id: newId(),
    to,
    subject,
    text,
    html,
    createdAt: databaseNow,
    nextAttemptAt: databaseTimeIn(wait),
    expiresAt: lifetime === undefined ? null : databaseTimeIn(lifetime),
  }))
  await query(em).insertInto('outgoing_mails').values(rows).execute()
  const ids = rows.map(({ id }) => id)
  await jobs.enqueue(em, isUrgent ? sendUrgentMailJob : sendMailJob, ...ids.map((mailId) => ({ mailId })))
  return ids
}
