import { sql } from 'kysely'
import { REQUIRED_TOPIC } from '#shared/contract/inbox.ts'
import { DAY } from '#shared/dates.ts'
import { query } from '#api/entities/tables.ts'
import { mapConcurrent } from '#api/platform/chain/mapConcurrent.ts'
import { defineJob, type Sweep } from '#api/platform/jobs/defineJob.ts'
import { databaseNow, databaseTimeIn, LEASE, pauseAfter } from '#api/platform/jobs/outbox.ts'
import { siteUrl } from '#api/platform/mail/siteUrl.ts'
import type { PushAnswer, PushTransport } from '#api/platform/push/pushTransport.ts'
import type { Services } from '#api/platform/services.ts'
import { countUnreadMessages } from '../inbox/readInbox.ts'
import { sendPushJob } from '../inbox/queuePushes.ts'
import { describePush } from './describePush.ts'

type Needed = 'config' | 'orm' | 'push'

/** Sends one message to one subscription unless it was sent already. */
export const sendPush = defineJob({
  ...sendPushJob,
  run: ({ pushId }, services: Pick<Services, Needed>) => sendOne(services, pushId),
})

/** How long a message is of interest, at our side and at the push service. */
const PUSH_LIFE = DAY
const MAX_CONCURRENT_REQUESTS = 10

/** Sends messages whose job was lost and those that are due for a retry, and deletes those that are too old. */
export const sendDuePushes: Sweep<Needed> = {
  name: 'send-due-pushes',
  everySeconds: 30,
  async run(services) {
    const db = () => query(services.orm.em.fork())
    await db().deleteFrom('outgoing_pushes').where('createdAt', '<=', databaseTimeIn(-PUSH_LIFE)).execute()
    const due = await db()
      .selectFrom('outgoing_pushes')
      .select('id')
      .where('nextAttemptAt', '<=', databaseNow)
      .orderBy('nextAttemptAt')
      .limit(100)
      .execute()
    await mapConcurrent(due, MAX_CONCURRENT_REQUESTS, ({ id }) => sendOne(services, id))
  },
}

/**
 * Leases the message, sends it outside of transactions, and deletes it once the push service has accepted it.
 *
 * If the process dies in between, it is sent twice. Its topic and its tag then replace the first one instead of showing another.
 */
async function sendOne({ orm, push, config }: Pick<Services, Needed>, id: string): Promise<void> {
  const em = orm.em.fork()
  const update = () => query(em).updateTable('outgoing_pushes').where('id', '=', id)
  const remove = () => query(em).deleteFrom('outgoing_pushes').where('id', '=', id).execute()
  const leased = await update()
    .set((eb) => ({ attempts: eb('attempts', '+', 1), nextAttemptAt: databaseTimeIn(LEASE) }))
    .where('nextAttemptAt', '<=', databaseNow)
    .returning(['attempts', 'subscription'])
    .returning(sql<number>`(extract(epoch from created_at - now()) * 1000)::float8 + ${PUSH_LIFE}`.as('life'))
    .executeTakeFirst()
  if (!leased) return
  const life = Number(leased.life)
  const row = await query(em)
    .selectFrom('outgoing_pushes as o')
    .innerJoin('push_subscriptions as s', 's.id', 'o.subscription')
    // Not if the browser belongs to another account by now.
    .innerJoin('inbox_messages as m', (join) => join.onRef('m.id', '=', 'o.message').onRef('m.user', '=', 's.user'))
    .innerJoin('users as u', 'u.id', 's.user')
    .select(['s.endpoint', 's.p256dh', 's.auth', 's.showsDetails', 'm.topic', 'm.cause', 'm.content', 'm.link', 'u.language'])
    .select('u.id as userId')
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('web_sessions as w')
          .select('w.idHash')
          .whereRef('w.key', '=', 's.sessionKey')
          .whereRef('w.accountId', '=', 'u.id')
          .whereRef('w.accountEpoch', '=', 'u.sessionEpoch'),
      ).as('isLoggedIn'),
    )
    .where('o.id', '=', id)
    .executeTakeFirst()
  if (!row || !push || life <= 0) return void (await remove())

  const retry = async (wait: number) =>
    void (await update()
      .set({ nextAttemptAt: databaseTimeIn(wait) })
      .execute())
  const pause = pauseAfter(leased.attempts)
  // Sent if the session is only being renewed; otherwise it ends with its subscription.
  if (!row.isLoggedIn) return retry(pause)
  const { unread } = await countUnreadMessages(em, row.userId)
  const texts = describePush(row, { ...row, unread, site: siteUrl(config) })
  const target = { endpoint: row.endpoint, keys: { p256dh: row.p256dh, auth: row.auth } }
  const urgency = row.topic === REQUIRED_TOPIC ? 'high' : 'normal'
  const answer = await sendTexts(push, { target, texts, urgency, life })
  if (answer === undefined) return retry(pause)
  switch (outcomeOf(answer.status)) {
    case 'done':
      return void (await remove())
    case 'gone':
      await query(em).deleteFrom('push_subscriptions').where('id', '=', leased.subscription).execute()
      return
    case 'later':
      return retry(Math.max(pause, answer.retryAfter ?? 0))
  }
}

/** Sends the message, or a minimal one if it is too large. Undefined if the push service could not be reached. */
async function sendTexts(
  push: PushTransport,
  { target, texts: { payload, minimal, topic }, urgency, life }: Sending,
): Promise<PushAnswer | undefined> {
  try {
    const answer = await push.send(target, { payload, topic, urgency, life })
    return answer.status === 413 && minimal !== payload
      ? await push.send(target, { payload: minimal, topic, urgency, life })
      : answer
  } catch {
    return undefined
  }
}

interface Sending {
  target: Parameters<PushTransport['send']>[0]
  texts: ReturnType<typeof describePush>
  urgency: 'normal' | 'high'
  life: number
}

/** A refused signature may be the operator's to repair, so 401 and 403 are retried too. */
function outcomeOf(status: number): 'done' | 'gone' | 'later' {
  if (status === 404 || status === 410) return 'gone'
  return (status >= 200 && status < 300) || status === 400 || status === 413 ? 'done' : 'later'
}
