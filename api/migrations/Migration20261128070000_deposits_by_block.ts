import { Migration } from '@mikro-orm/migrations'

/** Each second reading looks for the settled deposits of its blocks; ignored ones may be many. */
export class Migration20261128070000_deposits_by_block extends Migration {
  override up(): void {
    this.addSql(`create index "deposits_block_number_index" on "deposits" ("block_number")`)
  }

  override down(): void {
    this.addSql(`drop index "deposits_block_number_index"`)
  }
}
