import { Migration } from '@mikro-orm/migrations'

/** Purchases approved with a payment that vanished before it was final name the one that paid them instead. */
export class Migration20261128050000_vanished_hash extends Migration {
  override up(): void {
    this.addSql(`update purchases p set transaction_hash = (
      select transaction_hash from deposits where purchase_id = p.id and state = 'matched' order by block_number desc, id limit 1
    ) where p.status = 'confirmed' and not p.owed_deposit
      and exists (select from deposits where purchase_id = p.id and state = 'matched')
      and exists (select from deposits where purchase_id = p.id and transaction_hash = p.transaction_hash and state = 'seen')
      and not exists (select from deposits where purchase_id = p.id and transaction_hash = p.transaction_hash and state <> 'seen')`)
  }

  override down(): void {
    // The transaction that vanished is in the audit log.
  }
}
