import pg from 'pg'
import { entities } from './all.ts'

/**
 * Tables whose rows the application may insert but neither change nor delete. The rights of the application's role and the
 * audit's check of triggers and grants derive from this list. The migration of such a table also creates its trigger
 * `refuse_change`, which binds the owner too.
 */
export const appendOnlyTables = [
  'audit_entries',
  'deposit_addresses',
  'deposit_decisions',
  'distributions',
  'ledger_entries',
  'payout_wallet_readings',
  'register_checkpoints',
  'register_days',
  'register_entries',
  'register_groups',
  'reward_corrections',
  'setting_changes',
  'user_notes',
] as const

/** Append-only tables whose rows only the owner writes. Archived months are moved there by their partitions (decision 47). */
export const readOnlyTables = ['archived_distributions', 'archived_ledger_entries', 'archived_months', 'carried_sums'] as const

/** Tables whose rows may change but not be deleted. */
export const undeletableTables = ['accounts', 'proof_keys', 'proposals', 'register_receipts'] as const

export const toSqlArray = (words: readonly string[]): string => `array[${words.map((word) => `'${word}'`).join()}]`

const rights = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']

const tables = [...entities.map(({ meta }) => meta.tableName), 'mikro_orm_migrations']

/**
 * Every table with the rights that the application's role should have, or null for one of a later release: only that release knows
 * whether its rows may change, and this one keeps running beside it.
 */
const wantedRights = `
  select c.oid, c.relowner, format('%I.%I', n.nspname, c.relname) as name,
    case
      when n.nspname = 'pgboss' then ${toSqlArray(['SELECT', 'INSERT', 'UPDATE', 'DELETE'])}
      -- Rows are written through the partitioned table.
      when c.relispartition or c.relname = any(${toSqlArray([...readOnlyTables, 'mikro_orm_migrations'])}) then ${toSqlArray(['SELECT'])}
      when c.relname = any(${toSqlArray(appendOnlyTables)}) then ${toSqlArray(['SELECT', 'INSERT'])}
      when c.relname = any(${toSqlArray(undeletableTables)}) then ${toSqlArray(['SELECT', 'INSERT', 'UPDATE'])}
      when c.relname = any(${toSqlArray(tables)}) then ${toSqlArray(['SELECT', 'INSERT', 'UPDATE', 'DELETE'])}
    end as wanted
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('public', 'pgboss') and c.relkind in ('r', 'p')`

/** The tables on which a role has other rights than it should have. */
const wrongRights = (role: string) => `
  select name, wanted from (${wantedRights}) tables where exists (
    select from unnest(${toSqlArray(rights)}) "right" where has_table_privilege(${role}, oid, "right") <> ("right" = any(wanted)))`

/**
 * SQL condition: the connection's role can alter the tables, as a superuser, their owner, or the owner of their schema or
 * database.
 */
export const OWNS_TABLES = `(
  select coalesce(bool_or(pg_has_role(relowner, 'MEMBER')), false) from (${wantedRights}) tables
) or pg_has_role((select nspowner from pg_namespace where nspname = 'public'), 'MEMBER')`

/** SQL condition: the connection's role has exactly the application's rights. */
export const HAS_RIGHTS = `not has_schema_privilege('public', 'CREATE') and not exists (${wrongRights('current_user')})`

/**
 * Grants the application's role exactly its rights on all tables, in one transaction. Runs as the owner after every migration.
 */
export async function grantRights(owner: pg.Client, role: string): Promise<void> {
  const application = pg.escapeIdentifier(role)
  await owner.query('begin')
  try {
    await owner.query(`grant usage on schema public, pgboss to ${application}`)
    const { rows: open } = await owner.query(`select where has_schema_privilege($1, 'public', 'CREATE')`, [role])
    // With this right the application could shadow a function that the owner's functions call.
    if (open.length > 0) await owner.query(`revoke create on schema public from public, ${application}`)
    const { rows: wrong } = await owner.query<{ name: string; wanted: string[] }>(wrongRights('$1'), [role])
    for (const { name, wanted } of wrong) {
      await owner.query(`revoke all on ${name} from public, ${application}`)
      await owner.query(`grant ${wanted.join(', ')} on ${name} to ${application}`)
    }
    await owner.query(`grant usage, select on all sequences in schema public, pgboss to ${application}`)
    await owner.query(`revoke execute on function make_reward_months(date, int) from public`)
    await owner.query(`grant execute on function make_reward_months(date, int) to ${application}`)
    // Tables and partitions created between two runs are readable only.
    await owner.query(`alter default privileges in schema public grant select on tables to ${application}`)
    await owner.query('commit')
  } catch (error) {
    await owner.query('rollback')
    throw error
  }
}
