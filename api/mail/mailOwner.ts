import type { EntityManager } from '@mikro-orm/postgresql'
import type { Services } from '../services.ts'
import { composeMail, type MailText } from './composeMail.ts'
import { queueMail } from './queueMail.ts'

/** Queues a mail to an account's owner, in the transaction of what it tells. */
export async function mailOwner(
  em: EntityManager,
  { jobs, config }: Pick<Services, 'jobs' | 'config'>,
  { to, ...text }: Omit<MailText, 'brandName' | 'supportEmail'> & { to: string },
): Promise<void> {
  await queueMail(em, jobs, composeMail(to, { brandName: config.BRAND_NAME, supportEmail: config.SUPPORT_EMAIL, ...text }))
}
