import { sql } from '#api/platform/db/sql.ts'
import { appendOnlyTables, readOnlyTables, toSqlArray, undeletableTables } from '#api/entities/tableRights.ts'
import type { Check } from '../Check.ts'

// Bits of pg_trigger: 8 delete, 16 update, 32 truncate.
const NO_CHANGE = 8 + 16 + 32
const NO_REMOVAL = 8 + 32

/** money.md 22: append-only tables. */
export const guards: Check = {
  name: 'The database protects append-only rows from changes and deletion, and all its triggers are enabled',
  async run(em) {
    const rows = await sql<{ difference: string }>(
      em,
      `with tables as (
         select c.oid, c.relname, c.relowner, c.relacl, parent.relname as parent
         from pg_class c join pg_namespace n on n.oid = c.relnamespace
         left join pg_inherits on inhrelid = c.oid left join pg_class parent on parent.oid = inhparent and parent.relnamespace = n.oid
         where n.nspname = current_schema() and c.relkind in ('r', 'p')
       ), kept as (
         select tables.*, refused, withheld from (
           select unnest(${toSqlArray(appendOnlyTables)}) as name, ${NO_CHANGE} as refused, '{UPDATE,DELETE,TRUNCATE}'::text[] as withheld
           union all select unnest(${toSqlArray(readOnlyTables)}), ${NO_CHANGE}, '{INSERT,UPDATE,DELETE,TRUNCATE}'
           union all select unnest(${toSqlArray(undeletableTables)}), ${NO_REMOVAL}, '{DELETE,TRUNCATE}'
         ) listed join tables on name in (relname, parent)
       )
       select 'the trigger ' || tgname || ' of ' || relname || ' is disabled' as difference
       from pg_trigger t join tables on tables.oid = tgrelid where tgenabled = 'D'
       union all
       select relname || ' does not refuse every change' from kept
       where (select coalesce(bit_or(tgtype::int), 0) from pg_trigger where tgrelid = kept.oid and not tgisinternal) & refused <> refused
       union all
       select relname || ' may be changed by ' || case when grantee = 0 then 'public' else grantee::regrole::text end || ': ' || privilege_type
       from kept, aclexplode(relacl) where privilege_type = any(withheld) and grantee <> relowner
       order by 1`,
    )
    return rows.map(({ difference }) => difference)
  },
}
