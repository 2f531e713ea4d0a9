import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { z } from 'zod'
import type { InboxTopic } from '#shared/contract/inbox.ts'
import { query } from '#api/entities/tables.ts'
import type { JobQueue } from '#api/platform/jobs/JobQueue.ts'
import { databaseNow } from '#api/platform/jobs/outbox.ts'
import { type NewMessage, storeMessages } from './storeMessages.ts'

/** The job that wakes up `sendPush`. */
export const sendPushJob = { name: 'send-push', payload: z.object({ pushId: z.uuid() }) }

/** A message that its owner may want by push. */
export interface PushableMessage extends NewMessage {
  isPushed: boolean
}

/**
 * Stores messages and queues those that their owners want by push, in the caller's transaction.
 *
 * @returns the id of each new one.
 */
export async function storeAndPush(
  em: EntityManager,
  jobs: JobQueue,
  { topic, messages }: { topic: InboxTopic; messages: readonly PushableMessage[] },
): Promise<(string | undefined)[]> {
  const ids = await storeMessages(em, { topic, messages })
  await queuePushes(
    em,
    jobs,
    messages.flatMap(({ isPushed }, index) => (isPushed ? (ids[index] ?? []) : [])),
  )
  return ids
}

/** Queues stored messages in the caller's transaction to the subscriptions of their owners, each once. */
async function queuePushes(em: EntityManager, jobs: JobQueue, messageIds: readonly string[]): Promise<void> {
  if (messageIds.length === 0) return
  const queued = await query(em)
    .insertInto('outgoing_pushes')
    .columns(['id', 'message', 'subscription', 'createdAt', 'nextAttemptAt'])
    .expression((eb) =>
      eb
        .selectFrom('inbox_messages as m')
        .innerJoin('push_subscriptions as s', 's.user', 'm.user')
        .select([
          sql<string>`gen_random_uuid()`.as('key'),
          'm.id',
          's.id as target',
          databaseNow.as('begun'),
          databaseNow.as('due'),
        ])
        .where((where) => where('m.id', '=', where.fn.any(where.val([...messageIds])))),
    )
    .returning('id')
    .execute()
  if (queued.length > 0) await jobs.enqueue(em, sendPushJob, ...queued.map(({ id }) => ({ pushId: id })))
}
