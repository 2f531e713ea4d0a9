import type { EntityManager } from '@mikro-orm/postgresql'
import { createHash } from 'node:crypto'
import { newId } from '#api/platform/db/newId.ts'
import { sql } from '#api/platform/db/sql.ts'
import type { SessionRealm } from '#api/platform/tables/WebSession.ts'

/** Of one account. Bounds the guesses of a day: every known device has limits of its own. */
export const MAX_KNOWN_DEVICES = 10

const accounts: Record<SessionRealm, { table: string; name: string; column: string }> = {
  user: { table: 'users', name: 'email', column: 'user_id' },
  admin: { table: 'administrators', name: 'username', column: 'administrator_id' },
}

/** A browser in which the account has logged in since its password was last set. */
export interface KnownDevice {
  id: string
  /** It has shown a code of the authenticator that is enabled now. A password alone is not enough for that. */
  hasShownCode: boolean
}

const hashToken = (browserToken: string): string => createHash('sha256').update(browserToken).digest('hex')

/** Finds the browser of a request among the known devices of the account that the request names. */
export async function findKnownDevice(
  em: EntityManager,
  { realm, name, browserToken }: { realm: SessionRealm; name: string; browserToken: string | undefined },
): Promise<KnownDevice | undefined> {
  if (browserToken === undefined) return undefined
  const { table, name: nameColumn, column } = accounts[realm]
  const [device] = await sql<{ id: string; has_shown_code: boolean }>(
    em,
    `select d.id, coalesce(d.code_shown_at >= a.otp_enabled_at, false) as has_shown_code
     from known_devices d join ${table} a on a.id = d.${column}
     where a.${nameColumn} = $1 and d.token_hash = $2 and d.account_epoch = a.session_epoch`,
    [name, hashToken(browserToken)],
  )
  return device && { id: device.id, hasShownCode: device.has_shown_code }
}

/** The key of a limit: strangers share one, a known device has its own (money.md 34). */
export const countedAs = (device: KnownDevice | undefined, shared: string): string => (device ? `device ${device.id}` : shared)

export interface DeviceLogin {
  realm: SessionRealm
  accountId: string
  browserToken: string
  /** Whether this login has shown a code of the authenticator. */
  hasShownCode?: boolean
  /** Real time. */
  now: Date
}

/**
 * Makes a browser a known device of the account. Beyond the most there may be, the one used longest ago becomes a stranger; those that
 * have shown a code stay longest, so that a stolen password alone cannot push them out.
 */
export async function rememberDevice(
  em: EntityManager,
  { realm, accountId, browserToken, hasShownCode = false, now }: DeviceLogin,
): Promise<{ isNew: boolean; isFirst: boolean }> {
  const { table, column } = accounts[realm]
  const tokenHash = hashToken(browserToken)
  // Accounts are locked before their devices everywhere.
  await sql(em, `select from ${table} where id = $1 for no key update`, [accountId])
  const [device] = await sql<{ is_new: boolean; is_first: boolean }>(
    em,
    `insert into known_devices (id, ${column}, token_hash, first_seen_at, last_seen_at, account_epoch, code_shown_at)
     select $1, id, $3, $4, $4, session_epoch, $5 from ${table} where id = $2
     on conflict (${column}, token_hash) do update set last_seen_at = excluded.last_seen_at,
       account_epoch = excluded.account_epoch, code_shown_at = coalesce(excluded.code_shown_at, known_devices.code_shown_at)
     returning xmax = 0 as is_new,
       not exists (select from known_devices other where other.${column} = $2 and other.token_hash <> $3) as is_first`,
    [newId(), accountId, tokenHash, now, hasShownCode ? now : null],
  )
  await sql(
    em,
    `update known_devices set account_epoch = null where id in (
       select d.id from known_devices d join ${table} a on a.id = d.${column} and a.session_epoch = d.account_epoch
       where a.id = $1
       order by d.token_hash = $3 desc, coalesce(d.code_shown_at >= a.otp_enabled_at, false) desc, d.last_seen_at desc
       offset $2
     )`,
    [accountId, MAX_KNOWN_DEVICES, tokenHash],
  )
  return { isNew: device?.is_new ?? false, isFirst: device?.is_first ?? false }
}
