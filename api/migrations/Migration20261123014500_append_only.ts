import { Migration } from '@mikro-orm/migrations'

/**
 * Prices and deposit addresses are a history as the ledger is: nothing of it is changed or removed. And `make_reward_months`, which runs as
 * the owner of the tables, takes sensible months only: it is the one door through which the application's role makes tables.
 */
export class Migration20261123014500_append_only extends Migration {
  override up(): void {
    for (const table of ['setting_changes', 'deposit_addresses'])
      this.addSql(
        `create trigger refuse_change before update or delete or truncate on ${table} for each statement execute function refuse_change();`,
      )
    // A temporary table of the caller's does not count as the month.
    this.addSql(
      makeRewardMonths(
        `to_regclass('public.' || name)`,
        `
         if first_day is null or months is null or first_day not between '2000-01-01' and '2199-12-31' or months not between 1 and 12 then
           raise exception 'make_reward_months takes 1 to 12 months from a day of the years 2000 to 2199';
         end if;`,
      ),
    )
  }

  override down(): void {
    for (const table of ['setting_changes', 'deposit_addresses']) this.addSql(`drop trigger refuse_change on ${table};`)
    this.addSql(makeRewardMonths('to_regclass(name)', ''))
  }
}

/** As the ledger's migration made it, but for a check of the arguments and how it finds a month that is there. */
const makeRewardMonths = (present: string, check: string) =>
  `create or replace function make_reward_months(first_day date, months int) returns void language plpgsql security definer set search_path = public, pg_temp as \$\$
       declare
         month date;
         parent text;
         name text;
       begin${check}
         perform pg_advisory_xact_lock(hashtext('reward-months'));
         for month in select (date_trunc('month', first_day) + i * interval '1 month')::date from generate_series(0, months - 1) i loop
           foreach parent in array array['ledger_entries', 'distributions'] loop
             name := parent || to_char(month, '_YYYY_MM');
             continue when ${present} is not null;
             begin
               execute format('create table %I partition of %I for values from (%L) to (%L)', name, parent, month, (month + interval '1 month')::date);
               execute format('create trigger refuse_truncate before truncate on %I for each statement execute function refuse_change()', name);
             exception when check_violation then
               -- The default partition holds rows of this month: it goes on doing so, and paying goes on.
               raise warning 'the month % stays in the default partition of %', month, parent;
             end;
           end loop;
         end loop;
       end \$\$;`
