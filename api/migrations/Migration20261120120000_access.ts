import { Migration } from '@mikro-orm/migrations'

/** Accounts' doors (captcha, recovery codes, known devices, administrators' codes) and what the back office keeps. */
export class Migration20261120120000_access extends Migration {
  override up(): void {
    this.addSql(
      `create table "audit_runs" ("id" uuid not null, "at" timestamptz(3) not null, "unchecked" jsonb not null, "differences" jsonb not null, primary key ("id"));`,
    )
    this.addSql(`create index "audit_runs_at_index" on "audit_runs" ("at");`)

    this.addSql(
      `create table "captcha_marks" ("id" uuid not null, "session_key" uuid not null, "token_hash" varchar(64) not null, "granted_at" timestamptz(3) not null, "consumed_at" timestamptz(3) null, primary key ("id"));`,
    )
    this.addSql(`create index "captcha_marks_session_key_index" on "captcha_marks" ("session_key");`)
    this.addSql(`alter table "captcha_marks" add constraint "captcha_marks_token_hash_unique" unique ("token_hash");`)

    this.addSql(
      `create table "half_logins" ("id" uuid not null, "administrator_id" uuid not null, "epoch" int not null, "session_key" uuid not null, "expires_at" timestamptz(3) not null, "tries_left" int not null default 5, "consumed_at" timestamptz(3) null, primary key ("id"));`,
    )
    this.addSql(`create index "half_logins_session_key_index" on "half_logins" ("session_key");`)

    this.addSql(
      `create table "sweep_runs" ("name" varchar(60) not null, "finished_at" timestamptz(3) null, "failed_at" timestamptz(3) null, "error" text null, primary key ("name"));`,
    )

    this.addSql(
      `create table "recovery_codes" ("id" uuid not null, "user_id" uuid not null, "code_hash" varchar(64) not null, "created_at" timestamptz(3) not null, "used_at" timestamptz(3) null, primary key ("id"));`,
    )
    this.addSql(
      `alter table "recovery_codes" add constraint "recovery_codes_user_id_code_hash_unique" unique ("user_id", "code_hash");`,
    )

    this.addSql(
      `create table "known_devices" ("id" uuid not null, "user_id" uuid not null, "token_hash" varchar(64) not null, "first_seen_at" timestamptz(3) not null, "last_seen_at" timestamptz(3) not null, primary key ("id"));`,
    )
    this.addSql(
      `alter table "known_devices" add constraint "known_devices_user_id_token_hash_unique" unique ("user_id", "token_hash");`,
    )

    // Shown half an hour ago at most: whoever was about to confirm one is shown another.
    this.addSql(`delete from otp_setups;`)
    this.addSql(`alter table "otp_setups" drop constraint "otp_setups_user_id_foreign";`)

    this.addSql(
      `alter table "administrators" add "otp_secret" text null, add "otp_enabled_at" timestamptz(3) null, add "otp_last_step" bigint null, add "otp_failures" int not null default 0, add "otp_locked_until" timestamptz(3) null, add "otp_locks" int not null default 0;`,
    )

    this.addSql(`alter table "email_codes" drop constraint "email_codes_purpose_check";`)
    this.addSql(
      `alter table "email_codes" add constraint "email_codes_purpose_check" check ("purpose" in ('register', 'reset'));`,
    )

    this.addSql(`alter table "installation" add "vesting_started_at" timestamptz(3) null;`)

    this.addSql(`alter table "otp_setups" drop constraint "otp_setups_user_id_session_key_unique";`)
    this.addSql(`alter table "otp_setups" drop column "user_id";`)
    this.addSql(`alter table "otp_setups" add "realm" text not null default 'user', add "account_id" uuid not null;`)
    this.addSql(
      `alter table "otp_setups" add constraint "otp_setups_account_id_session_key_unique" unique ("account_id", "session_key");`,
    )
    this.addSql(`alter table "otp_setups" add constraint "otp_setups_realm_check" check ("realm" in ('user', 'admin'));`)

    this.addSql(`alter table "users" add "is_admin" boolean not null default false;`)

    this.addSql(`alter table "deposits" add "refund_hash" varchar(66) null;`)
    this.addSql(`alter table "deposits" add constraint "deposits_refund_hash_unique" unique ("refund_hash");`)

    this.addSql(
      `alter table "half_logins" add constraint "half_logins_administrator_id_foreign" foreign key ("administrator_id") references "administrators" ("id");`,
    )

    this.addSql(
      `alter table "recovery_codes" add constraint "recovery_codes_user_id_foreign" foreign key ("user_id") references "users" ("id");`,
    )

    this.addSql(
      `alter table "known_devices" add constraint "known_devices_user_id_foreign" foreign key ("user_id") references "users" ("id");`,
    )
  }

  override down(): void {
    this.addSql(`delete from otp_setups;`)
    this.addSql(`drop table if exists "audit_runs" cascade;`)
    this.addSql(`drop table if exists "captcha_marks" cascade;`)
    this.addSql(`drop table if exists "half_logins" cascade;`)
    this.addSql(`drop table if exists "sweep_runs" cascade;`)
    this.addSql(`drop table if exists "recovery_codes" cascade;`)
    this.addSql(`drop table if exists "known_devices" cascade;`)

    this.addSql(
      `alter table "administrators" drop column "otp_secret", drop column "otp_enabled_at", drop column "otp_last_step", drop column "otp_failures", drop column "otp_locked_until", drop column "otp_locks";`,
    )

    this.addSql(`alter table "deposits" drop constraint "deposits_refund_hash_unique";`)
    this.addSql(`alter table "deposits" drop column "refund_hash";`)

    this.addSql(`alter table "email_codes" drop constraint "email_codes_purpose_check";`)
    this.addSql(`alter table "email_codes" add constraint "email_codes_purpose_check" check ("purpose" in ('register'));`)

    this.addSql(`alter table "installation" drop column "vesting_started_at";`)

    this.addSql(`alter table "otp_setups" drop constraint "otp_setups_account_id_session_key_unique";`)
    this.addSql(`alter table "otp_setups" drop constraint "otp_setups_realm_check";`)
    this.addSql(`alter table "otp_setups" drop column "realm", drop column "account_id";`)
    this.addSql(`alter table "otp_setups" add "user_id" uuid not null;`)
    this.addSql(
      `alter table "otp_setups" add constraint "otp_setups_user_id_foreign" foreign key ("user_id") references "users" ("id");`,
    )
    this.addSql(
      `alter table "otp_setups" add constraint "otp_setups_user_id_session_key_unique" unique ("user_id", "session_key");`,
    )

    this.addSql(`alter table "users" drop column "is_admin";`)
  }
}
