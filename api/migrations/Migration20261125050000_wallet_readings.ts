import { Migration } from '@mikro-orm/migrations'

/** What the payout wallets had on the chain, once a day, for the months of the books. */
export class Migration20261125050000_wallet_readings extends Migration {
  override up(): void {
    this.addSql(
      `create table "payout_wallet_readings" ("wallet" varchar(42) not null, "day" date not null, "at" timestamptz(3) not null, "block_number" bigint not null, "tokens" numeric(78, 0) not null, "coins" numeric(78, 0) not null, primary key ("wallet", "day"));`,
    )
    this.addSql(
      `create trigger refuse_change before update or delete or truncate on payout_wallet_readings for each statement execute function refuse_change();`,
    )
  }

  override down(): void {
    this.addSql(`drop table "payout_wallet_readings";`)
  }
}
