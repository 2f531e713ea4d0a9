import { Migration } from '@mikro-orm/migrations'

/** How much of a deposit was given back: the export says what really left. */
export class Migration20261120140100_refunded_amount extends Migration {
  override up(): void {
    this.addSql(`alter table "deposits" add "refunded_amount" numeric(78,0) null;`)
  }

  override down(): void {
    this.addSql(`alter table "deposits" drop column "refunded_amount";`)
  }
}
