import { Migration } from '@mikro-orm/migrations'

/** Who has set a setting, and the indexes by which the audit log and what waits for a person are read. */
export class Migration20261120150000_office extends Migration {
  override up(): void {
    this.addSql(`alter table "setting_changes" add "set_by" varchar(300) null;`)
    this.addSql(`create index purchases_in_review on purchases (id) where status = 'manual_review';`)
    this.addSql(`create index "audit_entries_action_at_index" on "audit_entries" ("action", "at");`)
    this.addSql(`create index audit_entries_actor_trigrams on audit_entries using gin (actor gin_trgm_ops);`)
  }

  override down(): void {
    this.addSql(`drop index audit_entries_actor_trigrams;`)
    this.addSql(`drop index "audit_entries_action_at_index";`)
    this.addSql(`drop index purchases_in_review;`)
    this.addSql(`alter table "setting_changes" drop column "set_by";`)
  }
}
