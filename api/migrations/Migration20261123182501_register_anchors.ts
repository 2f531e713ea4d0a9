import { Migration } from '@mikro-orm/migrations'

/** What the chain shows of the public register's anchors, and the last transaction sent to anchor. */
export class Migration20261123182501_register_anchors extends Migration {
  override up(): void {
    this.addSql(
      `create table "register_anchors" ("contract" varchar(42) not null, "index" int not null, "size" bigint not null, "root" bytea not null, "time" timestamptz(3) not null, primary key ("contract", "index"));`,
    )
    this.addSql(
      `create table "register_anchorings" ("contract" varchar(42) not null, "nonce" bigint not null, "size" bigint not null, "hash" varchar(66) not null, "signed_bytes" text not null, "max_fee_per_gas" numeric(78, 0) not null, "max_priority_fee_per_gas" numeric(78, 0) not null, "signed_at" timestamptz(3) not null, primary key ("contract"));`,
    )
    this.addSql(`alter table "register_state" add "unanchored_because" text null, add "unanchored_since" timestamptz(3) null;`)
  }

  override down(): void {
    this.addSql(`drop table "register_anchors";`)
    this.addSql(`drop table "register_anchorings";`)
    this.addSql(`alter table "register_state" drop column "unanchored_because", drop column "unanchored_since";`)
  }
}
