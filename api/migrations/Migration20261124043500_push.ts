import { Migration } from '@mikro-orm/migrations'

/** Where browsers receive push messages, and the messages that are on their way. */
export class Migration20261124043500_push extends Migration {
  override up(): void {
    this.addSql(`alter table "message_choices" add "push" boolean null;`)
    this.addSql(
      `create table "push_subscriptions" ("id" uuid not null, "user_id" uuid not null, "session_key" uuid not null, "endpoint" text not null, "p256dh" varchar(87) not null, "auth" varchar(22) not null, "shows_details" boolean not null default false, "created_at" timestamptz(3) not null, "last_seen_at" timestamptz(3) not null, primary key ("id"));`,
    )
    this.addSql(
      `create table "outgoing_pushes" ("id" uuid not null, "message_id" uuid not null, "subscription_id" uuid not null, "created_at" timestamptz(3) not null, "attempts" int not null default 0, "next_attempt_at" timestamptz(3) not null, primary key ("id"));`,
    )
    this.addSql(`create index "push_subscriptions_user_id_index" on "push_subscriptions" ("user_id");`)
    this.addSql(`alter table "push_subscriptions" add constraint "push_subscriptions_session_key_unique" unique ("session_key");`)
    this.addSql(`alter table "push_subscriptions" add constraint "push_subscriptions_endpoint_unique" unique ("endpoint");`)
    this.addSql(
      `alter table "push_subscriptions" add constraint "push_subscriptions_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete restrict;`,
    )
    this.addSql(`create index "outgoing_pushes_subscription_id_index" on "outgoing_pushes" ("subscription_id");`)
    this.addSql(`create index "outgoing_pushes_next_attempt_at_index" on "outgoing_pushes" ("next_attempt_at");`)
    this.addSql(
      `alter table "outgoing_pushes" add constraint "outgoing_pushes_message_id_subscription_id_unique" unique ("message_id", "subscription_id");`,
    )
    this.addSql(
      `alter table "outgoing_pushes" add constraint "outgoing_pushes_message_id_foreign" foreign key ("message_id") references "inbox_messages" ("id") on delete cascade;`,
    )
    this.addSql(
      `alter table "outgoing_pushes" add constraint "outgoing_pushes_subscription_id_foreign" foreign key ("subscription_id") references "push_subscriptions" ("id") on delete cascade;`,
    )
  }

  override down(): void {
    for (const table of ['outgoing_pushes', 'push_subscriptions']) this.addSql(`drop table "${table}";`)
    this.addSql(`alter table "message_choices" drop column "push";`)
  }
}
