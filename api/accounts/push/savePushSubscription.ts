import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { ECDH } from 'node:crypto'
import type { savePushSubscription as contract } from '#shared/contract/push.ts'
import type { Input, Output } from '#shared/contract/endpoint.ts'
import { query } from '#api/entities/tables.ts'
import type { PushConfig } from '#api/platform/config.ts'
import { newId } from '#api/platform/db/newId.ts'
import { refusal } from '#api/platform/errors.ts'
import { isPushEndpoint } from '#api/platform/push/isPushEndpoint.ts'

/** Of one account. */
const MAX_SUBSCRIPTIONS = 10

const unknownService = () => refusal(400, 'push_service_unknown', "Notifications aren't available in this browser.")

type Subscription = Input<typeof contract>['body'] & { userId: string; sessionKey: string }

/**
 * Stores the subscription of a session's browser, instead of an earlier one of the session, and forgets those of the account's ended sessions.
 *
 * A subscription of another account moves only with the same keys, which only the browser itself has: knowing its URL is not enough
 * to silence its owner.
 *
 * @throws 400 `push_service_unknown`, 409 `too_many_subscriptions`.
 */
export async function savePushSubscription(
  em: EntityManager,
  { hosts }: Pick<PushConfig, 'hosts'>,
  { userId, sessionKey, endpoint, p256dh, auth, showsDetails }: Subscription,
): Promise<Output<typeof contract>> {
  if (!isPushEndpoint(endpoint, hosts) || !isPoint(p256dh)) throw unknownService()
  // One request of an account at a time: the limit counts its subscriptions.
  await query(em).selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
  await query(em)
    .deleteFrom('push_subscriptions')
    .where('user', '=', userId)
    .where('endpoint', '<>', endpoint)
    .where((eb) =>
      eb.or([
        eb('sessionKey', '=', sessionKey),
        eb('sessionKey', 'not in', eb.selectFrom('web_sessions').select('key').where('accountId', '=', userId)),
      ]),
    )
    .execute()
  const now = sql<Date>`now()`
  const saved = await query(em)
    .insertInto('push_subscriptions')
    .values({
      id: newId(),
      user: userId,
      sessionKey,
      endpoint,
      p256dh,
      auth,
      showsDetails: showsDetails ?? false,
      createdAt: now,
      lastSeenAt: now,
    })
    .onConflict((conflict) =>
      conflict
        .column('endpoint')
        .doUpdateSet({
          user: userId,
          sessionKey,
          p256dh,
          auth,
          // The next owner chooses anew.
          showsDetails: showsDetails ?? sql<boolean>`push_subscriptions.shows_details and push_subscriptions.user_id = ${userId}`,
          lastSeenAt: now,
        })
        .where((eb) =>
          eb.or([
            eb('push_subscriptions.user', '=', userId),
            eb.and([eb('push_subscriptions.p256dh', '=', p256dh), eb('push_subscriptions.auth', '=', auth)]),
          ]),
        ),
    )
    .returning('showsDetails')
    .executeTakeFirst()
  if (!saved) throw unknownService()
  const { count } = await query(em)
    .selectFrom('push_subscriptions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user', '=', userId)
    .executeTakeFirstOrThrow()
  if (count > MAX_SUBSCRIPTIONS)
    throw refusal(409, 'too_many_subscriptions', 'Too many of your devices get notifications. Log out of one you no longer use.')
  return saved
}

/** Deletes the subscription of a session. */
export async function deletePushSubscription(em: EntityManager, sessionKey: string): Promise<void> {
  await query(em).deleteFrom('push_subscriptions').where('sessionKey', '=', sessionKey).execute()
}

/** Deletes the subscriptions whose session has ended. */
export async function deleteEndedSubscriptions(em: EntityManager): Promise<void> {
  await query(em)
    .deleteFrom('push_subscriptions')
    .where('sessionKey', 'not in', (eb) => eb.selectFrom('web_sessions').select('key'))
    .execute()
}

function isPoint(key: string): boolean {
  try {
    ECDH.convertKey(key, 'prime256v1', 'base64url')
    return true
  } catch {
    return false
  }
}
