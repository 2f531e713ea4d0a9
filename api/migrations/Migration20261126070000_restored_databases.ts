import { Migration } from '@mikro-orm/migrations'

/** The database in which payments were credited last, so that a restored dump of it is noticed. */
export class Migration20261126070000_restored_databases extends Migration {
  override up(): void {
    this.addSql(`alter table "chain_progress" add column "settled_in" text null;`)
  }

  override down(): void {
    this.addSql(`alter table "chain_progress" drop column "settled_in";`)
  }
}
