import { Migration } from '@mikro-orm/migrations'

/** Incidents of the status page. */
export class Migration20261124170000_incidents extends Migration {
  override up(): void {
    this.addSql(
      `create table "incidents" ("id" uuid not null, "title_en" text not null, "title_ko" text null, "text_en" text not null, "text_ko" text null, "started_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, "resolved_at" timestamptz(3) null, "created_by" varchar(300) not null, primary key ("id"));`,
    )
  }

  override down(): void {
    this.addSql(`drop table "incidents";`)
  }
}
