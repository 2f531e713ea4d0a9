import { Migration } from '@mikro-orm/migrations'

/** What a payment that is booked after a restore has taken beyond its account's balance. */
export class Migration20261123014702_debts extends Migration {
  override up(): void {
    this.addSql(
      `create table "debts" ("id" uuid not null, "withdrawal_id" uuid not null, "user_id" uuid not null, "amount" numeric(78, 0) not null, "owed" numeric(78, 0) not null, "opened_at" timestamptz(3) not null, "closed_at" timestamptz(3) null, primary key ("id"));`,
    )
    this.addSql(`alter table "debts" add constraint "debts_withdrawal_id_unique" unique ("withdrawal_id");`)
    this.addSql(`create index debts_open on debts (user_id) where closed_at is null;`)
    this.addSql(
      `alter table "debts" add constraint "debts_withdrawal_id_foreign" foreign key ("withdrawal_id") references "withdrawals" ("id") on delete restrict;`,
    )
    this.addSql(`alter table "debts" add constraint "debts_user_id_foreign" foreign key ("user_id") references "users" ("id");`)
    this.addSql(
      `alter table "debts" add constraint "debts_owed" check (owed >= 0 and owed <= amount and (owed > 0 or closed_at is not null));`,
    )

    // Both admit more than before, so no row needs to be read.
    this.addSql(`alter table "accounts" drop constraint "accounts_kind_check";`)
    this.addSql(
      `alter table "accounts" add constraint "accounts_kind_check" check ("kind" in ('user', 'rewards', 'payouts', 'fees', 'debts')) not valid;`,
    )
    this.addSql(`alter table "withdrawals" drop constraint "withdrawals_review_reason_check";`)
    this.addSql(
      `alter table "withdrawals" add constraint "withdrawals_review_reason_check" check ("review_reason" in ('above_limit', 'recent_change', 'foreign_contract', 'unknown_outcome', 'paid_before')) not valid;`,
    )
  }

  override down(): void {
    this.addSql(`drop table "debts";`)
    this.addSql(`alter table "accounts" drop constraint "accounts_kind_check";`)
    this.addSql(
      `alter table "accounts" add constraint "accounts_kind_check" check ("kind" in ('user', 'rewards', 'payouts', 'fees')) not valid;`,
    )
    this.addSql(`alter table "withdrawals" drop constraint "withdrawals_review_reason_check";`)
    this.addSql(
      `alter table "withdrawals" add constraint "withdrawals_review_reason_check" check ("review_reason" in ('above_limit', 'recent_change', 'foreign_contract', 'unknown_outcome')) not valid;`,
    )
  }
}
