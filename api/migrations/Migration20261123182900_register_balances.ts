import { Migration } from '@mikro-orm/migrations'

/** Balances as of the register's last books. */
export class Migration20261123182900_register_balances extends Migration {
  override up(): void {
    this.addSql(
      `create table "register_balances" ("user_id" uuid not null, "balance" numeric(78, 0) not null, "debt" numeric(78, 0) not null, primary key ("user_id"));`,
    )
  }

  override down(): void {
    this.addSql(`drop table "register_balances";`)
  }
}
