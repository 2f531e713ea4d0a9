import { Migration } from '@mikro-orm/migrations'

/** Accounts that their owners freeze, and the tokens of the links in mails that do so. */
export class Migration20261124140000_freezes extends Migration {
  override up(): void {
    this.addSql(`alter table "users" add "frozen_at" timestamptz(3) null, add "thaws_at" timestamptz(3) null;`)
    this.addSql(
      `create table "freeze_tokens" ("id" uuid not null, "user_id" uuid not null, "message_id" uuid not null, "token_hash" varchar(64) not null, "expires_at" timestamptz(3) not null, "used_at" timestamptz(3) null, primary key ("id"));`,
    )
    this.addSql(`alter table "freeze_tokens" add constraint "freeze_tokens_message_id_unique" unique ("message_id");`)
    this.addSql(`alter table "freeze_tokens" add constraint "freeze_tokens_token_hash_unique" unique ("token_hash");`)
    this.addSql(
      `alter table "freeze_tokens" add constraint "freeze_tokens_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict;`,
    )
    this.addSql(
      `alter table "freeze_tokens" add constraint "freeze_tokens_message_id_foreign" foreign key ("message_id") references "inbox_messages" ("id") on delete cascade;`,
    )
  }

  override down(): void {
    this.addSql(`drop table "freeze_tokens";`)
    this.addSql(`alter table "users" drop column "frozen_at", drop column "thaws_at";`)
  }
}
