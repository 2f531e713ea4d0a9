import type { EntityManager } from '@mikro-orm/postgresql'
import type { Config } from '../config.ts'
import type { JobQueue } from '../jobs/JobQueue.ts'
import { composeMail, type MailText } from './composeMail.ts'
import { queueMail } from './queueMail.ts'

/** What it takes to write to somebody. */
export interface MailServices {
  jobs: JobQueue
  config: Pick<Config, 'BRAND_NAME' | 'SUPPORT_EMAIL'>
}

/** Queues a mail to an account's owner, in the transaction of what it tells. */
export async function mailOwner(
  em: EntityManager,
  { jobs, config }: MailServices,
  { to, ...text }: Omit<MailText, 'brandName' | 'supportEmail'> & { to: string },
): Promise<void> {
  await queueMail(em, jobs, composeMail(to, { brandName: config.BRAND_NAME, supportEmail: config.SUPPORT_EMAIL, ...text }))
}
