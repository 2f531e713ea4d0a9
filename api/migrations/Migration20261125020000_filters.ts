import { Migration } from '@mikro-orm/migrations'

/** Indexes for the list of all deposits, and for the audit log's filter by the person concerned. */
export class Migration20261125020000_filters extends Migration {
  override up(): void {
    this.addSql(`create index "deposits_first_seen_at_id_index" on "deposits" ("first_seen_at", "id");`)
    this.addSql(`create index "deposits_state_first_seen_at_id_index" on "deposits" ("state", "first_seen_at", "id");`)
    this.addSql(`create index if not exists audit_entries_target on audit_entries using hash (target);`)
  }

  override down(): void {
    this.addSql(`drop index if exists audit_entries_target;`)
    this.addSql(`drop index "deposits_state_first_seen_at_id_index";`)
    this.addSql(`drop index "deposits_first_seen_at_id_index";`)
  }
}
