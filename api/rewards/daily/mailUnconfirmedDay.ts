import { mailOperatorOnce } from '#api/platform/mail/mailOperator.ts'
import type { Services } from '#api/platform/services.ts'
import type { DayUnconfirmed } from './requireDayCome.ts'

/** Mails the operator that a day waits, once for each day and reason. */
export const mailUnconfirmedDay = (
  services: Pick<Services, 'orm' | 'jobs' | 'config'>,
  { sentence }: DayUnconfirmed,
): Promise<void> =>
  mailOperatorOnce(services, {
    name: sentence,
    subject: `${services.config.BRAND_NAME}: daily rewards wait`,
    paragraphs: [sentence, 'They are paid as soon as the clocks agree. Nothing is lost.'],
  })
