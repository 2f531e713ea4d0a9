import { Migration } from '@mikro-orm/migrations'

/** TRUNCATE empties the audit log as well as DELETE does, and the ORM's description of triggers has no word for it. */
export class Migration20261120080000_refuse_truncate extends Migration {
  override up(): void {
    this.addSql(`create trigger audit_entries_refuse_truncate before truncate on audit_entries
      for each statement execute function audit_entries_audit_entries_append_only_fn();`)
  }

  override down(): void {
    this.addSql('drop trigger audit_entries_refuse_truncate on audit_entries;')
  }
}
