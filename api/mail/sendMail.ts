import { LockMode } from '@mikro-orm/postgresql'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { sql } from '../db/sql.ts'
import { OutgoingMail } from '../entities/OutgoingMail.ts'
import { defineJob, type Sweep } from '../jobs/defineJob.ts'
import type { Services } from '../services.ts'
import { sendMailJob } from './queueMail.ts'

/** Sends one mail of the outbox, unless it has been sent. A mail that cannot be sent waits longer each time. */
export const sendMail = defineJob({
  ...sendMailJob,
  run: ({ mailId }, services) => sendOne(services, mailId),
})

/** Finds the mails whose job was lost or whose time has come again. */
export const sendDueMails: Sweep = {
  name: 'send-due-mails',
  everySeconds: 30,
  async run(services) {
    const due = await sql<{ id: string }>(
      services.orm.em.fork(),
      'select id from outgoing_mails where sent_at is null and next_attempt_at <= now() order by next_attempt_at limit 100',
    )
    for (const { id } of due) await sendOne(services, id)
  },
}

async function sendOne({ orm, mail: transport }: Services, id: string): Promise<void> {
  // The lock is held while the mail is handed over, so that two workers never send it twice. A mail may still go out twice if we die
  // between the server's yes and our commit; that is the better of the two mistakes.
  await orm.em.fork().transactional(async (em) => {
    const row = await em.findOne(OutgoingMail, { id, sentAt: null }, { lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE })
    if (!row) return
    row.attempts += 1
    try {
      await transport.send({ to: row.to, subject: row.subject, text: row.text, html: row.html })
      row.sentAt = new Date()
      row.lastError = null
    } catch (error) {
      row.lastError = error instanceof Error ? error.message : String(error)
      row.nextAttemptAt = new Date(Date.now() + Math.min(30 * MINUTE, 5 * SECOND * 2 ** Math.min(row.attempts, 10)))
    }
  })
}
