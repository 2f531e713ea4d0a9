import { Migration } from '@mikro-orm/migrations'

/** Messages to all accounts, which have a topic of their own. */
export class Migration20261124160000_announcements extends Migration {
  override up(): void {
    this.addSql(
      `create table "announcements" ("id" uuid not null, "cause" text not null, "content" jsonb not null, "link" text null, "created_at" timestamptz(3) not null, "created_by" varchar(300) null, "last_told_user" uuid null, "finished_at" timestamptz(3) null, primary key ("id"));`,
    )
    this.addSql(`alter table "announcements" add constraint "announcements_cause_unique" unique ("cause");`)
    this.allowTopics(`'nodes', 'payments', 'withdrawals', 'rewards', 'news', 'security'`)
  }

  override down(): void {
    this.addSql(`drop table "announcements";`)
    for (const table of ['message_choices', 'inbox_messages']) this.addSql(`delete from "${table}" where "topic" = 'news';`)
    this.allowTopics(`'nodes', 'payments', 'withdrawals', 'rewards', 'security'`)
  }

  /** Both admit more than before, so no row needs to be read. */
  private allowTopics(topics: string): void {
    for (const table of ['message_choices', 'inbox_messages']) {
      this.addSql(`alter table "${table}" drop constraint "${table}_topic_check";`)
      this.addSql(`alter table "${table}" add constraint "${table}_topic_check" check ("topic" in (${topics})) not valid;`)
    }
  }
}
