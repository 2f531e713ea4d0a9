import { Migration } from '@mikro-orm/migrations'

/** Audits of all rows and blocks are recorded too, so that each daily one can say when the old ones were last read. */
export class Migration20261125110000_full_audits extends Migration {
  override up(): void {
    this.addSql(`alter table "audit_runs" add "is_full" boolean not null default false;`)
  }

  override down(): void {
    this.addSql(`alter table "audit_runs" drop column "is_full";`)
  }
}
