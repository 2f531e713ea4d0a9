import { MINUTE, SECOND } from '#shared/dates.ts'
import { sql } from '../db/sql.ts'
import { defineJob, type Sweep } from '../jobs/defineJob.ts'
import type { Services } from '../services.ts'
import type { Mail } from './mailTransport.ts'
import { sendMailJob } from './queueMail.ts'

/** Sends one mail of the outbox, unless it has been sent. A mail that cannot be sent waits longer each time. */
export const sendMail = defineJob({
  ...sendMailJob,
  run: ({ mailId }, services: Pick<Services, 'mail' | 'orm'>) => sendOne(services, mailId),
})

/** Finds the mails whose job was lost or whose time has come again. */
export const sendDueMails: Sweep<'mail' | 'orm'> = {
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

/** How long a mail that is being handed over is left alone. A worker that dies meanwhile leaves it to the next after that. */
const LEASE = 2 * MINUTE

/**
 * Takes the mail, hands it over outside of any transaction, and writes down what came of it.
 *
 * A mail may go out twice if we die between the server's yes and our note of it; that is the better of the two mistakes.
 */
async function sendOne({ orm, mail: transport }: Pick<Services, 'mail' | 'orm'>, id: string): Promise<void> {
  const [mail] = await sql<Mail & { attempts: number }>(
    orm.em.fork(),
    `update outgoing_mails set attempts = attempts + 1, next_attempt_at = $2
     where id = $1 and sent_at is null and next_attempt_at <= now() returning recipient as "to", subject, text, html, attempts`,
    [id, new Date(Date.now() + LEASE)],
  )
  if (!mail) return
  const { attempts, ...message } = mail
  try {
    await transport.send(message)
    await sql(orm.em.fork(), 'update outgoing_mails set sent_at = now(), last_error = null where id = $1', [id])
  } catch (error) {
    const pause = Math.min(30 * MINUTE, 5 * SECOND * 2 ** Math.min(attempts, 10))
    await sql(orm.em.fork(), 'update outgoing_mails set last_error = $2, next_attempt_at = $3 where id = $1', [
      id,
      error instanceof Error ? error.message : String(error),
      new Date(Date.now() + pause),
    ])
  }
}
