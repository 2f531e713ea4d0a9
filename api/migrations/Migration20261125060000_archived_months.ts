import { Migration } from '@mikro-orm/migrations'

/**
 * Months of the ledger and of the distributions that are detached and archived (decision 47). `archived_ledger_entries` and
 * `archived_distributions` take over the partitions themselves; only the owner of the tables writes to any of these tables.
 *
 * The small index finds what is no daily reward, which are few entries among many.
 */
export class Migration20261125060000_archived_months extends Migration {
  override up(): void {
    this.addSql(
      `create table "archived_months" ("month" date not null, "entries" bigint not null, "rewards" bigint not null, "nodes" bigint not null, "moved" jsonb not null, "ledger_sha256" varchar(64) not null, "rewards_sha256" varchar(64) not null, "archived_at" timestamptz(3) not null, primary key ("month"));`,
    )
    this.addSql(
      `create table "carried_sums" ("month" date not null, "account_id" uuid not null, "moved" numeric(78, 0) not null, "distributed" numeric(78, 0) not null, primary key ("month", "account_id"));`,
    )
    this.addSql(
      `alter table "carried_sums" add constraint "carried_sums_month_foreign" foreign key ("month") references "archived_months" ("month") on update no action on delete no action;`,
    )
    for (const table of ['archived_months', 'carried_sums'])
      this.addSql(
        `create trigger refuse_change before update or delete or truncate on ${table} for each statement execute function refuse_change();`,
      )
    this.addSql(`create index ledger_entries_not_daily on ledger_entries (date) where cause not like 'distribution:%';`)
    for (const [table, date, key] of [
      ['ledger_entries', 'date', 'date, cause'],
      ['distributions', 'day', 'day, user_id'],
    ]) {
      this.addSql(`create table archived_${table} (like ${table} including constraints) partition by range (${date});`)
      this.addSql(`alter table archived_${table} add primary key (${key});`)
      this.addSql(
        `create trigger archived_${table}_append_only before update or delete on archived_${table} for each row execute function refuse_change();`,
      )
      this.addSql(
        `create trigger refuse_truncate before truncate on archived_${table} for each statement execute function refuse_change();`,
      )
    }
    this.addSql(
      `create index archived_ledger_entries_not_daily on archived_ledger_entries (date) where cause not like 'distribution:%';`,
    )
  }

  override down(): void {
    this.addSql(`drop table archived_ledger_entries, archived_distributions;`)
    this.addSql(`drop index ledger_entries_not_daily;`)
    this.addSql(`drop table "carried_sums";`)
    this.addSql(`drop table "archived_months";`)
  }
}
