import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '#api/entities/tables.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'
import { readContent } from '#api/platform/mail/storedContent.ts'
import type { Services } from '#api/platform/services.ts'
import { notifyOwners } from './notifyOwners.ts'

type Needed = 'clock' | 'config' | 'jobs' | 'orm'

/** Number of accounts told in one transaction. */
const BATCH_SIZE = 500

/** Tells all accounts what was announced. Any number of workers may run it; after a crash another one continues. */
export const tellAnnouncements: Sweep<Needed> = {
  name: 'tell-announcements',
  everySeconds: 5,
  async run(services) {
    while (await services.orm.em.fork().transactional((em) => tellNextBatch(em, services)));
  },
}

/**
 * Tells the next accounts of the oldest announcement that no other worker is telling. The position advances in the same transaction.
 *
 * @returns false if there is none.
 */
export async function tellNextBatch(em: EntityManager, services: Pick<Services, Needed>): Promise<boolean> {
  const announcement = await query(em)
    .selectFrom('announcements')
    .select(['id', 'cause', 'content', 'link', 'createdAt', 'lastToldUser'])
    .where('finishedAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('id')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (!announcement) return false
  const { id, cause, content, link, createdAt, lastToldUser } = announcement
  const users = await query(em)
    .selectFrom('users')
    .select(['id', 'email', 'language'])
    .where('createdAt', '<=', createdAt)
    .$if(lastToldUser !== null, (rows) => rows.where('id', '>', lastToldUser!))
    .orderBy('id')
    .limit(BATCH_SIZE)
    .execute()
  const texts = readContent(content)
  await notifyOwners(em, services, { topic: 'news', messages: users.map((to) => ({ to, cause, link, ...texts })) })
  await query(em)
    .updateTable('announcements')
    .set({
      lastToldUser: users.at(-1)?.id ?? lastToldUser,
      ...(users.length < BATCH_SIZE && { finishedAt: services.clock.now() }),
    })
    .where('id', '=', id)
    .execute()
  return true
}
