import { Migration } from '@mikro-orm/migrations'

/** Payments that vanished and whose nodes were kept: mined again, each pays for its own purchase. */
export class Migration20261127130000_kept_nodes extends Migration {
  override up(): void {
    this.addSql(`alter table "deposits" add "kept_for" uuid null;`)
  }

  override down(): void {
    this.addSql(`alter table "deposits" drop column "kept_for";`)
  }
}
