import { sql } from 'kysely'
import { MINUTE, SECOND } from '#shared/dates.ts'
import { query } from '../tables/tables.ts'
import { defineJob, type Sweep } from '../jobs/defineJob.ts'
import type { Services } from '../services.ts'
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
    const due = await query(services.orm.em.fork())
      .selectFrom('outgoing_mails')
      .select('id')
      .where('sentAt', 'is', null)
      .where('nextAttemptAt', '<=', now)
      .orderBy('nextAttemptAt')
      .limit(100)
      .execute()
    for (const { id } of due) await sendOne(services, id)
  },
}

const now = sql<Date>`now()`

/** How long a mail that is being handed over is left alone. A worker that dies meanwhile leaves it to the next after that. */
const LEASE = 2 * MINUTE

/**
 * Takes the mail, hands it over outside of any transaction, and writes down what came of it.
 *
 * A mail may go out twice if we die between the server's yes and our note of it; that is the better of the two mistakes.
 */
async function sendOne({ orm, mail: transport }: Pick<Services, 'mail' | 'orm'>, id: string): Promise<void> {
  const update = () => query(orm.em.fork()).updateTable('outgoing_mails').where('id', '=', id)
  const mail = await update()
    .set((eb) => ({ attempts: eb('attempts', '+', 1), nextAttemptAt: new Date(Date.now() + LEASE) }))
    .where('sentAt', 'is', null)
    .where('nextAttemptAt', '<=', now)
    .returning(['to', 'subject', 'text', 'html', 'attempts'])
    .executeTakeFirst()
  if (!mail) return
  const { attempts, ...message } = mail
  try {
    await transport.send(message)
    await update().set({ sentAt: now, lastError: null }).execute()
  } catch (error) {
    const pause = Math.min(30 * MINUTE, 5 * SECOND * 2 ** Math.min(attempts, 10))
    const lastError = error instanceof Error ? error.message : String(error)
    await update()
      .set({ lastError, nextAttemptAt: new Date(Date.now() + pause) })
      .execute()
  }
}
