import { Migration } from '@mikro-orm/migrations'

/** The watcher looks every second for orphaned deposits that are on the chain again. */
export class Migration20261123021500_orphaned_deposits extends Migration {
  override up(): void {
    this.addSql(`create index deposits_orphaned on deposits (block_number) where state_before_orphaned is not null;`)
  }

  override down(): void {
    this.addSql(`drop index deposits_orphaned;`)
  }
}
