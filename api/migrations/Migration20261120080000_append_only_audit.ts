import { Migration } from '@mikro-orm/migrations'

/** The audit log is only ever added to: the database itself refuses anything else. */
export class Migration20261120080000_append_only_audit extends Migration {
  override up(): void {
    this.addSql(`create function refuse_change() returns trigger language plpgsql as $$
      begin
        raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
      end $$;`)
    this.addSql(`create trigger audit_entries_append_only before update or delete or truncate on audit_entries
      for each statement execute function refuse_change();`)
  }

  override down(): void {
    this.addSql('drop trigger audit_entries_append_only on audit_entries;')
    this.addSql('drop function refuse_change();')
  }
}
