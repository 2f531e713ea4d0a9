import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { newId } from '../db/newId.ts'
import { OutgoingMail } from '../tables/OutgoingMail.ts'
import type { JobQueue } from '../jobs/JobQueue.ts'
import type { Mail } from './mailTransport.ts'

/** The job that wakes up `sendMail`. */
export const sendMailJob = { name: 'send-mail', payload: z.object({ mailId: z.uuid() }) }

/** Queues a mail in the caller's transaction, so that it is sent if and only if the transaction commits. */
export const queueMail = (em: EntityManager, jobs: JobQueue, mail: Mail): Promise<void> => queueMails(em, jobs, [mail])

export async function queueMails(em: EntityManager, jobs: JobQueue, mails: readonly Mail[]): Promise<void> {
  const now = new Date()
  const rows = mails.map((mail) => em.create(OutgoingMail, { id: newId(), ...mail, createdAt: now, nextAttemptAt: now }))
  await jobs.enqueue(em, sendMailJob, ...rows.map(({ id }) => ({ mailId: id })))
}
