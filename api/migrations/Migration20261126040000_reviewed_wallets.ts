import { Migration } from '@mikro-orm/migrations'

/** Wallets whose payments a restored database must not credit by itself. */
export class Migration20261126040000_reviewed_wallets extends Migration {
  override up(): void {
    this.addSql(
      `create table "reviewed_wallets" ("address" varchar(42) not null, "until" timestamptz(3) not null, primary key ("address"));`,
    )
  }

  override down(): void {
    this.addSql(`drop table "reviewed_wallets";`)
  }
}
