import { Migration } from '@mikro-orm/migrations'

/** Accounts are shown the payments that came from their wallets. */
export class Migration20261123024500_payments_of_account extends Migration {
  override up(): void {
    this.addSql(`create index deposits_of_user on deposits (user_id, first_seen_at) where user_id is not null;`)
  }

  override down(): void {
    this.addSql(`drop index "deposits_of_user";`)
  }
}
