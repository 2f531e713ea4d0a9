import { Migration } from '@mikro-orm/migrations'

/** The accounts' proof keys, and the receipts of the public register. */
export class Migration20261123183800_receipts extends Migration {
  override up(): void {
    this.addSql(
      `create table "proof_keys" ("id" uuid not null, "user_id" uuid not null, "position" int not null, "secret" text not null, "email_hash" bytea not null, "account_hash" bytea not null, "created_at" timestamptz(3) not null, primary key ("id"));`,
    )
    this.addSql(`alter table "proof_keys" add constraint "proof_keys_user_id_position_unique" unique ("user_id", "position");`)
    this.addSql(
      `alter table "proof_keys" add constraint "proof_keys_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict;`,
    )
    this.addSql(
      `create table "register_receipts" ("id" uuid not null, "user_id" uuid not null, "kind" text not null, "cause" text not null, "account_hash" bytea not null, "facts" jsonb not null, "mail_id" uuid null, "created_at" timestamptz(3) not null, "note" text null, "position" int null, primary key ("id"));`,
    )
    this.addSql(`alter table "register_receipts" add constraint "register_receipts_cause_unique" unique ("cause");`)
    this.addSql(
      `alter table "register_receipts" add constraint "register_receipts_user_id_position_unique" unique ("user_id", "position");`,
    )
    this.addSql(`create index register_receipts_unsigned on register_receipts (created_at) where note is null;`)
    this.addSql(
      `alter table "register_receipts" add constraint "register_receipts_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict;`,
    )
    this.addSql(
      `alter table "register_receipts" add constraint "register_receipts_signed" check ((note is null) = (position is null));`,
    )
    this.addSql(
      `alter table "register_receipts" add constraint "register_receipts_kind_check" check ("kind" in ('account', 'nodes', 'withdrawal'));`,
    )
    for (const table of ['proof_keys', 'register_receipts'])
      this.addSql(
        `create trigger refuse_removal before delete or truncate on ${table} for each statement execute function refuse_change();`,
      )
  }

  override down(): void {
    for (const table of ['register_receipts', 'proof_keys']) this.addSql(`drop table "${table}";`)
  }
}
