import { Migration } from '@mikro-orm/migrations'

/** Passkeys of users and administrators, and what they are to sign. */
export class Migration20261124150000_passkeys extends Migration {
  override up(): void {
    this.addSql(
      `create table "passkey_challenges" ("id" uuid not null, "challenge_hash" varchar(64) not null, "realm" text not null, "purpose" text not null, "session_key" uuid not null, "account_id" uuid null, "expires_at" timestamptz(3) not null, primary key ("id"));`,
    )
    this.addSql(
      `alter table "passkey_challenges" add constraint "passkey_challenges_challenge_hash_unique" unique ("challenge_hash");`,
    )
    this.addSql(`create index "passkey_challenges_expires_at_index" on "passkey_challenges" ("expires_at");`)
    this.addSql(
      `alter table "passkey_challenges" add constraint "passkey_challenges_realm_check" check ("realm" in ('user', 'admin'));`,
    )
    this.addSql(
      `alter table "passkey_challenges" add constraint "passkey_challenges_purpose_check" check ("purpose" in ('register', 'login', 'confirm'));`,
    )
    this.addSql(
      `create table "passkeys" ("id" uuid not null, "user_id" uuid null, "administrator_id" uuid null, "credential_id" varchar(1364) not null, "public_key" text not null, "counter" bigint not null, "transports" text[] not null, "can_be_synced" boolean not null, "is_synced" boolean not null, "name" varchar(60) not null, "created_at" timestamptz(3) not null, "last_used_at" timestamptz(3) null, "disabled_at" timestamptz(3) null, primary key ("id"));`,
    )
    this.addSql(`create index "passkeys_user_id_index" on "passkeys" ("user_id");`)
    this.addSql(`create index "passkeys_administrator_id_index" on "passkeys" ("administrator_id");`)
    this.addSql(`alter table "passkeys" add constraint "passkeys_credential_id_unique" unique ("credential_id");`)
    this.addSql(
      `alter table "passkeys" add constraint "passkeys_user_id_foreign" foreign key ("user_id") references "users" ("id") on delete no action;`,
    )
    this.addSql(
      `alter table "passkeys" add constraint "passkeys_administrator_id_foreign" foreign key ("administrator_id") references "administrators" ("id") on delete no action;`,
    )
    this.addSql(`alter table "passkeys" add constraint "passkeys_owner" check ((user_id is null) <> (administrator_id is null));`)
  }

  override down(): void {
    for (const table of ['passkey_challenges', 'passkeys']) this.addSql(`drop table "${table}";`)
  }
}
