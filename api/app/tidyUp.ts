import { sql } from '#api/platform/db/sql.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'

/** What is of no use any more, and after how long. What tells about money is kept for ever. */
const leftovers = [
  `delete from idempotency_keys where created_at < now() - interval '24 hours'`,
  `delete from web_sessions where expires_at < now()`,
  `delete from email_codes where expires_at < now() - interval '1 day'`,
  `delete from verified_emails where expires_at < now()`,
  `delete from otp_setups where expires_at < now()`,
  `delete from half_logins where expires_at < now() - interval '1 day'`,
  `delete from step_up_marks where granted_at < now() - interval '1 day'`,
  `delete from stream_leases where expires_at < now() - interval '1 hour'`,
  `delete from captcha_marks where granted_at < now() - interval '1 day'`,
  `delete from known_devices where last_seen_at < now() - interval '400 days'`,
  `delete from rate_limits where expire < extract(epoch from now()) * 1000`,
  `delete from outgoing_mails where sent_at < now() - interval '90 days'`,
]

export const tidyUp: Sweep<'orm'> = {
  name: 'tidy-up',
  everySeconds: 3_600,
  async run({ orm }) {
    for (const statement of leftovers) await sql(orm.em.fork(), statement)
  },
}
