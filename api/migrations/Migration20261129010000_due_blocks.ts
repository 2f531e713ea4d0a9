import { Migration } from '@mikro-orm/migrations'

/** Each round looks for the blocks that are due; an endpoint may invent payments in any number of them. */
export class Migration20261129010000_due_blocks extends Migration {
  override up(): void {
    this.addSql(
      `create index "blocks_to_reread_chain_id_tries_due_at_index" on "blocks_to_reread" ("chain_id", "tries", "due_at")`,
    )
  }

  override down(): void {
    this.addSql(`drop index "blocks_to_reread_chain_id_tries_due_at_index"`)
  }
}
