import { sql } from 'kysely'
import { DAY, SECOND } from '#shared/dates.ts'
import { query } from '../tables/tables.ts'
import { defineJob, type Sweep } from '../jobs/defineJob.ts'
import { databaseNow, databaseTimeIn, LEASE, pauseAfter } from '../jobs/outbox.ts'
import type { Services } from '../services.ts'
import { operatorAddress } from './mailOperator.ts'
import { isRecipientRefused } from './mailTransport.ts'
import { sendMailJob } from './queueMail.ts'

type Needed = 'config' | 'mail' | 'orm'

/** Sends one mail of the outbox unless it was sent already. */
export const sendMail = defineJob({
  ...sendMailJob,
  run: ({ mailId }, services: Pick<Services, Needed>) => sendOne(services, mailId),
})

/** Sends mails whose job was lost and mails that are due for a retry. */
export const sendDueMails: Sweep<Needed> = {
  name: 'send-due-mails',
  everySeconds: 30,
  async run(services) {
    const due = await query(services.orm.em.fork())
      .selectFrom('outgoing_mails')
      .select('id')
      .where('sentAt', 'is', null)
      .where('nextAttemptAt', '<=', databaseNow)
      .where(({ eb, or }) => or([eb('attemptsEndAt', 'is', null), eb('attemptsEndAt', '>', databaseNow)]))
      .orderBy('nextAttemptAt')
      .limit(100)
      .execute()
    for (const { id } of due) await sendOne(services, id)
  },
}

/** How long a refused recipient is tried, if the mail does not expire: its mailbox may be full, or its domain set up again. */
const MAX_REFUSED_TIME = 3 * DAY

const hasAcceptedSince = sql`exists (select from outgoing_mails sent where sent.sent_at > outgoing_mails.created_at)`
/** A code that nobody can use any more, unless the server is still away: then it stays due, as below. */
const isLate = sql<boolean>`coalesce(expires_at <= now() and ${hasAcceptedSince}, false)`.as('isLate')

/**
 * When the attempts to send a refused mail end. Null while the server has accepted no mail since this one was queued: it may refuse every
 * recipient, and then the mail stays due, so that operators are alerted.
 */
const endOfAttempts = sql<Date | null>`coalesce(attempts_end_at, case
  when ${hasAcceptedSince}
  then coalesce(expires_at, created_at + make_interval(secs => ${MAX_REFUSED_TIME / SECOND})) end)`

/**
 * Leases the mail, sends it outside of transactions, and records the result.
 *
 * If the process dies after the server accepted a mail, it is sent twice, which is better than never.
 */
async function sendOne({ orm, config, mail: transport }: Pick<Services, Needed>, id: string): Promise<void> {
  const update = () => query(orm.em.fork()).updateTable('outgoing_mails').where('id', '=', id)
  const mail = await update()
    .set((eb) => ({ attempts: eb('attempts', '+', 1), nextAttemptAt: databaseTimeIn(LEASE) }))
    .where('sentAt', 'is', null)
    .where('nextAttemptAt', '<=', databaseNow)
    .returning(['to', 'subject', 'text', 'html', 'attempts'])
    .returning(isLate)
    .executeTakeFirst()
  if (!mail) return
  const { attempts, isLate: isExpired, ...message } = mail
  if (isExpired) return void (await update().set({ attemptsEndAt: endOfAttempts }).execute())
  try {
    await transport.send(message)
    await update().set({ sentAt: databaseNow, lastError: null }).execute()
  } catch (error) {
    const lastError = error instanceof Error ? error.message : String(error)
    // Refused alerts raise the alarm until the address is corrected: they are how an operator learns of anything else.
    const mayEnd = isRecipientRefused(error) && message.to !== operatorAddress(config)
    await update()
      .set({ lastError, nextAttemptAt: databaseTimeIn(pauseAfter(attempts)), ...(mayEnd && { attemptsEndAt: endOfAttempts }) })
      .execute()
  }
}
