import { Migration } from '@mikro-orm/migrations'

/** What each kind of row adds to which total. */
const contributions = {
  users: (rows: string, sign: 1 | -1) =>
    `select 'users' as subject, ${day('created_at')} as day, ${sign} as rows, 0 as nodes, 0 as amount from ${rows}`,
  purchases: (rows: string, sign: 1 | -1) =>
    `select 'purchases' as subject, ${day('created_at')} as day, ${sign} as rows, 0 as nodes, 0 as amount
     from ${rows} where posted_at is not null
     union all
     select case when amount > 0 then 'sales' else 'bonuses' end, ${day('coalesce(confirmed_at, created_at)')}, ${sign},
       ${sign} * coalesce(final_quantity, 0), ${sign} * amount
     from ${rows} where status = 'confirmed'`,
  withdrawals: (rows: string, sign: 1 | -1) =>
    `select 'withdrawals' as subject, ${day('created_at')} as day, ${sign} as rows, 0 as nodes, ${sign} * amount as amount from ${rows}
     union all
     select 'withdrawals_counted', ${day('created_at')}, ${sign}, 0, ${sign} * amount from ${rows} where status <> 'failed'`,
}

const subjects = {
  users: ['users'],
  purchases: ['purchases', 'sales', 'bonuses'],
  withdrawals: ['withdrawals', 'withdrawals_counted'],
}

const tables = ['users', 'purchases', 'withdrawals'] as const

function day(instant: string): string {
  return `(${instant} at time zone 'UTC')::date`
}

/** Adds the difference between rows before and after, if there is any. */
const add = (changed: string) =>
  `insert into daily_totals (subject, day, rows, nodes, amount)
   select subject, day, sum(rows), sum(nodes), sum(amount) from (${changed}) changed group by subject, day
   having sum(rows) <> 0 or sum(nodes) <> 0 or sum(amount) <> 0;`

/**
 * Counts and sums of each day, kept by triggers, so that the back office's lists and statistics need not count; and the indexes by which
 * its lists are read and searched.
 */
export class Migration20261120130000_daily_totals extends Migration {
  override up(): void {
    this.addSql(
      `create table "daily_totals" ("id" bigserial primary key, "subject" text not null, "day" date not null, "rows" bigint not null default '0', "nodes" bigint not null default '0', "amount" numeric(78, 0) not null default '0');`,
    )
    this.addSql(`create index "daily_totals_subject_day_index" on "daily_totals" ("subject", "day");`)
    this.addSql(
      `alter table "daily_totals" add constraint "daily_totals_subject_check" check ("subject" in ('users', 'purchases', 'sales', 'bonuses', 'withdrawals', 'withdrawals_counted'));`,
    )

    for (const table of tables) {
      const [added, removed] = [contributions[table]('added', 1), contributions[table]('removed', -1)]
      this.addSql(
        `create function count_${table}() returns trigger language plpgsql as \$\$
         begin
           if tg_op = 'INSERT' then ${add(added)}
           elsif tg_op = 'DELETE' then ${add(removed)}
           elsif tg_op = 'UPDATE' then ${add(`${added} union all ${removed}`)}
           else delete from daily_totals where subject in (${subjects[table].map((name) => `'${name}'`).join()});
           end if;
           return null;
         end \$\$;`,
      )
      const execute = `for each statement execute function count_${table}();`
      this.addSql(`create trigger count_inserted after insert on ${table} referencing new table as added ${execute}`)
      this.addSql(`create trigger count_deleted after delete on ${table} referencing old table as removed ${execute}`)
      this.addSql(
        `create trigger count_updated after update on ${table} referencing old table as removed new table as added ${execute}`,
      )
      this.addSql(`create trigger count_truncated after truncate on ${table} ${execute}`)
      this.addSql(add(contributions[table](table, 1)))
    }

    this.addSql(`create extension if not exists pg_trgm;`)
    // Every character and every pair of neighbours: what is too short for a trigram, or holds no letters, is found by these.
    this.addSql(
      `create function email_grams(email text) returns text[] language sql immutable strict parallel safe as \$\$
         select array_agg(distinct substr(email, place, size)) from generate_series(1, length(email)) place, generate_series(1, 2) size
       \$\$;`,
    )
    this.addSql(`create index users_email_trigrams on users using gin (email gin_trgm_ops) with (gin_pending_list_limit = 256);`)
    this.addSql(`create index users_email_grams on users using gin (email_grams(email)) with (gin_pending_list_limit = 256);`)
    this.addSql(`create index users_listed on users (created_at, id) include (email);`)
    this.addSql(`create index purchases_listed on purchases (created_at, id) where posted_at is not null;`)
    this.addSql(`create index "withdrawals_created_at_id_index" on "withdrawals" ("created_at", "id");`)
  }

  override down(): void {
    this.addSql(`drop index "withdrawals_created_at_id_index";`)
    this.addSql(`drop index purchases_listed;`)
    this.addSql(`drop index users_listed;`)
    this.addSql(`drop index users_email_grams;`)
    this.addSql(`drop index users_email_trigrams;`)
    this.addSql(`drop function email_grams(text);`)
    for (const table of tables) this.addSql(`drop function count_${table}() cascade;`)
    this.addSql(`drop table "daily_totals";`)
    // The extension stays: somebody else may have wanted it too.
  }
}
