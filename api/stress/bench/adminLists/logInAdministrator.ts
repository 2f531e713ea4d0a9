import type pg from 'pg'
import { DAY } from '#shared/dates.ts'

const SESSION = 'bench-administrator'.padEnd(43, '0')

/** The header of the session that `logInAdministrator` creates. */
export const administratorCookie = { cookie: `__Host-admin_session=${SESSION}` }

/** Creates an administrator with a session. */
export async function logInAdministrator(client: pg.Client): Promise<void> {
  const id = '01900000-0000-7000-8000-ffffffffffff'
  await client.query(`insert into administrators (id, username, password_hash, created_at) values ($1, 'bench', '-', now())`, [
    id,
  ])
  await client.query(
    `insert into web_sessions (id_hash, realm, key, account_id, account_epoch, data, created_at, last_seen_at, expires_at)
     values (encode(sha256(convert_to($1, 'UTF8')), 'hex'), 'admin', $2::uuid, $2::uuid, 0,
       jsonb_build_object('key', $2::uuid::text, 'accountId', $2::uuid::text, 'accountEpoch', 0,
         '_expire', (extract(epoch from now()) * 1000)::bigint + ${DAY}, '_maxAge', ${DAY}), now(), now(), now() + interval '1 day')`,
    [SESSION, id],
  )
}
