import { sql } from '../../db/sql.ts'
import type { Check } from '../Check.ts'

/** Money.md 22: what is only ever added to. */
export const guards: Check = {
  name: 'The database still refuses to change or remove what is written for ever, and counts what it should',
  async run(em) {
    const rows = await sql<{ difference: string }>(
      em,
      `with tables as (
         select c.oid, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = current_schema() and c.relkind in ('r', 'p')
       ), kept (name, refused) as (
         -- Bits of pg_trigger: 8 delete, 16 update, 32 truncate.
         values ('ledger_entries', 56), ('distributions', 56), ('reward_corrections', 56), ('audit_entries', 56), ('accounts', 40)
       )
       select 'the trigger ' || tgname || ' of ' || relname || ' is switched off' as difference
       from pg_trigger t join tables on tables.oid = tgrelid where tgenabled = 'D'
       union all
       select relname || ' no longer refuses every change' from kept
       join tables on relname = name or tables.oid in (select inhrelid from pg_inherits where inhparent = to_regclass(name))
       where (select coalesce(bit_or(tgtype::int), 0) from pg_trigger where tgrelid = tables.oid and not tgisinternal) & refused <> refused
       order by 1`,
    )
    return rows.map(({ difference }) => difference)
  },
}
