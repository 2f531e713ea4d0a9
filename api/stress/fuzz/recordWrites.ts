import type { EntityManager } from '@mikro-orm/postgresql'
import { sql } from '#api/platform/db/sql.ts'

/** Writes that a refused request may make, with the reason. Any other write is a finding. */
const allowed: [where: RegExp, reason: string][] = [
  [/^public\.rate_limits /, 'calls are counted'],
  [
    /^public\.web_sessions (insert|delete|update\((data|expires_at|last_seen_at|ip_address|,)+\))$/,
    'a session starts or is used',
  ],
  [/^public\.audit_entries insert$/, 'a refused login of an administrator is logged'],
  [
    /^public\.(users|administrators|known_devices) update\((otp_failures|otp_locked_until|otp_locks|,)+\)$/,
    'a wrong code is counted',
  ],
  [/^public\.email_codes update\(wrong_tries\)$/, 'a wrong code is counted'],
  [/^public\.half_logins (update\(tries_left\)|delete)$/, 'too many wrong codes end a half login'],
  [/^public\.passkey_challenges delete$/, 'a wrong answer uses up its challenge'],
  [/^pgboss\.version update/, 'the queue maintains itself independently of requests'],
  [/^public\.wallet_balances /, 'the balance of a buyer who has opened the purchase page is read in the background'],
  [/^public\.captcha_marks (update|delete)/, 'a solved captcha is used up'],
]

/**
 * Creates triggers that record the changed tables in the same transaction, so that rolled back changes leave no record. An update without
 * changed values is not recorded.
 *
 * @param em connects as the superuser, because the application may not create triggers.
 */
export async function recordWrites(em: EntityManager): Promise<void> {
  await sql(em, 'create schema fuzz')
  await sql(em, 'create table fuzz.writes (id bigserial, what text not null)')
  for (const what of ['schema fuzz', 'table fuzz.writes', 'sequence fuzz.writes_id_seq'])
    await sql(em, `grant all on ${what} to public`)
  await sql(
    em,
    `create function fuzz.note() returns trigger language plpgsql as $$
     declare columns text;
     begin
       if tg_op = 'UPDATE' then
         select string_agg(n.key, ',' order by n.key) into columns
         from jsonb_each(to_jsonb(new)) n join jsonb_each(to_jsonb(old)) o on o.key = n.key where n.value is distinct from o.value;
         if columns is null then return null; end if;
       end if;
       insert into fuzz.writes (what)
       values (tg_table_schema || '.' || tg_table_name || ' ' || lower(tg_op) || coalesce('(' || columns || ')', ''));
       return null;
     end $$`,
  )
  const tables = await sql<{ name: string }>(
    em,
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname in ('public', 'pgboss')`,
  )
  for (const { name } of tables)
    await sql(
      em,
      `create trigger fuzz_note after insert or update or delete on ${name} for each row execute function fuzz.note()`,
    )
}

/** Returns and deletes the recorded changes. */
export async function takeWrites(em: EntityManager): Promise<string[]> {
  const rows = await sql<{ what: string }>(
    em,
    'with taken as (delete from fuzz.writes returning what) select distinct what from taken order by what',
  )
  return rows.map(({ what }) => what)
}

/** Returns the changes that refused and reading requests must not make. */
export const forbidden = (writes: string[]): string[] => writes.filter((what) => !allowed.some(([where]) => where.test(what)))
