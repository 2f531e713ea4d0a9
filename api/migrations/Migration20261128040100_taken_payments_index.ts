import { Migration } from '@mikro-orm/migrations'

/** Finds them, which are few. */
export class Migration20261128040100_taken_payments_index extends Migration {
  override up(): void {
    this.addSql(`create index deposits_taken on deposits (taken_from) where taken_from is not null;`)
  }

  override down(): void {
    this.addSql(`drop index "deposits_taken";`)
  }
}
