import { Migration } from '@mikro-orm/migrations'

/** One transaction may refund several deposits, each by a transfer of its own. Refunds of the release before leave the ordinal empty. */
export class Migration20261123015500_refund_ordinal extends Migration {
  override up(): void {
    this.addSql(`alter table "deposits" add "refund_ordinal" int null;`)
    this.addSql(`alter table "deposits" drop constraint "deposits_refund_hash_unique";`)
    this.addSql(
      `alter table "deposits" add constraint "deposits_refund_hash_refund_ordinal_unique" unique ("refund_hash", "refund_ordinal");`,
    )
  }

  override down(): void {
    this.addSql(`alter table "deposits" drop constraint "deposits_refund_hash_refund_ordinal_unique";`)
    this.addSql(`alter table "deposits" add constraint "deposits_refund_hash_unique" unique ("refund_hash");`)
    this.addSql(`alter table "deposits" drop column "refund_ordinal";`)
  }
}
