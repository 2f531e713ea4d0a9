import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { MAX_PERSON_SESSIONS, type Person } from '#shared/contract/admin/person.ts'
import { describeDevice } from '#api/accounts/devices/describeDevice.ts'
import { readOtpStatus } from '#api/accounts/otp/readOtpStatus.ts'
import { listPasskeys } from '#api/accounts/passkeys/listPasskeys.ts'
import { userUnknown } from '#api/accounts/users/errors.ts'
import { readWithdrawn } from '#api/accounts/users/readWithdrawn.ts'
import { query } from '#api/entities/tables.ts'
import { readOwed } from '#api/withdrawals/requests/debts.ts'
import { limitInForce } from '#api/withdrawals/requests/dailyLimit.ts'
import { readUsers } from '../lists/listUsers.ts'

/**
 * An account with its figures and its security, for administrators.
 *
 * @param now that of `Clock.dueNow`.
 * @throws 404
 */
export async function readPerson(
  em: EntityManager,
  { userId, now, productNow }: { userId: string; now: Date; productNow: Date },
): Promise<Person> {
  const [row] = await readUsers(em, { ids: [userId], now })
  if (!row) throw userUnknown()
  const columns = await query(em)
    .selectFrom('users')
    .select([
      'language',
      'otpEnabledAt',
      'otpResetsAt',
      'otpLockedUntil',
      'frozenAt',
      'withdrawalsReviewedUntil',
      'reservationsPausedUntil',
    ])
    .select(['dailyLimit', 'nextDailyLimit', 'dailyLimitChangesAt'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const { otpEnabled, recoveryCodesLeft } = await readOtpStatus(em, userId)
  const later = (date: Date | null) => (date !== null && date > now ? date : null)
  return {
    ...row,
    language: columns.language,
    nodes: await countNodes(em, { userId, productNow }),
    withdrawn: await readWithdrawn(em, userId),
    owed: await readOwed(em, userId),
    authenticator: {
      enabledAt: otpEnabled ? columns.otpEnabledAt : null,
      lockedUntil: later(columns.otpLockedUntil),
      recoveryCodesLeft,
      resetsAt: columns.otpResetsAt,
    },
    passkeys: await listPasskeys(em, { realm: 'user', id: userId }),
    frozenAt: columns.frozenAt,
    heldUntil: later(columns.withdrawalsReviewedUntil),
    reservationsPausedUntil: later(columns.reservationsPausedUntil),
    dailyLimit: limitInForce(columns, now),
    ...(await readDevices(em, userId)),
  }
}

async function countNodes(
  em: EntityManager,
  { userId, productNow }: { userId: string; productNow: Date },
): Promise<Person['nodes']> {
  const owned = await query(em)
    .selectFrom('node_counts')
    .select(['paid', 'bonus', 'pending as bonusPending'])
    .where('user', '=', userId)
    .executeTakeFirst()
  const states = await query(em)
    .selectFrom('nodes')
    .select(({ fn, eb }) => [
      fn
        .countAll<number>()
        .filterWhere(eb.and([eb('activeFrom', '<=', productNow), eb('frozenAt', 'is', null)]))
        .as('active'),
      fn.count<number>('frozenAt').as('frozen'),
    ])
    .where('user', '=', userId)
    .executeTakeFirstOrThrow()
  return { paid: owned?.paid ?? 0, bonus: owned?.bonus ?? 0, bonusPending: owned?.bonusPending ?? 0, ...states }
}

/** The sessions that are still logged in, and the browsers that are known. */
async function readDevices(
  em: EntityManager,
  userId: string,
): Promise<Pick<Person, 'sessions' | 'sessionCount' | 'knownDevices' | 'pushDevices'>> {
  const sessions = await query(em)
    .selectFrom('web_sessions as s')
    .innerJoin('users as u', 'u.id', 's.accountId')
    .select(['s.key', 's.userAgent', 's.ipAddress as ip', 's.createdAt as since', 's.lastSeenAt as lastSeen'])
    .select(({ fn }) => fn.countAll<number>().over().as('count'))
    .where('s.realm', '=', 'user')
    .where('s.accountId', '=', userId)
    .whereRef('s.accountEpoch', '=', 'u.sessionEpoch')
    .where('s.expiresAt', '>', sql<Date>`now()`)
    .orderBy('s.lastSeenAt', 'desc')
    .limit(MAX_PERSON_SESSIONS)
    .execute()
  const countOf = async (table: 'known_devices' | 'push_subscriptions') => {
    const { count } = await query(em)
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('user', '=', userId)
      .executeTakeFirstOrThrow()
    return count
  }
  return {
    sessions: sessions.map(({ key, userAgent, ip, since, lastSeen }) => ({
      id: key,
      device: describeDevice(userAgent),
      ip,
      since,
      lastSeen,
    })),
    sessionCount: sessions[0]?.count ?? 0,
    knownDevices: await countOf('known_devices'),
    pushDevices: await countOf('push_subscriptions'),
  }
}
