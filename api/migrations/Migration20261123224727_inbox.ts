import { Migration } from '@mikro-orm/migrations'

/** What accounts are told, and where they want to hear it. */
export class Migration20261123224727_inbox extends Migration {
  override up(): void {
    this.addSql(
      `create table "message_choices" ("id" uuid not null, "user_id" uuid not null, "topic" text not null, "inbox" boolean null, "mail" boolean null, primary key ("id"));`,
    )
    this.addSql(
      `alter table "message_choices" add constraint "message_choices_user_id_topic_unique" unique ("user_id", "topic");`,
    )
    this.addSql(
      `create table "inbox_messages" ("id" uuid not null, "user_id" uuid not null, "topic" text not null, "cause" text not null, "content" jsonb not null, "link" text null, "is_listed" boolean not null, "created_at" timestamptz(3) not null, "read_at" timestamptz(3) null, primary key ("id"));`,
    )
    this.addSql(`create index inbox_messages_listed on inbox_messages (user_id, created_at desc, id desc) where is_listed;`)
    this.addSql(`create index inbox_messages_unread on inbox_messages (user_id) where is_listed and read_at is null;`)
    this.addSql(`create index inbox_messages_by_age on inbox_messages (created_at);`)
    this.addSql(`alter table "inbox_messages" add constraint "inbox_messages_user_id_cause_unique" unique ("user_id", "cause");`)
    for (const table of ['message_choices', 'inbox_messages']) {
      this.addSql(
        `alter table "${table}" add constraint "${table}_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict;`,
      )
      this.addSql(
        `alter table "${table}" add constraint "${table}_topic_check" check ("topic" in ('nodes', 'payments', 'withdrawals', 'rewards', 'security'));`,
      )
    }
  }

  override down(): void {
    for (const table of ['inbox_messages', 'message_choices']) this.addSql(`drop table "${table}";`)
  }
}
