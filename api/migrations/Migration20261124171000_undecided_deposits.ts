import { Migration } from '@mikro-orm/migrations'

/** The back office counts the cases in review all the time: without this index, it would read every deposit. */
export class Migration20261124171000_undecided_deposits extends Migration {
  override up(): void {
    this.addSql(`create index deposits_undecided on deposits (id) where state in ('review', 'orphaned');`)
  }

  override down(): void {
    this.addSql(`drop index deposits_undecided;`)
  }
}
