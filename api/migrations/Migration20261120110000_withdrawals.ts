import { Migration } from '@mikro-orm/migrations'

/** Withdrawals, and the outbox of transactions that pays them. */
export class Migration20261120110000_withdrawals extends Migration {
  override up(): void {
    this.addSql(
      `create table "payout_wallets" ("address" varchar(42) not null, "next_nonce" bigint not null, "stopped_because" text null, "stopped_at" timestamptz(3) null, primary key ("address"));`,
    )

    this.addSql(
      `create table "withdrawals" ("id" uuid not null, "user_id" uuid not null, "amount" numeric(78, 0) not null, "fee" numeric(78, 0) not null, "to_address" varchar(42) not null, "status" text not null default 'pending', "review_reason" text null, "message_hash" varchar(64) not null, "signed_message" text not null, "signature" text not null, "transaction_hash" varchar(66) null, "transfer_ordinal" int null, "created_at" timestamptz(3) not null, "requested_at" timestamptz(3) not null, "completed_at" timestamptz(3) null, "refunded_at" timestamptz(3) null, "admin_notes" text null, primary key ("id"));`,
    )
    this.addSql(`alter table "withdrawals" add constraint "withdrawals_message_hash_unique" unique ("message_hash");`)
    this.addSql(`create index "withdrawals_user_id_created_at_index" on "withdrawals" ("user_id", "created_at");`)
    this.addSql(`create index withdrawals_due on withdrawals (requested_at, id) where status = 'pending';`)
    this.addSql(
      `create unique index withdrawals_one_transfer on withdrawals (transaction_hash, transfer_ordinal) where transfer_ordinal is not null;`,
    )

    this.addSql(
      `create table "payouts" ("id" uuid not null, "wallet_address" varchar(42) not null, "nonce" bigint not null, "cause" text not null, "withdrawal_id" uuid null, "recipient" varchar(42) not null, "amount" numeric(78, 0) not null, "state" text not null default 'sent', "cancel_requested_at" timestamptz(3) null, "final_hash" varchar(66) null, "signed_at" timestamptz(3) not null, "settled_at" timestamptz(3) null, primary key ("id"));`,
    )
    this.addSql(`alter table "payouts" add constraint "payouts_cause_unique" unique ("cause");`)
    this.addSql(`alter table "payouts" add constraint "payouts_withdrawal_id_unique" unique ("withdrawal_id");`)
    this.addSql(`create index payouts_open on payouts (wallet_address, nonce) where state = 'sent';`)
    this.addSql(`alter table "payouts" add constraint "payouts_wallet_address_nonce_unique" unique ("wallet_address", "nonce");`)

    this.addSql(
      `create table "payout_attempts" ("id" uuid not null, "payout_id" uuid not null, "hash" varchar(66) not null, "signed_bytes" text not null, "kind" text not null, "max_fee_per_gas" numeric(78, 0) not null, "max_priority_fee_per_gas" numeric(78, 0) not null, "signed_at" timestamptz(3) not null, "sent_at" timestamptz(3) null, primary key ("id"));`,
    )
    this.addSql(`create index "payout_attempts_payout_id_index" on "payout_attempts" ("payout_id");`)
    this.addSql(`alter table "payout_attempts" add constraint "payout_attempts_hash_unique" unique ("hash");`)

    this.addSql(`alter table "reward_runs" add "digested_at" timestamptz(3) null;`)

    this.addSql(
      `alter table "users" add "withdrawals_reviewed_until" timestamptz(3) null, add "wants_reward_digest" boolean not null default false;`,
    )

    this.addSql(
      `alter table "withdrawals" add constraint "withdrawals_user_id_foreign" foreign key ("user_id") references "users" ("id");`,
    )
    this.addSql(`alter table "withdrawals" add constraint "withdrawals_net" check (amount > fee and fee >= 0);`)
    this.addSql(
      `alter table "withdrawals" add constraint "withdrawals_refund" check ((status = 'failed') = (refunded_at is not null));`,
    )
    this.addSql(
      `alter table "withdrawals" add constraint "withdrawals_completed" check ((status = 'completed') = (completed_at is not null));`,
    )
    this.addSql(
      `alter table "withdrawals" add constraint "withdrawals_paid_by" check (status <> 'completed' or (transaction_hash is not null and transfer_ordinal is not null));`,
    )
    this.addSql(
      `alter table "withdrawals" add constraint "withdrawals_review" check (status <> 'manual_review' or review_reason is not null);`,
    )
    this.addSql(
      `alter table "withdrawals" add constraint "withdrawals_status_check" check ("status" in ('pending', 'processing', 'completed', 'manual_review', 'failed'));`,
    )
    this.addSql(
      `alter table "withdrawals" add constraint "withdrawals_review_reason_check" check ("review_reason" in ('above_limit', 'recent_change', 'foreign_contract', 'unknown_outcome'));`,
    )

    this.addSql(
      `alter table "payouts" add constraint "payouts_wallet_address_foreign" foreign key ("wallet_address") references "payout_wallets" ("address");`,
    )
    this.addSql(
      `alter table "payouts" add constraint "payouts_withdrawal_id_foreign" foreign key ("withdrawal_id") references "withdrawals" ("id") on delete restrict;`,
    )
    this.addSql(`alter table "payouts" add constraint "payouts_settled" check ((state = 'sent') = (settled_at is null));`)
    this.addSql(
      `alter table "payouts" add constraint "payouts_state_check" check ("state" in ('sent', 'paid', 'reverted', 'cancelled', 'lost'));`,
    )

    this.addSql(
      `alter table "payout_attempts" add constraint "payout_attempts_payout_id_foreign" foreign key ("payout_id") references "payouts" ("id");`,
    )
    this.addSql(`alter table "payout_attempts" add constraint "payout_attempts_kind_check" check ("kind" in ('pay', 'cancel'));`)
  }

  override down(): void {
    this.addSql(`alter table "payouts" drop constraint "payouts_wallet_address_foreign";`)
    this.addSql(`alter table "payouts" drop constraint "payouts_withdrawal_id_foreign";`)
    this.addSql(`alter table "payout_attempts" drop constraint "payout_attempts_payout_id_foreign";`)

    this.addSql(`drop table if exists "payout_wallets" cascade;`)
    this.addSql(`drop table if exists "withdrawals" cascade;`)
    this.addSql(`drop table if exists "payouts" cascade;`)
    this.addSql(`drop table if exists "payout_attempts" cascade;`)

    this.addSql(`alter table "reward_runs" drop column "digested_at";`)

    this.addSql(`alter table "users" drop column "withdrawals_reviewed_until", drop column "wants_reward_digest";`)
  }
}
