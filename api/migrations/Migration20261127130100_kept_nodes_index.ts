import { Migration } from '@mikro-orm/migrations'

/** Finds them, which are few. */
export class Migration20261127130100_kept_nodes_index extends Migration {
  override up(): void {
    this.addSql(`create index deposits_kept on deposits (kept_for) where kept_for is not null;`)
  }

  override down(): void {
    this.addSql(`drop index "deposits_kept";`)
  }
}
