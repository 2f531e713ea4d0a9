import { Migration } from '@mikro-orm/migrations'

/** Finds a known browser whose request names no account. */
export class Migration20261127120000_browsers extends Migration {
  override up(): void {
    this.addSql(`create index "known_devices_token_hash_index" on "known_devices" ("token_hash");`)
  }

  override down(): void {
    this.addSql(`drop index "known_devices_token_hash_index";`)
  }
}
