import { Migration } from '@mikro-orm/migrations'

/** What an account's mails are written in. Every account has the default, so its rows are neither rewritten nor read. */
export class Migration20261122194000_language extends Migration {
  override up(): void {
    this.addSql(`alter table "users" add "language" text not null default 'en';`)
    this.addSql(`alter table "users" add constraint "users_language_check" check ("language" in ('en', 'ko')) not valid;`)
  }

  override down(): void {
    this.addSql(`alter table "users" drop column "language";`)
  }
}
