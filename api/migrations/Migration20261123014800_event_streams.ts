import { Migration } from '@mikro-orm/migrations'

/** The event streams of an account over all processes. */
export class Migration20261123014800_event_streams extends Migration {
  override up(): void {
    this.addSql(`create table "stream_leases" ("id" uuid not null, "expires_at" timestamptz(3) not null, primary key ("id"));`)
    this.addSql(
      `create table "event_streams" ("account_id" uuid not null, "slot" smallint not null, "lease_id" uuid not null, primary key ("account_id", "slot"), constraint "event_streams_slot_check" check (slot >= 1 and slot <= 5));`,
    )
    this.addSql(`create index "event_streams_lease_id_index" on "event_streams" ("lease_id");`)
    this.addSql(
      `alter table "event_streams" add constraint "event_streams_lease_id_foreign" foreign key ("lease_id") references "stream_leases" ("id") on delete cascade;`,
    )
  }

  override down(): void {
    this.addSql(`drop table "event_streams";`)
    this.addSql(`drop table "stream_leases";`)
  }
}
