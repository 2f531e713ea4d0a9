import { Migration } from '@mikro-orm/migrations'

/** What is approved was approved by another administrator than its proposer. */
export class Migration20261125080000_approved_by_another extends Migration {
  override up(): void {
    this.addSql(
      `alter table "proposals" add constraint "proposals_approved_by_another" check (state <> 'approved' or (decided_by_id is not null and decided_by_id <> proposed_by_id));`,
    )
  }

  override down(): void {
    this.addSql(`alter table "proposals" drop constraint "proposals_approved_by_another";`)
  }
}
