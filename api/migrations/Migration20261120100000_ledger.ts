import { Migration } from '@mikro-orm/migrations'

/**
 * Accounts, the ledger and the daily rewards.
 *
 * `ledger_entries` and `distributions` are partitioned by month, so that the indexes of the month being written stay small however many
 * years lie behind it. `make_reward_months` adds months; it runs as the owner of the tables, which the application's role need not be.
 */
export class Migration20261120100000_ledger extends Migration {
  override up(): void {
    this.addSql(
      `create table "accounts" ("id" uuid not null, "kind" text not null, "balance" numeric(78, 0) not null default '0', "total_earned" numeric(78, 0) not null default '0', "may_go_negative" boolean not null default false, primary key ("id"));`,
    )
    this.addSql(
      `alter table "accounts" add constraint "accounts_not_overdrawn" check (balance >= 0 or may_go_negative), add constraint "accounts_earned" check (total_earned >= 0), add constraint "accounts_kind_check" check ("kind" in ('user', 'rewards', 'payouts', 'fees'));`,
    )
    // Every row is rewritten once a day: the new version finds room beside the old one, and no index changes.
    this.addSql(`alter table accounts set (fillfactor = 45);`)
    this.addSql(
      `create function "accounts_accounts_kept_fn"() returns trigger as \$\$ begin raise exception 'accounts are never deleted' using errcode = 'restrict_violation'; end; \$\$ language plpgsql;`,
    )
    this.addSql(
      `create trigger "accounts_kept" BEFORE DELETE on "accounts" for each STATEMENT execute function "accounts_accounts_kept_fn"();`,
    )
    this.addSql(
      `create trigger accounts_refuse_truncate before truncate on accounts for each statement execute function accounts_accounts_kept_fn();`,
    )
    this.addSql(
      `insert into accounts (id, kind, may_go_negative) values
         ('00000000-0000-7000-8000-000000000001', 'rewards', true),
         ('00000000-0000-7000-8000-000000000002', 'payouts', false),
         ('00000000-0000-7000-8000-000000000003', 'fees', false);`,
    )

    this.addSql(
      `create table "reward_runs" ("day" date not null, "rate" numeric(78, 0) not null, "closed_at" timestamptz(3) not null, "paid_at" timestamptz(3) null, "users" int not null default 0, "nodes" int not null default 0, "amount" numeric(78, 0) not null default '0', primary key ("day"));`,
    )
    this.addSql(
      `create table "reward_skips" ("day" date not null, "node_number" int not null, primary key ("day", "node_number"));`,
    )
    this.addSql(
      `alter table "reward_skips" add constraint "reward_skips_day_foreign" foreign key ("day") references "reward_runs" ("day"), add constraint "reward_skips_node_number_foreign" foreign key ("node_number") references "nodes" ("number");`,
    )

    // What was set before had no product time of its own; nothing has been paid by it yet.
    this.addSql(`alter table "setting_changes" add "product_effective_at" timestamptz(3) null;`)
    this.addSql(`update setting_changes set product_effective_at = effective_at;`)
    this.addSql(`alter table "setting_changes" alter column "product_effective_at" set not null;`)

    this.addSql(
      `create table ledger_entries (
         date date not null,
         cause text not null,
         from_account uuid not null,
         to_account uuid not null,
         amount numeric(78, 0) not null,
         recorded_at timestamptz(3) not null,
         primary key (date, cause),
         constraint ledger_entries_amount check (amount > 0),
         constraint ledger_entries_moves check (from_account <> to_account)
       ) partition by range (date);`,
    )
    this.addSql(
      `create table distributions (
         day date not null,
         user_id uuid not null,
         id uuid not null,
         active_nodes int not null,
         rate numeric(78, 0) not null,
         amount numeric(78, 0) not null,
         created_at timestamptz(3) not null,
         primary key (day, user_id),
         constraint distributions_nodes check (active_nodes > 0),
         constraint distributions_amount check (amount = active_nodes * rate and amount > 0)
       ) partition by range (day);`,
    )
    // For what comes in a month that nobody made. It works, and the workers raise an alarm.
    this.addSql(`create table ledger_entries_default partition of ledger_entries default;`)
    this.addSql(`create table distributions_default partition of distributions default;`)

    this.addSql(
      `create function refuse_change() returns trigger as \$\$ begin raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation'; end; \$\$ language plpgsql;`,
    )
    for (const table of ['ledger_entries', 'distributions']) {
      // One for each row is passed on to every partition, those to come included; of TRUNCATE there are none for each row.
      this.addSql(
        `create trigger ${table}_append_only before update or delete on ${table} for each row execute function refuse_change();`,
      )
      for (const name of [table, `${table}_default`])
        this.addSql(
          `create trigger refuse_truncate before truncate on ${name} for each statement execute function refuse_change();`,
        )
    }

    this.addSql(
      `create function make_reward_months(first_day date, months int) returns void language plpgsql security definer set search_path = public, pg_temp as \$\$
       declare
         month date;
         parent text;
         name text;
       begin
         perform pg_advisory_xact_lock(hashtext('reward-months'));
         for month in select (date_trunc('month', first_day) + i * interval '1 month')::date from generate_series(0, months - 1) i loop
           foreach parent in array array['ledger_entries', 'distributions'] loop
             name := parent || to_char(month, '_YYYY_MM');
             continue when to_regclass(name) is not null;
             begin
               execute format('create table %I partition of %I for values from (%L) to (%L)', name, parent, month, (month + interval '1 month')::date);
               execute format('create trigger refuse_truncate before truncate on %I for each statement execute function refuse_change()', name);
             exception when check_violation then
               -- The default partition holds rows of this month: it goes on doing so, and paying goes on.
               raise warning 'the month % stays in the default partition of %', month, parent;
             end;
           end loop;
         end loop;
       end \$\$;`,
    )
  }

  override down(): void {
    this.addSql(`drop function make_reward_months(date, int);`)
    this.addSql(`drop table ledger_entries, distributions;`)
    this.addSql(`drop function refuse_change();`)
    this.addSql(`alter table "setting_changes" drop column "product_effective_at";`)
    this.addSql(`drop table "reward_skips";`)
    this.addSql(`drop table "reward_runs";`)
    this.addSql(`drop table "accounts";`)
    this.addSql(`drop function "accounts_accounts_kept_fn"();`)
  }
}
