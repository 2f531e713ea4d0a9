import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import { laterClock } from '#api/platform/clock/laterClock.ts'
import { newId } from '#api/platform/db/newId.ts'
import { hashToken } from '#api/platform/hashToken.ts'
import { query, type Tables } from '#api/entities/tables.ts'
import type { SessionRealm } from '#api/platform/tables/WebSession.ts'

/** Limit for one account. It bounds the guesses of a day, because every known device has its own limits. */
export const MAX_KNOWN_DEVICES = 10

const tables = { user: 'users', admin: 'administrators' } as const
const owners = { user: 'user', admin: 'administrator' } as const satisfies Record<SessionRealm, keyof Tables['known_devices']>

const accountsOf = (em: EntityManager, realm: SessionRealm) =>
  realm === 'user'
    ? query(em).selectFrom('users').select(['id', 'email as name', 'sessionEpoch', 'otpEnabledAt']).as('a')
    : query(em).selectFrom('administrators').select(['id', 'username as name', 'sessionEpoch', 'otpEnabledAt']).as('a')

/** The device has shown a code since the authenticator was enabled, both dated by `laterClock`. */
const hasShown = sql<boolean>`coalesce(${sql.ref('d.codeShownAt')} >= ${sql.ref('a.otpEnabledAt')}, false)`

/** A browser in which the account has logged in since its password was last set. */
export interface KnownDevice {
  id: string
  /** The device has shown a code of the present authenticator, which a password alone does not allow. */
  hasShownCode: boolean
}

/** Finds the browser of a request among the known devices of the account named in the request. */
export async function findKnownDevice(
  em: EntityManager,
  { realm, name, browserToken }: { realm: SessionRealm; name: string; browserToken: string | undefined },
): Promise<KnownDevice | undefined> {
  if (browserToken === undefined) return undefined
  return query(em)
    .selectFrom('known_devices as d')
    .innerJoin(accountsOf(em, realm), 'a.id', `d.${owners[realm]}`)
    .select(['d.id', hasShown.as('hasShownCode')])
    .where('a.name', '=', name)
    .where('d.tokenHash', '=', hashToken(browserToken))
    .whereRef('d.accountEpoch', '=', 'a.sessionEpoch')
    .executeTakeFirst()
}

/** The user who last logged in with this browser and would not be a stranger there, where a request names no account. */
export async function findBrowserUser(em: EntityManager, browserToken: string | undefined): Promise<string | undefined> {
  if (browserToken === undefined) return undefined
  const found = await query(em)
    .selectFrom('known_devices as d')
    .innerJoin('users as u', (join) => join.onRef('u.id', '=', 'd.user').onRef('u.sessionEpoch', '=', 'd.accountEpoch'))
    .select('u.id')
    .where('d.tokenHash', '=', hashToken(browserToken))
    .orderBy('d.lastSeenAt', 'desc')
    .limit(1)
    .executeTakeFirst()
  return found?.id
}

/** The key of a limit: all unknown devices share one, a known device has its own (money.md 34). */
export const countedAs = (device: KnownDevice | undefined, shared: string): string => (device ? `device ${device.id}` : shared)

export interface DeviceLogin {
  realm: SessionRealm
  accountId: string
  browserToken: string
  /** The account's epoch when its password was verified. After a newer one the browser stays unknown: that was the old password. */
  epoch?: number
  /** Whether this login included a code of the authenticator. */
  hasShownCode?: boolean
  /** This browser has just raised the account's epoch by one, so it is still known if it was before. */
  hasRaisedEpoch?: boolean
  /** Real time. */
  now: Date
}

/**
 * Makes a browser a known device of the account. Above the limit, the least recently used device is removed; devices that have
 * shown a code are removed last, so that a stolen password alone cannot displace them.
 *
 * @returns whether the account did not know the browser. A browser that was known before the password was last set is unknown, and the
 * code that it has shown no longer counts: it may belong to a thief of the old password.
 */
export async function rememberDevice(
  em: EntityManager,
  { realm, accountId, browserToken, epoch, hasShownCode = false, hasRaisedEpoch = false, now }: DeviceLogin,
): Promise<{ isNew: boolean }> {
  const owner = owners[realm]
  const tokenHash = hashToken(browserToken)
  // Accounts are locked before their devices everywhere.
  const account = await query(em)
    .selectFrom(tables[realm])
    .select('sessionEpoch')
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!account || (epoch !== undefined && epoch !== account.sessionEpoch)) return { isNew: false }
  const known = await query(em)
    .selectFrom('known_devices')
    .select('id')
    .where(owner, '=', accountId)
    .where('tokenHash', '=', tokenHash)
    .where('accountEpoch', '>=', account.sessionEpoch - (hasRaisedEpoch ? 1 : 0))
    .executeTakeFirst()
  await query(em)
    .insertInto('known_devices')
    .values({
      id: newId(),
      [owner]: accountId,
      tokenHash,
      firstSeenAt: now,
      lastSeenAt: now,
      accountEpoch: account.sessionEpoch,
      codeShownAt: hasShownCode ? laterClock(now) : null,
    })
    .onConflict((conflict) =>
      conflict.columns([owner, 'tokenHash']).doUpdateSet((eb) => ({
        lastSeenAt: eb.ref('excluded.lastSeenAt'),
        accountEpoch: eb.ref('excluded.accountEpoch'),
        codeShownAt: known ? eb.fn.coalesce('excluded.codeShownAt', 'known_devices.codeShownAt') : eb.ref('excluded.codeShownAt'),
      })),
    )
    .execute()
  await query(em)
    .updateTable('known_devices')
    .set({ accountEpoch: null })
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('known_devices as d')
        .innerJoin(accountsOf(em, realm), (join) =>
          join.onRef('a.id', '=', `d.${owner}`).onRef('a.sessionEpoch', '=', 'd.accountEpoch'),
        )
        .select('d.id')
        .where('a.id', '=', accountId)
        .orderBy((order) => order('d.tokenHash', '=', tokenHash), 'desc')
        .orderBy(hasShown, 'desc')
        .orderBy('d.lastSeenAt', 'desc')
        .offset(MAX_KNOWN_DEVICES),
    )
    .execute()
  return { isNew: !known }
}
