import { Migration } from '@mikro-orm/migrations'

/** Proposals of administrators, which another one approves. */
export class Migration20261125040000_proposals extends Migration {
  override up(): void {
    this.addSql(
      `create table "proposals" ("id" uuid not null, "call" varchar(100) not null, "arguments" jsonb not null, "action" varchar(60) not null, "target" text null, "before" jsonb null, "after" jsonb null, "hash" varchar(64) not null, "reason" text null, "proposed_by_id" uuid not null, "proposed_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "state" text not null default 'open', "decided_by_id" uuid null, "decided_at" timestamptz(3) null, "outcome" text null, primary key ("id"));`,
    )
    this.addSql(`create index "proposals_proposed_at_index" on "proposals" ("proposed_at");`)
    this.addSql(`create unique index proposals_open on proposals (proposed_by_id, hash) where state = 'open';`)
    this.addSql(
      `alter table "proposals" add constraint "proposals_proposed_by_id_foreign" foreign key ("proposed_by_id") references "administrators" ("id") on delete restrict;`,
    )
    this.addSql(
      `alter table "proposals" add constraint "proposals_decided_by_id_foreign" foreign key ("decided_by_id") references "administrators" ("id") on delete restrict;`,
    )
    this.addSql(
      `alter table "proposals" add constraint "proposals_state_check" check ("state" in ('open', 'approved', 'rejected', 'withdrawn', 'expired', 'outdated'));`,
    )
    // The owner of the tables is bound too, so that what was approved stays what was shown.
    this.addSql(
      `create or replace function "proposals_proposals_decided_once_fn"() returns trigger as \$\$ begin if old.state <> 'open' or (new.id, new.call, new.arguments, new.action, new.target, new.before, new.after, new.hash, new.reason, new.proposed_by_id, new.proposed_at, new.expires_at) is distinct from (old.id, old.call, old.arguments, old.action, old.target, old.before, old.after, old.hash, old.reason, old.proposed_by_id, old.proposed_at, old.expires_at) then raise exception 'a proposal is decided once and does not change' using errcode = 'restrict_violation'; end if; return new; end; \$\$ language plpgsql;`,
    )
    this.addSql(
      `create trigger "proposals_decided_once" BEFORE UPDATE on "proposals" for each ROW execute function "proposals_proposals_decided_once_fn"();`,
    )
    this.addSql(
      `create trigger refuse_removal before delete or truncate on proposals for each statement execute function refuse_change();`,
    )
  }

  override down(): void {
    this.addSql(`drop table "proposals";`)
    this.addSql(`drop function "proposals_proposals_decided_once_fn"();`)
  }
}
