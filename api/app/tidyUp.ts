import { type RawBuilder, sql } from 'kysely'
import { deleteEndedSubscriptions } from '#api/accounts/push/savePushSubscription.ts'
import { query } from '#api/entities/tables.ts'
import type { Sweep } from '#api/platform/jobs/defineJob.ts'

const ago = (time: string): RawBuilder<Date> => sql<Date>`now() - ${time}::interval`

export const tidyUp: Sweep<'orm'> = {
  name: 'tidy-up',
  everySeconds: 3_600,
  /** Deletes rows that are no longer needed. Records of money are kept forever. */
  async run({ orm }) {
    const db = query(orm.em.fork())
    await db.deleteFrom('idempotency_keys').where('createdAt', '<', ago('24 hours')).execute()
    // An expired session with a subscription stays for the messages of an owner who was long away (decisions/0037).
    await db
      .deleteFrom('web_sessions')
      .where('expiresAt', '<', ago('0'))
      .where((eb) =>
        eb.or([
          eb('expiresAt', '<', ago('60 days')),
          eb('key', 'not in', eb.selectFrom('push_subscriptions').select('sessionKey')),
        ]),
      )
      .execute()
    await deleteEndedSubscriptions(orm.em.fork())
    await db.deleteFrom('email_codes').where('expiresAt', '<', ago('1 day')).execute()
    await db.deleteFrom('verified_emails').where('expiresAt', '<', ago('0')).execute()
    await db.deleteFrom('otp_setups').where('expiresAt', '<', ago('0')).execute()
    // Kept for a while, so that an old link is called expired and not unknown.
    await db.deleteFrom('freeze_tokens').where('expiresAt', '<', ago('90 days')).execute()
    await db.deleteFrom('passkey_challenges').where('expiresAt', '<', ago('0')).execute()
    await db.deleteFrom('half_logins').where('expiresAt', '<', ago('1 day')).execute()
    await db.deleteFrom('step_up_marks').where('grantedAt', '<', ago('1 day')).execute()
    await db.deleteFrom('stream_leases').where('expiresAt', '<', ago('1 hour')).execute()
    await db.deleteFrom('wallet_balances').where('wantedAt', '<', ago('1 day')).execute()
    await db.deleteFrom('captcha_marks').where('grantedAt', '<', ago('1 day')).execute()
    await db.deleteFrom('known_devices').where('lastSeenAt', '<', ago('400 days')).execute()
    await db.deleteFrom('rate_limits').where('expire', '<', sql<number>`extract(epoch from now()) * 1000`).execute()
    await db.deleteFrom('inbox_messages').where('createdAt', '<', ago('1 year')).execute()
    await db.deleteFrom('outgoing_mails').where('sentAt', '<', ago('90 days')).execute()
    await db.deleteFrom('outgoing_mails').where('sentAt', 'is', null).where('attemptsEndAt', '<', ago('7 days')).execute()
  },
}
