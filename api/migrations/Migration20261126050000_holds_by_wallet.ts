import { Migration } from '@mikro-orm/migrations'

/** A press reads what its wallet holds without reading all open purchases. */
export class Migration20261126050000_holds_by_wallet extends Migration {
  override up(): void {
    this.addSql('create index purchases_holding on purchases (wallet) where held_quantity > 0;')
  }

  override down(): void {
    this.addSql('drop index purchases_holding;')
  }
}
