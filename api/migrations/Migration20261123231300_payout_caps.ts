import { Migration } from '@mikro-orm/migrations'

/** Caps of what payouts sign within an hour and a day. */
export class Migration20261123231300_payout_caps extends Migration {
  override up(): void {
    this.addSql(`alter table "payout_wallets" add "capped_since" timestamptz(3) null;`)
    this.addSql(`create index "payouts_signed_at_index" on "payouts" ("signed_at");`)
  }

  override down(): void {
    this.addSql(`drop index "payouts_signed_at_index";`)
    this.addSql(`alter table "payout_wallets" drop column "capped_since";`)
  }
}
