import { Migration } from '@mikro-orm/migrations'

/** Lost authenticators that the clock removes. */
export class Migration20261125041000_otp_resets extends Migration {
  override up(): void {
    this.addSql(`alter table "users" add "otp_resets_at" timestamptz(3) null, add "otp_reset_by" varchar(300) null;`)
    this.addSql(`create index users_otp_resets on users (otp_resets_at) where otp_resets_at is not null;`)
  }

  override down(): void {
    this.addSql(`alter table "users" drop column "otp_resets_at", drop column "otp_reset_by";`)
  }
}
