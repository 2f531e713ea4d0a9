import { Migration } from '@mikro-orm/migrations'

/** Since when the second reading is far behind: a leader's own memory ends with its term. */
export class Migration20261129023000_late_second_reading extends Migration {
  override up(): void {
    this.addSql(`alter table "chain_progress" add column "late_since" timestamptz(3) null;`)
  }

  override down(): void {
    this.addSql(`alter table "chain_progress" drop column "late_since";`)
  }
}
