import { Migration } from '@mikro-orm/migrations'

/** Since when a payout wallet has too little, for the back office's list of what waits. */
export class Migration20261124170500_low_wallets extends Migration {
  override up(): void {
    this.addSql(`alter table "payout_wallets" add column "low_since" timestamptz(3) null;`)
  }

  override down(): void {
    this.addSql(`alter table "payout_wallets" drop column "low_since";`)
  }
}
