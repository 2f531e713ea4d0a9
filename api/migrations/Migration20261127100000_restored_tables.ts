import { Migration } from '@mikro-orm/migrations'

/** The table of the database in which payments were credited last, so that a dump restored into the same database is noticed. */
export class Migration20261127100000_restored_tables extends Migration {
  override up(): void {
    this.addSql(`alter table "chain_progress" add column "settled_table" text null;`)
  }

  override down(): void {
    this.addSql(`alter table "chain_progress" drop column "settled_table";`)
  }
}
