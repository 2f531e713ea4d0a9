import { Migration } from '@mikro-orm/migrations'

/** Administrators with roles, and the invitations with which they join. Those who exist are owners. */
export class Migration20261125030000_roles extends Migration {
  override up(): void {
    this.addSql(
      `alter table "administrators" add "email" varchar(254) null, add "role" text not null default 'owner', add "removed_at" timestamptz(3) null;`,
    )
    this.addSql(
      `alter table "administrators" add constraint "administrators_role_check" check ("role" in ('viewer', 'support', 'finance', 'owner'));`,
    )
    this.addSql(
      `create table "admin_invitations" ("id" uuid not null, "email" varchar(254) not null, "role" text not null, "invited_by_id" uuid not null, "token_hash" varchar(64) not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, "accepted_at" timestamptz(3) null, "revoked_at" timestamptz(3) null, primary key ("id"));`,
    )
    this.addSql(
      `alter table "admin_invitations" add constraint "admin_invitations_role_check" check ("role" in ('viewer', 'support', 'finance', 'owner'));`,
    )
    this.addSql(`alter table "admin_invitations" add constraint "admin_invitations_token_hash_unique" unique ("token_hash");`)
    this.addSql(
      `alter table "admin_invitations" add constraint "admin_invitations_invited_by_id_foreign" foreign key ("invited_by_id") references "administrators" ("id") on delete restrict;`,
    )
  }

  override down(): void {
    this.addSql(`drop table "admin_invitations";`)
    this.addSql(
      `alter table "administrators" drop constraint "administrators_role_check", drop column "email", drop column "role", drop column "removed_at";`,
    )
  }
}
