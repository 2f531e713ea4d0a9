import { Migration } from '@mikro-orm/migrations'

/** Payments used for a purchase of another account stay in the history of who sent them. */
export class Migration20261128040000_taken_payments extends Migration {
  override up(): void {
    this.addSql(`alter table "deposits" add "taken_from" uuid null;`)
  }

  override down(): void {
    this.addSql(`alter table "deposits" drop column "taken_from";`)
  }
}
