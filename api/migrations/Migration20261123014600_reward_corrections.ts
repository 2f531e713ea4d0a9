import { Migration } from '@mikro-orm/migrations'

/** What nodes missed while they were frozen, paid after they were thawed. Append-only, as the ledger is. */
export class Migration20261123014600_reward_corrections extends Migration {
  override up(): void {
    this.addSql(
      `create table "reward_corrections" ("day" date not null, "purchase_id" uuid not null, "id" uuid not null, "user_id" uuid not null, "nodes" int not null, "rate" numeric(78, 0) not null, "amount" numeric(78, 0) not null, "created_at" timestamptz(3) not null, primary key ("day", "purchase_id"));`,
    )
    this.addSql(`create index "reward_corrections_user_id_index" on "reward_corrections" ("user_id");`)
    this.addSql(
      `alter table "reward_corrections" add constraint "reward_corrections_day_foreign" foreign key ("day") references "reward_runs" ("day") on update no action on delete no action;`,
    )
    this.addSql(
      `alter table "reward_corrections" add constraint "reward_corrections_nodes" check (nodes > 0), add constraint "reward_corrections_amount" check (amount = nodes * rate and amount > 0);`,
    )
    this.addSql(
      `create trigger reward_corrections_append_only before update or delete on reward_corrections for each row execute function refuse_change();`,
    )
    this.addSql(
      `create trigger refuse_truncate before truncate on reward_corrections for each statement execute function refuse_change();`,
    )
  }

  override down(): void {
    this.addSql(`drop table "reward_corrections";`)
  }
}
