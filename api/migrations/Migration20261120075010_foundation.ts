import { Migration } from '@mikro-orm/migrations'

export class Migration20261120075010_foundation extends Migration {
  override name = 'Migration20261120075010_foundation'

  override up(): void | Promise<void> {
    this.addSql(
      `create table "administrators" ("id" uuid not null, "username" varchar(100) not null, "password_hash" text not null, "session_epoch" int not null default 0, "created_at" timestamptz(3) not null, primary key ("id"));`,
    )
    this.addSql(`alter table "administrators" add constraint "administrators_username_unique" unique ("username");`)

    this.addSql(
      `create table "audit_entries" ("id" uuid not null, "at" timestamptz(3) not null, "actor" varchar(300) not null, "ip_address" varchar(45) null, "action" varchar(60) not null, "target" text null, "before" jsonb null, "after" jsonb null, primary key ("id"));`,
    )
    this.addSql(`create index "audit_entries_at_index" on "audit_entries" ("at");`)

    this.addSql(
      `create table "chain_blocks" ("chain_id" int not null, "number" bigint not null, "hash" varchar(66) not null, "time" timestamptz(3) not null, primary key ("chain_id", "number"));`,
    )

    this.addSql(
      `create table "chain_progress" ("chain_id" int not null, "head_number" bigint not null default '0', "verified_number" bigint not null, "updated_at" timestamptz(3) not null, primary key ("chain_id"));`,
    )

    this.addSql(
      `create table "deposit_addresses" ("address" varchar(42) not null, "added_at" timestamptz(3) not null, primary key ("address"));`,
    )

    this.addSql(
      `create table "email_codes" ("id" uuid not null, "email" varchar(254) not null, "purpose" text not null, "code_hash" varchar(64) not null, "sent_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "wrong_tries" int not null default 0, "used_at" timestamptz(3) null, primary key ("id"));`,
    )
    this.addSql(`create index "email_codes_email_purpose_sent_at_index" on "email_codes" ("email", "purpose", "sent_at");`)

    this.addSql(
      `create table "idempotency_keys" ("account_id" uuid not null, "endpoint" varchar(100) not null, "key" varchar(200) not null, "body_hash" varchar(64) not null, "response" jsonb not null, "created_at" timestamptz(3) not null, primary key ("account_id", "endpoint", "key"));`,
    )
    this.addSql(`create index "idempotency_keys_created_at_index" on "idempotency_keys" ("created_at");`)

    this.addSql(
      `create table "installation" ("id" int not null, "set_up_at" timestamptz(3) null, "setup_token_hash" varchar(64) null, "admin_allowed_ips" text[] null, "admin_initial_ips" text[] null, "clock_offset_ms" bigint not null default '0', primary key ("id"));`,
    )

    this.addSql(`create table "leaderships" ("role" text not null, "epoch" int not null default 0, primary key ("role"));`)

    this.addSql(
      `create table "outgoing_mails" ("id" uuid not null, "recipient" varchar(254) not null, "subject" text not null, "text" text not null, "html" text not null, "created_at" timestamptz(3) not null, "sent_at" timestamptz(3) null, "attempts" int not null default 0, "next_attempt_at" timestamptz(3) not null, "last_error" text null, primary key ("id"));`,
    )
    this.addSql(`create index outgoing_mails_due on outgoing_mails (next_attempt_at) where sent_at is null;`)

    this.addSql(
      `create table "rate_limits" ("key" varchar(255) not null, "points" int not null default 0, "expire" bigint null, primary key ("key"));`,
    )

    this.addSql(
      `create table "setting_changes" ("id" uuid not null, "key" text not null, "value" text not null, "effective_at" timestamptz(3) not null, primary key ("id"));`,
    )
    this.addSql(`create index "setting_changes_key_effective_at_index" on "setting_changes" ("key", "effective_at");`)

    this.addSql(
      `create table "supply" ("id" int not null, "total" int not null, "paid" int not null default 0, "bonus" int not null default 0, "reserved" int not null default 0, primary key ("id"));`,
    )

    this.addSql(
      `create table "users" ("id" uuid not null, "email" varchar(254) not null, "password_hash" text not null, "session_epoch" int not null default 0, "profile_image_url" text null, "wallet_address" varchar(42) null, "otp_secret" text null, "otp_enabled_at" timestamptz(3) null, "otp_last_step" bigint null, "otp_failures" int not null default 0, "otp_locked_until" timestamptz(3) null, "otp_locks" int not null default 0, "unpaid_expiries" int not null default 0, "reservations_paused_until" timestamptz(3) null, "created_at" timestamptz(3) not null, primary key ("id"));`,
    )
    this.addSql(`alter table "users" add constraint "users_email_unique" unique ("email");`)
    this.addSql(`alter table "users" add constraint "users_wallet_address_unique" unique ("wallet_address");`)

    this.addSql(
      `create table "step_up_marks" ("id" uuid not null, "user_id" uuid not null, "session_key" uuid not null, "granted_at" timestamptz(3) not null, "consumed_at" timestamptz(3) null, "enabled_with_step" bigint null, primary key ("id"));`,
    )
    this.addSql(
      `create index "step_up_marks_user_id_session_key_granted_at_index" on "step_up_marks" ("user_id", "session_key", "granted_at");`,
    )

    this.addSql(
      `create table "purchases" ("id" uuid not null, "user_id" uuid not null, "status" text not null, "result" text not null default 'normal', "requested_quantity" int not null, "final_quantity" int null, "unit_price" numeric(78, 0) not null, "amount" numeric(78, 0) not null, "wallet" varchar(42) null, "deposit_address" varchar(42) null, "held_quantity" int not null default 0, "claimed_hash" varchar(66) null, "transaction_hash" varchar(66) null, "owed_deposit" boolean not null default false, "admin_notes" text null, "created_at" timestamptz(3) not null, "opened_at" timestamptz(3) not null, "expires_at" timestamptz(3) null, "confirmed_at" timestamptz(3) null, "closed_at" timestamptz(3) null, "closed_reason" text null, "posted_at" timestamptz(3) null, primary key ("id"));`,
    )
    this.addSql(`create index "purchases_claimed_hash_index" on "purchases" ("claimed_hash");`)
    this.addSql(`create index "purchases_transaction_hash_index" on "purchases" ("transaction_hash");`)
    this.addSql(`create index "purchases_user_id_created_at_index" on "purchases" ("user_id", "created_at");`)
    this.addSql(`create index "purchases_wallet_status_index" on "purchases" ("wallet", "status");`)
    this.addSql(`create index purchases_expiring on purchases (expires_at) where status in ('reserved', 'pending');`)
    this.addSql(`create unique index purchases_one_reservation on purchases (user_id) where status = 'reserved';`)

    this.addSql(
      `create table "otp_setups" ("id" uuid not null, "user_id" uuid not null, "session_key" uuid not null, "secret" text not null, "expires_at" timestamptz(3) not null, primary key ("id"));`,
    )
    this.addSql(
      `alter table "otp_setups" add constraint "otp_setups_user_id_session_key_unique" unique ("user_id", "session_key");`,
    )

    this.addSql(
      `create table "nodes" ("number" int not null, "user_id" uuid not null, "purchase_id" uuid not null, "kind" text not null, "allocated_at" timestamptz(3) not null, "active_from" timestamptz(3) not null, "frozen_at" timestamptz(3) null, primary key ("number"));`,
    )
    this.addSql(`create index "nodes_user_id_index" on "nodes" ("user_id");`)
    this.addSql(`create index "nodes_purchase_id_index" on "nodes" ("purchase_id");`)

    this.addSql(
      `create table "deposits" ("id" uuid not null, "chain_id" int not null, "transaction_hash" varchar(66) not null, "ordinal" int not null, "sender" varchar(42) not null, "recipient" varchar(42) not null, "amount" numeric(78, 0) not null, "block_number" bigint null, "block_hash" varchar(66) null, "block_time" timestamptz(3) null, "log_index" int null, "state" text not null default 'seen', "review_reason" text null, "state_before_orphaned" text null, "purchase_id" uuid null, "user_id" uuid null, "first_seen_at" timestamptz(3) not null, "closed_at" timestamptz(3) null, "notes" text null, primary key ("id"));`,
    )
    this.addSql(`create index "deposits_sender_index" on "deposits" ("sender");`)
    this.addSql(`create index "deposits_purchase_id_index" on "deposits" ("purchase_id");`)
    this.addSql(`create index deposits_waiting on deposits (block_number) where state = 'seen';`)
    this.addSql(`create index deposits_in_review on deposits (id) where state = 'review';`)
    this.addSql(
      `alter table "deposits" add constraint "deposits_chain_id_transaction_hash_ordinal_unique" unique ("chain_id", "transaction_hash", "ordinal");`,
    )

    this.addSql(`create table "change_events" ("id" bigserial primary key, "user_id" uuid null, "keys" text[] not null);`)

    this.addSql(
      `create table "verified_emails" ("id" uuid not null, "session_key" uuid not null, "email" varchar(254) not null, "expires_at" timestamptz(3) not null, "consumed_at" timestamptz(3) null, primary key ("id"));`,
    )
    this.addSql(`create index "verified_emails_session_key_index" on "verified_emails" ("session_key");`)

    this.addSql(
      `create table "wallet_registrations" ("id" uuid not null, "user_id" uuid not null, "address" varchar(42) not null, "registered_at" timestamptz(3) not null, "proven_at" timestamptz(3) null, "removed_at" timestamptz(3) null, primary key ("id"));`,
    )
    this.addSql(`create index "wallet_registrations_address_index" on "wallet_registrations" ("address");`)

    this.addSql(
      `create table "web_sessions" ("id_hash" varchar(64) not null, "realm" text not null, "key" uuid not null, "account_id" uuid null, "account_epoch" int null, "data" jsonb not null, "ip_address" varchar(45) null, "user_agent" varchar(300) null, "created_at" timestamptz(3) not null, "last_seen_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, primary key ("id_hash"));`,
    )
    this.addSql(`create index "web_sessions_account_id_index" on "web_sessions" ("account_id");`)
    this.addSql(`create index "web_sessions_expires_at_index" on "web_sessions" ("expires_at");`)

    this.addSql(
      `create or replace function "audit_entries_audit_entries_append_only_fn"() returns trigger as \$\$ begin raise exception 'audit_entries is append-only' using errcode = 'restrict_violation'; end; \$\$ language plpgsql;`,
    )
    this.addSql(
      `create trigger "audit_entries_append_only" BEFORE UPDATE OR DELETE on "audit_entries" for each STATEMENT execute function "audit_entries_audit_entries_append_only_fn"();`,
    )

    this.addSql(`alter table "email_codes" add constraint "email_codes_purpose_check" check ("purpose" in ('register'));`)

    this.addSql(`alter table "installation" add constraint "installation_one_row" check (id = 1);`)

    this.addSql(
      `alter table "leaderships" add constraint "leaderships_role_check" check ("role" in ('watcher', 'payouts', 'notifier'));`,
    )

    this.addSql(
      `alter table "setting_changes" add constraint "setting_changes_key_check" check ("key" in ('sales_enabled', 'server_notice_enabled', 'sales_start_date', 'withdrawal_fee_amount', 'fee_recipient_address', 'node_price_usdt', 'xcr_per_node_daily'));`,
    )

    this.addSql(`alter table "supply" add constraint "supply_one_row" check (id = 1);`)
    this.addSql(`alter table "supply" add constraint "supply_not_negative" check (paid >= 0 and bonus >= 0 and reserved >= 0);`)
    this.addSql(`alter table "supply" add constraint "supply_not_exceeded" check (paid + bonus + reserved <= total);`)

    this.addSql(
      `alter table "step_up_marks" add constraint "step_up_marks_user_id_foreign" foreign key ("user_id") references "users" ("id");`,
    )

    this.addSql(
      `alter table "purchases" add constraint "purchases_user_id_foreign" foreign key ("user_id") references "users" ("id");`,
    )
    this.addSql(`alter table "purchases" add constraint "purchases_quantity" check (requested_quantity > 0);`)
    this.addSql(
      `alter table "purchases" add constraint "purchases_held" check (held_quantity = 0 or held_quantity = requested_quantity);`,
    )
    this.addSql(
      `alter table "purchases" add constraint "purchases_status_check" check ("status" in ('reserved', 'pending', 'confirmed', 'cancelled', 'failed', 'manual_review'));`,
    )
    this.addSql(
      `alter table "purchases" add constraint "purchases_result_check" check ("result" in ('normal', 'amount_mismatch', 'wallet_mismatch', 'insufficient_supply', 'late_payment'));`,
    )
    this.addSql(
      `alter table "purchases" add constraint "purchases_closed_reason_check" check ("closed_reason" in ('expired', 'replaced', 'released', 'unpaid', 'administrator'));`,
    )

    this.addSql(
      `alter table "otp_setups" add constraint "otp_setups_user_id_foreign" foreign key ("user_id") references "users" ("id");`,
    )

    this.addSql(`alter table "nodes" add constraint "nodes_user_id_foreign" foreign key ("user_id") references "users" ("id");`)
    this.addSql(
      `alter table "nodes" add constraint "nodes_purchase_id_foreign" foreign key ("purchase_id") references "purchases" ("id");`,
    )
    this.addSql(`alter table "nodes" add constraint "nodes_number" check (number > 0);`)
    this.addSql(`alter table "nodes" add constraint "nodes_kind_check" check ("kind" in ('paid', 'bonus'));`)

    this.addSql(
      `alter table "deposits" add constraint "deposits_purchase_id_foreign" foreign key ("purchase_id") references "purchases" ("id") on delete set null;`,
    )
    this.addSql(
      `alter table "deposits" add constraint "deposits_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete set null;`,
    )
    this.addSql(
      `alter table "deposits" add constraint "deposits_state_check" check ("state" in ('seen', 'matched', 'review', 'ignored', 'assigned', 'refunded', 'orphaned'));`,
    )
    this.addSql(
      `alter table "deposits" add constraint "deposits_review_reason_check" check ("review_reason" in ('underpaid', 'overpaid', 'late', 'wrong_wallet', 'insufficient_supply', 'unmatched'));`,
    )
    this.addSql(
      `alter table "deposits" add constraint "deposits_state_before_orphaned_check" check ("state_before_orphaned" in ('seen', 'matched', 'review', 'ignored', 'assigned', 'refunded', 'orphaned'));`,
    )

    this.addSql(
      `alter table "change_events" add constraint "change_events_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete set null;`,
    )

    this.addSql(
      `alter table "wallet_registrations" add constraint "wallet_registrations_user_id_foreign" foreign key ("user_id") references "users" ("id");`,
    )

    this.addSql(`alter table "web_sessions" add constraint "web_sessions_realm_check" check ("realm" in ('user', 'admin'));`)
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "step_up_marks" drop constraint "step_up_marks_user_id_foreign";`)
    this.addSql(`alter table "purchases" drop constraint "purchases_user_id_foreign";`)
    this.addSql(`alter table "otp_setups" drop constraint "otp_setups_user_id_foreign";`)
    this.addSql(`alter table "nodes" drop constraint "nodes_user_id_foreign";`)
    this.addSql(`alter table "deposits" drop constraint "deposits_user_id_foreign";`)
    this.addSql(`alter table "change_events" drop constraint "change_events_user_id_foreign";`)
    this.addSql(`alter table "wallet_registrations" drop constraint "wallet_registrations_user_id_foreign";`)
    this.addSql(`alter table "nodes" drop constraint "nodes_purchase_id_foreign";`)
    this.addSql(`alter table "deposits" drop constraint "deposits_purchase_id_foreign";`)

    this.addSql(`drop table if exists "administrators" cascade;`)
    this.addSql(`drop trigger if exists "audit_entries_append_only" on "audit_entries";`)
    this.addSql(`drop function if exists "audit_entries_audit_entries_append_only_fn"();`)
    this.addSql(`drop table if exists "audit_entries" cascade;`)
    this.addSql(`drop table if exists "chain_blocks" cascade;`)
    this.addSql(`drop table if exists "chain_progress" cascade;`)
    this.addSql(`drop table if exists "deposit_addresses" cascade;`)
    this.addSql(`drop table if exists "email_codes" cascade;`)
    this.addSql(`drop table if exists "idempotency_keys" cascade;`)
    this.addSql(`drop table if exists "installation" cascade;`)
    this.addSql(`drop table if exists "leaderships" cascade;`)
    this.addSql(`drop table if exists "outgoing_mails" cascade;`)
    this.addSql(`drop table if exists "rate_limits" cascade;`)
    this.addSql(`drop table if exists "setting_changes" cascade;`)
    this.addSql(`drop table if exists "supply" cascade;`)
    this.addSql(`drop table if exists "users" cascade;`)
    this.addSql(`drop table if exists "step_up_marks" cascade;`)
    this.addSql(`drop table if exists "purchases" cascade;`)
    this.addSql(`drop table if exists "otp_setups" cascade;`)
    this.addSql(`drop table if exists "nodes" cascade;`)
    this.addSql(`drop table if exists "deposits" cascade;`)
    this.addSql(`drop table if exists "change_events" cascade;`)
    this.addSql(`drop table if exists "verified_emails" cascade;`)
    this.addSql(`drop table if exists "wallet_registrations" cascade;`)
    this.addSql(`drop table if exists "web_sessions" cascade;`)
  }
}
