import type { EntityManager } from '@mikro-orm/postgresql'
import type { Config } from '../config.ts'
import type { Services } from '../services.ts'
import { composeMail, type MailText } from './composeMail.ts'
import type { MailServices } from './mailOwner.ts'
import type { Mail } from './mailTransport.ts'
import { queueMail } from './queueMail.ts'
import { queueMailsOnce } from './queueMailsOnce.ts'

export interface OperatorServices extends MailServices {
  config: MailServices['config'] & Pick<Config, 'ALERT_EMAIL'>
}

/** Where the operator is mailed. */
export const operatorAddress = ({ ALERT_EMAIL, SUPPORT_EMAIL }: Pick<Config, 'ALERT_EMAIL' | 'SUPPORT_EMAIL'>): string =>
  ALERT_EMAIL ?? SUPPORT_EMAIL

type OperatorMail = Omit<MailText, 'language' | 'brandName' | 'supportEmail'>

/** Queues a mail to the operator, in English and in the caller's transaction. */
export async function mailOperator(em: EntityManager, { jobs, config }: OperatorServices, text: OperatorMail): Promise<void> {
  await queueMail(em, jobs, composeOperatorMail(config, text), { isUrgent: true })
}

/** Mails the operator in a transaction of its own, once for each name. For situations that no row records. */
export const mailOperatorOnce = (
  { orm, jobs, config }: OperatorServices & Pick<Services, 'orm'>,
  { name, ...text }: OperatorMail & { name: string },
): Promise<void> =>
  orm.em.fork().transactional((em) => queueMailsOnce(em, jobs, [{ ...composeOperatorMail(config, text), name }]))

function composeOperatorMail(config: OperatorServices['config'], text: OperatorMail): Mail {
  const brand = { brandName: config.BRAND_NAME, supportEmail: config.SUPPORT_EMAIL }
  return composeMail(operatorAddress(config), { ...text, ...brand, language: 'en' })
}
