import { Migration } from '@mikro-orm/migrations'

/** Small transfers that the second reading has not confirmed are ignored only once their receipt is read. */
export class Migration20261128060000_needs_receipt extends Migration {
  override up(): void {
    this.addSql(`alter table "deposits" add column "needs_receipt" boolean not null default false`)
  }

  override down(): void {
    this.addSql(`alter table "deposits" drop column "needs_receipt"`)
  }
}
