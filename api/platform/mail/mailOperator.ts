import type { EntityManager } from '@mikro-orm/postgresql'
import type { Config } from '../config.ts'
import { composeMail, type MailText } from './composeMail.ts'
import type { MailServices } from './mailOwner.ts'
import { queueMail } from './queueMail.ts'

export interface OperatorServices extends MailServices {
  config: MailServices['config'] & Pick<Config, 'ALERT_EMAIL'>
}

/** Where the operator is mailed. */
export const operatorAddress = ({ ALERT_EMAIL, SUPPORT_EMAIL }: Pick<Config, 'ALERT_EMAIL' | 'SUPPORT_EMAIL'>): string =>
  ALERT_EMAIL ?? SUPPORT_EMAIL

/** Queues a mail to the operator, in English and in the caller's transaction. */
export async function mailOperator(
  em: EntityManager,
  { jobs, config }: OperatorServices,
  text: Omit<MailText, 'language' | 'brandName' | 'supportEmail'>,
): Promise<void> {
  const brand = { brandName: config.BRAND_NAME, supportEmail: config.SUPPORT_EMAIL }
  const mail = composeMail(operatorAddress(config), { ...text, ...brand, language: 'en' })
  await queueMail(em, jobs, mail, { isUrgent: true })
}
