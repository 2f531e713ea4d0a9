import { Migration } from '@mikro-orm/migrations'

/** When the attempts to send a mail end whose recipient alone is refused. */
export class Migration20261127050000_refused_recipients extends Migration {
  override up(): void {
    this.addSql(
      `alter table "outgoing_mails" add column "expires_at" timestamptz(3) null, add column "attempts_end_at" timestamptz(3) null;`,
    )
    this.addSql(`create index "outgoing_mails_sent_at_index" on "outgoing_mails" ("sent_at");`)
  }

  override down(): void {
    this.addSql(`drop index "outgoing_mails_sent_at_index";`)
    this.addSql(`alter table "outgoing_mails" drop column "expires_at", drop column "attempts_end_at";`)
  }
}
