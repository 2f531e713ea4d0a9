import { Migration } from '@mikro-orm/migrations'

/** By the messages that told of it. One about several payments names only the first. */
export class Migration20261128040200_earlier_taken_payments extends Migration {
  override up(): void {
    this.addSql(`with told as materialized (
        select user_id, split_part(cause, ':', 2)::uuid as deposit_id from inbox_messages where cause like 'payment_reassigned:%'
      )
      update deposits d set taken_from = told.user_id from told
      where d.id = told.deposit_id and d.state in ('matched', 'assigned', 'orphaned');`)
  }

  override down(): void {
    // The column goes with the migration that adds it.
  }
}
