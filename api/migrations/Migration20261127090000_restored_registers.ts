import { Migration } from '@mikro-orm/migrations'

/** The database in which the public register was signed last, so that a restored dump of it is noticed. */
export class Migration20261127090000_restored_registers extends Migration {
  override up(): void {
    this.addSql(`alter table "register_state" add column "signed_in" text null;`)
  }

  override down(): void {
    this.addSql(`alter table "register_state" drop column "signed_in";`)
  }
}
