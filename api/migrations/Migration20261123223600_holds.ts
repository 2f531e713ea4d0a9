import { Migration } from '@mikro-orm/migrations'

/** Withdrawals that the clock releases. */
export class Migration20261123223600_holds extends Migration {
  override up(): void {
    this.addSql(`alter table "withdrawals" add "held_until" timestamptz(3) null;`)
    this.addSql(
      `create index withdrawals_held on withdrawals (held_until) where status = 'manual_review' and review_reason = 'recent_change';`,
    )
  }

  override down(): void {
    this.addSql(`drop index "withdrawals_held";`)
    this.addSql(`alter table "withdrawals" drop column "held_until";`)
  }
}
