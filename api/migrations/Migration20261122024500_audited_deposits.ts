import { Migration } from '@mikro-orm/migrations'

/** How far the daily audit has compared the deposits with the payment chain. */
export class Migration20261122024500_audited_deposits extends Migration {
  override up(): void {
    this.addSql(`alter table "chain_progress" add "audited_number" bigint null;`)
  }

  override down(): void {
    this.addSql(`alter table "chain_progress" drop column "audited_number";`)
  }
}
