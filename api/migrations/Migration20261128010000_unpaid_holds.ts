import { Migration } from '@mikro-orm/migrations'

/** For how long an account has held nodes unpaid, instead of how often. */
export class Migration20261128010000_unpaid_holds extends Migration {
  override up(): void {
    this.addSql(`alter table "users" add "unpaid_hold_seconds" int not null default 0;`)
    this.addSql(`update "users" set "unpaid_hold_seconds" = 1800 * "unpaid_expiries" where "unpaid_expiries" > 0;`)
  }

  override down(): void {
    this.addSql(`alter table "users" drop column "unpaid_hold_seconds";`)
  }
}
