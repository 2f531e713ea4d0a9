import { Migration } from '@mikro-orm/migrations'

/** A value derived from the encryption key, by which a process notices that it has another key than the database. */
export class Migration20261127030000_encryption_key_check extends Migration {
  override up(): void {
    this.addSql(`alter table "installation" add column "encryption_key_check" varchar(64) null;`)
  }

  override down(): void {
    this.addSql(`alter table "installation" drop column "encryption_key_check";`)
  }
}
