import { Migration } from '@mikro-orm/migrations'

/**
 * The decisions on deposits whose nodes an administrator restored before decisions were recorded: their rows tell nothing of it, and the register
 * could not say why the nodes were frozen. The numbers are negative, so that these decisions precede those that were recorded since.
 */
export class Migration20261123225500_restored_decisions extends Migration {
  override up(): void {
    this.addSql(
      `insert into deposit_decisions (id, deposit_id, decided_at, transaction_hash, ordinal, sender, amount, state, state_before_orphaned, purchase_id, user_id)
       select row_number() over (order by step.decided_at, step.place) - 1000000000, d.id, step.decided_at, d.transaction_hash, d.ordinal, d.sender, d.amount,
         step.state, step.state_before_orphaned, step.purchase_id, step.user_id
       from audit_entries a
       join deposits d on a.target = 'deposit:' || d.id
       join purchases p on p.id::text = a.after->>'purchaseId'
       join lateral (
         select min(r.paid_at) as at
         from nodes n join reward_skips s on s.node_number = n.number join reward_runs r on r.day = s.day
         where n.purchase_id = p.id and r.paid_at <= a.at
       ) skipped on skipped.at is not null
       cross join lateral (values
         (1, skipped.at, 'matched', 'matched', p.id, p.user_id),
         (2, a.at, 'seen', null, null, null)
       ) step (place, decided_at, state, state_before_orphaned, purchase_id, user_id)
       where a.action = 'deposit.restore' and d.amount > 0
         and not exists (select from deposit_decisions known where known.deposit_id = d.id and known.state_before_orphaned is not null);`,
    )
  }

  /** The table is append-only, and dropped as a whole. */
  override down(): void {}
}
