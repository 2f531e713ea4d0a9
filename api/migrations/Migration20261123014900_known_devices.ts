import { Migration } from '@mikro-orm/migrations'

/**
 * Known devices, of administrators too, with counts of their own. Browsers that logged in before count as strangers until their next
 * login: whether that was under the present password is not known.
 */
export class Migration20261123014900_known_devices extends Migration {
  override up(): void {
    this.addSql(`alter table "known_devices" alter column "user_id" drop not null;`)
    this.addSql(
      `alter table "known_devices" add "administrator_id" uuid null, add "account_epoch" int null, add "code_shown_at" timestamptz(3) null, add "otp_failures" int not null default 0, add "otp_locked_until" timestamptz(3) null, add "otp_locks" int not null default 0;`,
    )
    this.addSql(
      `alter table "known_devices" add constraint "known_devices_administrator_id_foreign" foreign key ("administrator_id") references "administrators" ("id");`,
    )
    this.addSql(
      `alter table "known_devices" add constraint "known_devices_administrator_id_token_hash_unique" unique ("administrator_id", "token_hash");`,
    )
    this.addSql(`alter table "email_codes" add "device_id" uuid null;`)
  }

  override down(): void {
    this.addSql(`alter table "email_codes" drop column "device_id";`)
    this.addSql(`delete from "known_devices" where "user_id" is null;`)
    this.addSql(
      `alter table "known_devices" drop column "administrator_id", drop column "account_epoch", drop column "code_shown_at", drop column "otp_failures", drop column "otp_locked_until", drop column "otp_locks";`,
    )
    this.addSql(`alter table "known_devices" alter column "user_id" set not null;`)
  }
}
