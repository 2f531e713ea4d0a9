import type { EntityManager } from '@mikro-orm/postgresql'
import type { Config } from '../config.ts'
import { mailOwner, type MailServices } from './mailOwner.ts'
import type { MailText } from './composeMail.ts'

interface OperatorServices extends MailServices {
  config: MailServices['config'] & Pick<Config, 'ALERT_EMAIL'>
}

/** Queues a mail to whoever runs this installation, in the transaction of what it tells. */
export const mailOperator = (
  em: EntityManager,
  services: OperatorServices,
  text: Omit<MailText, 'brandName' | 'supportEmail'>,
): Promise<void> => mailOwner(em, services, { to: services.config.ALERT_EMAIL ?? services.config.SUPPORT_EMAIL, ...text })
