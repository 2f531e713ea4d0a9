import { Migration } from '@mikro-orm/migrations'

/** Caps of payouts that administrators set below those of the environment. */
export class Migration20261124045100_payout_caps_of_the_panel extends Migration {
  override up(): void {
    this.addSql(`alter table "installation" add "payout_cap_hour" numeric(78,0) null, add "payout_cap_day" numeric(78,0) null;`)
  }

  override down(): void {
    this.addSql(`alter table "installation" drop column "payout_cap_hour", drop column "payout_cap_day";`)
  }
}
