import { Migration } from '@mikro-orm/migrations'

/** Purchases confirmed with a transaction that pays nothing name the one that was attached to them later. */
export class Migration20261128030000_attached_hash extends Migration {
  override up(): void {
    this.addSql(`update purchases p set transaction_hash = (
      select transaction_hash from deposits where purchase_id = p.id and state = 'matched' order by block_number desc, id limit 1
    ) where p.confirmed_against_chain and not p.owed_deposit
      and exists (select from deposits where purchase_id = p.id and state = 'matched')
      and not exists (select from deposits where purchase_id = p.id and transaction_hash = p.transaction_hash)`)
  }

  override down(): void {
    // The transaction that was named is in the audit log.
  }
}
