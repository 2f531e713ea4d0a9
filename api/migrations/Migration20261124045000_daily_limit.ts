import { Migration } from '@mikro-orm/migrations'

/** How much an account withdraws within 24 hours at most, as its owner chose. */
export class Migration20261124045000_daily_limit extends Migration {
  override up(): void {
    this.addSql(
      `alter table "users" add "daily_limit" numeric(78,0) null, add "next_daily_limit" numeric(78,0) null, add "daily_limit_changes_at" timestamptz(3) null;`,
    )
  }

  override down(): void {
    this.addSql(
      `alter table "users" drop column "daily_limit", drop column "next_daily_limit", drop column "daily_limit_changes_at";`,
    )
  }
}
