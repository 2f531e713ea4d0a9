import { Migration } from '@mikro-orm/migrations'

/** Blocks whose payments have no receipt are read again by themselves, instead of setting the second reading back. */
export class Migration20261129000000_blocks_to_reread extends Migration {
  override up(): void {
    this.addSql(
      `create table "blocks_to_reread" ("chain_id" int not null, "number" bigint not null, "tries" int not null default 0, "due_at" timestamptz(3) not null, constraint "blocks_to_reread_pkey" primary key ("chain_id", "number"))`,
    )
  }

  override down(): void {
    this.addSql(`drop table "blocks_to_reread"`)
  }
}
