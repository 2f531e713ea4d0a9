import { type RawBuilder, sql } from 'kysely'
import { query } from '#api/entities/tables.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'

const ago = (time: string): RawBuilder<Date> => sql<Date>`now() - ${time}::interval`

export const tidyUp: Sweep<'orm'> = {
  name: 'tidy-up',
  everySeconds: 3_600,
  /** What is of no use any more, and after how long. What tells about money is kept for ever. */
  async run({ orm }) {
    const gone = query(orm.em.fork())
    await gone.deleteFrom('idempotency_keys').where('createdAt', '<', ago('24 hours')).execute()
    await gone.deleteFrom('web_sessions').where('expiresAt', '<', ago('0')).execute()
    await gone.deleteFrom('email_codes').where('expiresAt', '<', ago('1 day')).execute()
    await gone.deleteFrom('verified_emails').where('expiresAt', '<', ago('0')).execute()
    await gone.deleteFrom('otp_setups').where('expiresAt', '<', ago('0')).execute()
    await gone.deleteFrom('half_logins').where('expiresAt', '<', ago('1 day')).execute()
    await gone.deleteFrom('step_up_marks').where('grantedAt', '<', ago('1 day')).execute()
    await gone.deleteFrom('stream_leases').where('expiresAt', '<', ago('1 hour')).execute()
    await gone.deleteFrom('captcha_marks').where('grantedAt', '<', ago('1 day')).execute()
    await gone.deleteFrom('known_devices').where('lastSeenAt', '<', ago('400 days')).execute()
    await gone.deleteFrom('rate_limits').where('expire', '<', sql<number>`extract(epoch from now()) * 1000`).execute()
    await gone.deleteFrom('outgoing_mails').where('sentAt', '<', ago('90 days')).execute()
  },
}
