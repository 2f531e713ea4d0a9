import { composeMail } from '#api/platform/mail/composeMail.ts'
import { operatorAddress } from '#api/platform/mail/mailOperator.ts'
import { queueMailsOnce } from '#api/platform/mail/queueMailsOnce.ts'
import type { Services } from '#api/platform/services.ts'
import type { DayUnconfirmed } from './confirmDay.ts'

/** Mails the operator that a day waits, once for each day and reason. */
export async function mailUnconfirmedDay(
  { orm, jobs, config }: Pick<Services, 'orm' | 'jobs' | 'config'>,
  { sentence }: DayUnconfirmed,
): Promise<void> {
  const mail = composeMail(operatorAddress(config), {
    subject: `${config.BRAND_NAME}: daily rewards wait`,
    paragraphs: [sentence, 'They are paid as soon as the clocks agree. Nothing is lost.'],
    brandName: config.BRAND_NAME,
    supportEmail: config.SUPPORT_EMAIL,
    language: 'en',
  })
  await orm.em.fork().transactional((em) => queueMailsOnce(em, jobs, [{ ...mail, name: sentence }]))
}
