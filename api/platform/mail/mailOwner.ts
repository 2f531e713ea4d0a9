import type { EntityManager } from '@mikro-orm/postgresql'
import type { Config } from '../config.ts'
import type { JobQueue } from '../jobs/JobQueue.ts'
import { type Queueing, queueMail } from './queueMail.ts'
import type { Recipient } from './Recipient.ts'
import { type MailContent, writeMail } from './writeMail.ts'

/** The services needed to queue a mail. */
export interface MailServices {
  jobs: JobQueue
  config: Pick<Config, 'BRAND_NAME' | 'SUPPORT_EMAIL' | 'PUBLIC_URL' | 'PORT'>
}

/** Queues a mail to an account's owner, in the owner's language and in the caller's transaction. @returns its id. */
export const mailOwner = (
  em: EntityManager,
  { jobs, config }: MailServices,
  { to, isUrgent = false, lifetime, ...content }: MailContent & { to: Recipient } & Pick<Queueing, 'isUrgent' | 'lifetime'>,
): Promise<string> => queueMail(em, jobs, writeMail(to, config, content), { isUrgent, lifetime })
