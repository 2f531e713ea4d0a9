import { Migration } from '@mikro-orm/migrations'

/** Indexes for the back office's filters by status. */
export class Migration20261124170000_lists_by_status extends Migration {
  override up(): void {
    this.addSql(`create index "withdrawals_status_created_at_id_index" on "withdrawals" ("status", "created_at", "id");`)
    this.addSql(`create index purchases_listed_by_status on purchases (status, created_at, id) where posted_at is not null;`)
  }

  override down(): void {
    this.addSql(`drop index "withdrawals_status_created_at_id_index";`)
    this.addSql(`drop index purchases_listed_by_status;`)
  }
}
