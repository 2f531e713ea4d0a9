import { defineEntity, p } from '@mikro-orm/postgresql'
import { amountColumn, instantColumn } from '#api/platform/db/columns.ts'

const properties = () => ({
  /**
   * The cause's date, never the date of insertion, so that unique per date and cause implies unique per cause; PostgreSQL
   * cannot enforce the latter across partitions (money.md 21).
   */
  date: p.date().primary(),
  /** The cause, such as `distribution:<date>:<user>`. Each cause moves XCR once. */
  cause: p.text().primary(),
  fromAccount: p.uuid(),
  toAccount: p.uuid(),
  amount: amountColumn(),
  /** Real time. */
  recordedAt: instantColumn(),
})

/**
 * One movement of XCR from one account to another. Append-only, enforced by the database on every partition.
 *
 * Partitioned by month, which the ORM does not support: `Migration20261120100000_ledger.ts` creates the table, and this entity
 * describes it for reading.
 */
export const LedgerEntrySchema = defineEntity({
  name: 'LedgerEntry',
  tableName: 'ledger_entries',
  properties: properties(),
  checks: [
    { name: 'ledger_entries_amount', expression: 'amount > 0' },
    { name: 'ledger_entries_moves', expression: 'from_account <> to_account' },
  ],
})

export class LedgerEntry extends LedgerEntrySchema.class {}
LedgerEntrySchema.setClass(LedgerEntry)

/** The entries of archived months. */
export const ArchivedLedgerEntrySchema = defineEntity({
  name: 'ArchivedLedgerEntry',
  tableName: 'archived_ledger_entries',
  properties: properties(),
})

export class ArchivedLedgerEntry extends ArchivedLedgerEntrySchema.class {}
ArchivedLedgerEntrySchema.setClass(ArchivedLedgerEntry)
