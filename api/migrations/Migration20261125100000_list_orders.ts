import { Migration } from '@mikro-orm/migrations'

/**
 * Indexes for the back office's orders and filters that had none, and for the report of a month (decision 41). None of their columns changes with
 * a daily reward.
 */
export class Migration20261125100000_list_orders extends Migration {
  override up(): void {
    this.addSql(`create index accounts_of_house on accounts (id) where kind <> 'user';`)
    this.addSql(
      `create index withdrawals_completed on withdrawals (completed_at) include (amount, fee) where status = 'completed';`,
    )
    this.addSql(`create index payouts_settled on payouts (settled_at) where state = 'paid';`)
    this.addSql(`create index withdrawals_by_amount on withdrawals (amount, id);`)
    this.addSql(`create index deposits_by_amount on deposits (amount, id);`)
    this.addSql(`create index purchases_by_amount on purchases (amount, id) where posted_at is not null;`)
    this.addSql(`create index deposits_by_reason on deposits (review_reason, first_seen_at, id) where review_reason is not null;`)
    this.addSql(`create index users_frozen on users (created_at, id) where frozen_at is not null;`)
    this.addSql(`create index node_counts_all on node_counts ((paid + bonus), user_id);`)
    this.addSql(`create index node_counts_paid on node_counts (paid desc, pending desc, user_id);`)
    this.addSql(`create index node_counts_bonus on node_counts (bonus desc, paid desc, user_id);`)
  }

  override down(): void {
    for (const index of [
      'accounts_of_house',
      'withdrawals_completed',
      'payouts_settled',
      'withdrawals_by_amount',
      'deposits_by_amount',
      'purchases_by_amount',
      'deposits_by_reason',
      'users_frozen',
      'node_counts_all',
      'node_counts_paid',
      'node_counts_bonus',
    ])
      this.addSql(`drop index ${index};`)
  }
}
