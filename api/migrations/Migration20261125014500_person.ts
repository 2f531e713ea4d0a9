import { Migration } from '@mikro-orm/migrations'

/** What the page of one account needs: notes of administrators, indexes by account, and how a purchase was confirmed. */
export class Migration20261125014500_person extends Migration {
  override up(): void {
    this.addSql(
      `create table "user_notes" ("id" uuid not null, "user_id" uuid not null, "author" varchar(300) not null, "text" text not null, "created_at" timestamptz(3) not null, primary key ("id"));`,
    )
    this.addSql(`create index "user_notes_user_id_created_at_index" on "user_notes" ("user_id", "created_at");`)
    this.addSql(
      `create trigger refuse_change before update or delete or truncate on user_notes for each statement execute function refuse_change();`,
    )

    this.addSql(`create index if not exists audit_entries_target on audit_entries using hash (target);`)
    this.addSql(`create index audit_entries_actor on audit_entries using hash (actor);`)
    this.addSql(`create index "outgoing_mails_recipient_created_at_index" on "outgoing_mails" ("recipient", "created_at");`)
    this.addSql(`create index "wallet_registrations_user_id_index" on "wallet_registrations" ("user_id");`)

    this.addSql(`alter table "purchases" add "confirmed_against_chain" boolean not null default false;`)
    // Earlier ones did not record it. Those whose transaction no payment has are known to be; a mere approval names no transaction.
    this.addSql(
      `update purchases p set confirmed_against_chain = true
       where status = 'confirmed' and owed_deposit and transaction_hash is not null
         and not exists (select from deposits d where d.transaction_hash = p.transaction_hash)
         and exists (select from audit_entries a where a.target = 'purchase:' || p.id and a.action = 'purchase.manual_confirm');`,
    )
  }

  override down(): void {
    this.addSql(`alter table "purchases" drop column "confirmed_against_chain";`)
    this.addSql(`drop index "wallet_registrations_user_id_index";`)
    this.addSql(`drop index "outgoing_mails_recipient_created_at_index";`)
    this.addSql(`drop index audit_entries_actor;`)
    this.addSql(`drop index if exists audit_entries_target;`)
    this.addSql(`drop table "user_notes";`)
  }
}
