import { Migration } from '@mikro-orm/migrations'

/** Balances of buyers' wallets, read before they press Purchase. */
export class Migration20261125020000_wallet_balances extends Migration {
  override up(): void {
    this.addSql(
      `create table "wallet_balances" ("wallet" varchar(42) not null, "balance" numeric(78, 0) null, "read_at" timestamptz(3) null, "wanted_at" timestamptz(3) not null, primary key ("wallet"));`,
    )
    this.addSql(`create index "wallet_balances_wanted_at_index" on "wallet_balances" ("wanted_at");`)
  }

  override down(): void {
    this.addSql(`drop table "wallet_balances";`)
  }
}
